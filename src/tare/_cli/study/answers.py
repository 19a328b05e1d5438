"""What every study prints and keeps: its tables, the rows behind them as CSV, its charts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tare._cli import reporting
from tare._cli.output import emit_several, say
from tare._cli.streams import write_data
from tare._writing import write_text

if TYPE_CHECKING:
    from tare._measures.scores import Scores
    from tare._result import MultiTableResult

__all__ = ["tell"]


def tell(
    found: MultiTableResult,
    format: str | None,
    save: Path | None,
    report: Path | None = None,
    figures: Path | None = None,
    *,
    scores: Scores | None = None,
) -> None:
    """Prints the tables one after another; `save` takes all rows, one file per name, and `scores`."""
    if save is not None:
        save.mkdir(parents=True, exist_ok=True)
        for name, frame in found.frames().items():
            write_text(save / f"{name}.csv", frame.write_csv())
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
    reporting.tell(found, report)
    if figures is not None:
        from tare.report import report as report_of

        written = report_of(found).save_figures(figures)
        say(f"{len(written)} files of charts are in {figures}.")
