"""Summaries of a gate for other programs: Markdown for pull requests, JUnit XML for build servers."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from tare._decide.gate.result import Gate, GateRow
from tare._decide.gate.sentences import about_one, changed_list
from tare._plain_text import plain

__all__ = ["junit", "markdown"]

TITLES = {
    "pass": "Search quality: passed",
    "block": "Search quality: a loss is shown",
    "certified": "Search quality: certified",
    "not certified": "Search quality: not certified",
}


def markdown(gate: Gate) -> str:
    """Return a summary for a pull request."""
    parts = [f"### {TITLES[gate.verdict]}", "", gate.table().to_markdown().rstrip(), ""]
    for row in gate.measures:
        if found := changed_list(row, code=True):
            parts += [f"{row.measure}. {found}", ""]
    return "\n".join(parts)


def junit(gate: Gate) -> str:
    """Return one JUnit test case per measure; a measure that stops the build is a failure.

    Sentences and findings are the suite's output.
    """
    cases = [_case(row, gate) for row in gate.measures]
    failures = sum("<failure" in case for case in cases)
    said = [f"{row.measure}: {about_one(row, gate)}" for row in gate.measures]
    output = escape(_printable("\n".join([*said, *map(str, gate.findings)])))
    head = (
        f'<testsuite name="tare gate" tests="{len(cases)}" failures="{failures}" '
        f'errors="0" skipped="0">'
    )
    body = "\n".join(f"  {case}" for case in cases)
    end = f"\n  <system-out>{output}</system-out>\n</testsuite>\n"
    return f'<?xml version="1.0" encoding="utf-8"?>\n{head}\n{body}{end}'


def _case(row: GateRow, gate: Gate) -> str:
    start = f"<testcase classname={quoteattr(_printable(gate.system))} name={quoteattr(_printable(row.measure))}"
    if row.verdict not in ("loss shown", "not certified"):
        return f"{start}/>"
    message = quoteattr(_printable(about_one(row, gate)))
    lost = escape(_printable(changed_list(row)))
    return f"{start}><failure message={message}>{lost}</failure></testcase>"


def _printable(text: str) -> str:
    """Return text without the control characters that XML does not allow."""
    return "\n".join(plain(line) for line in text.split("\n"))
