"""What verbs do with scores and results: they print them, and write rows, charts and reports."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import tare
from tare._cli.output import emit, emit_several, for_reading, say, write_data
from tare._data.formats import delimited
from tare._measures.means_and_intervals import long_table, notes_of, score_table
from tare._plain_text import plain

if TYPE_CHECKING:
    from tare._data.findings import Finding
    from tare._measures.scores import Scores
    from tare._result import MultiTableResult, Result

__all__ = [
    "emit_scores",
    "exit_code",
    "save_rows",
    "say_findings",
    "say_if_no_charts",
    "show_tables",
    "write_figures",
    "write_report",
]


def emit_scores(format: str | None, scores: Scores) -> bool:
    """Print mean scores of any verb and their findings; return whether a text table was printed."""
    emit(format, lambda: score_table(scores), lambda: long_table(scores))
    if for_reading(format):  # the findings are notes of the table
        say_inputs(scores.findings)
        return True
    say_findings(scores.findings)
    return False


def say_inputs(findings: Iterable[Finding]) -> None:
    """Print on stderr what a verb recognised in the input of scores."""
    for line in dict.fromkeys(str(f) for f in findings if f.kind == "input"):
        say(plain(line))


def say_findings(findings: Iterable[Finding], *, notes: bool = False) -> int:
    """Print findings of a verb on stderr, grouped by kind; return how many were printed."""
    findings = tuple(findings)
    say_inputs(findings)
    printed = tuple(f for f in findings if (notes and f.kind != "input") or f.severity != "note")
    for line in notes_of(printed, remarks=notes):
        say(plain(line))
    return len(printed)


def exit_code(findings: Iterable[Finding], strict: bool) -> int:
    """Return the exit code of a verb: 1 under --strict if a finding is more than a note, and otherwise 0."""
    return int(strict and any(finding.severity != "note" for finding in findings))


def write_report(
    result: Result | Scores, path: Path | None, *, scores: Scores | None = None
) -> None:
    """Write the report of a result if a path was given, and say where it is."""
    if path is None:
        return
    tare.report.write(result, path, scores=scores)
    say(f"Report written to {path}.")
    say_if_no_charts()


def say_if_no_charts() -> None:
    """Say why a report has no charts, if it has none."""
    from tare.report._encoding import charts_available

    if not charts_available():
        say("The report has no charts; to draw them, run: pip install 'tare-eval[report]'")


def write_figures(found: MultiTableResult, folder: Path) -> None:
    """Write the charts of a verb's result to a folder, for papers."""
    written = tare.report.report(found).save_figures(folder)
    say(f"{len(written)} chart files written to {folder}.")


def save_rows(found: MultiTableResult, folder: Path, scores: Scores | None = None) -> None:
    """Write the rows behind the tables of a study, and the scores that it started from, to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in found.frames().items():
        delimited.write(frame, folder / f"{name}.csv")
    if scores is not None:
        scores.save(folder / "scores.parquet")


def show_tables(found: MultiTableResult, format: str | None) -> None:
    """Print the tables of a study or another result; in JSON, all that it found."""
    if format == "json":
        write_data(json.dumps(found.to_dict(), ensure_ascii=False, allow_nan=False) + "\n", "json")
        return
    tables = found.tables().items()
    emit_several(
        format,
        {name: (lambda t=t: t, lambda t=t: t) for name, t in tables},  # type: ignore[misc]
    )
