"""Summaries of a gate for other programs: Markdown for pull requests, JUnit XML for build servers."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from tare._decide.gate.result import Gate, GateRow
from tare._plain_text import plain

__all__ = ["junit", "markdown"]

TITLES = {
    "not worse": "Search quality: not worse than the baseline",
    "worse": "Search quality: worse than the baseline",
    "cannot tell": "Search quality: cannot tell",
}


def markdown(gate: Gate) -> str:
    """Return a summary for a pull request."""
    parts = [f"### {TITLES[gate.verdict]}", "", gate.table().to_markdown().rstrip(), ""]
    for row in gate.measures:
        if row.verdict != "not worse" and row.losses:
            lost = ", ".join(f"`{plain(item)}` {value:+.4f}" for item, value in row.losses)
            parts += [f"Largest losses of {row.measure}: {lost}", ""]
    return "\n".join(parts)


def junit(gate: Gate) -> str:
    """Return one JUnit test case per measure: "worse" is a failure, "cannot tell" is skipped.

    If "cannot tell" fails the gate, it is a failure here, too; findings are the suite's output.
    """
    cases = [_case(row, gate) for row in gate.measures]
    failures = sum("<failure" in case for case in cases)
    skipped = sum("<skipped" in case for case in cases)
    output = escape(_printable("\n".join(str(finding) for finding in gate.findings)))
    head = (
        f'<testsuite name="tare gate" tests="{len(cases)}" failures="{failures}" '
        f'errors="0" skipped="{skipped}">'
    )
    body = "\n".join(f"  {case}" for case in cases)
    said = f"\n  <system-out>{output}</system-out>" if output else ""
    return f'<?xml version="1.0" encoding="utf-8"?>\n{head}\n{body}{said}\n</testsuite>\n'


def _case(row: GateRow, gate: Gate) -> str:
    start = f"<testcase classname={quoteattr(_printable(gate.system))} name={quoteattr(_printable(row.measure))}"
    failed = row.verdict == "worse" or (row.verdict == "cannot tell" and gate.on_unclear == "fail")
    message = quoteattr(_printable(row.sentence()))
    if failed:
        lost = "\n".join(f"{item} {value:+.4f}" for item, value in row.losses)
        return f"{start}><failure message={message}>{escape(_printable(lost))}</failure></testcase>"
    if row.verdict == "cannot tell" and gate.on_unclear == "report":
        return f"{start}><skipped message={message}/></testcase>"
    return f"{start}/>"


def _printable(text: str) -> str:
    """Return text without the control characters that XML does not allow."""
    return "\n".join(plain(line) for line in text.split("\n"))
