"""What verbs do with a result in addition to printing it: reports, charts and files of rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tare._cli.output import emit_several, say, write_data
from tare._data.formats import delimited

if TYPE_CHECKING:
    from tare._measures.scores import Scores
    from tare._result import MultiTableResult

__all__ = ["say_if_no_charts", "show_study", "write_report"]


def write_report(result: Any, path: Path | None, **options: Any) -> None:
    """Write the report of a result if a path was given, and say where it is."""
    if path is None:
        return
    from tare.report import write

    write(result, path, **options)
    say(f"Report written to {path}.")
    say_if_no_charts()


def say_if_no_charts() -> None:
    """Say why a report has no charts, if it has none."""
    from tare.report._encoding import charts_available

    if not charts_available():
        say("The report has no charts; to draw them, run: pip install 'tare-eval[report]'")


def show_study(
    found: MultiTableResult,
    format: str | None,
    save: Path | None,
    report: Path | None = None,
    figures: Path | None = None,
    *,
    scores: Scores | None = None,
) -> None:
    """Print the tables of a study; write its rows, scores, report and charts where asked for."""
    if save is not None:
        save.mkdir(parents=True, exist_ok=True)
        for name, frame in found.frames().items():
            delimited.write(frame, save / f"{name}.csv")
        if scores is not None:
            scores.save(save / "scores.parquet")
    if format == "json":
        import json

        write_data(json.dumps(found.to_dict(), ensure_ascii=False, allow_nan=False) + "\n", "json")
    else:
        tables = found.tables().items()
        emit_several(
            format,
            {name: (lambda t=t: t, lambda t=t: t) for name, t in tables},  # type: ignore[misc]
        )
    write_report(found, report)
    if figures is not None:
        from tare.report import report as report_of

        written = report_of(found).save_figures(figures)
        say(f"{len(written)} chart files written to {figures}.")
