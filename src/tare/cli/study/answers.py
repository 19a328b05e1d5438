"""What every study prints and keeps: its tables, and the rows behind them as CSV."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tare.cli import reporting
from tare.cli.output import emit_several
from tare.writing import write_text

if TYPE_CHECKING:
    from tare.studies.answers import Answers

__all__ = ["tell"]


def tell(found: Answers, format: str | None, save: Path | None, report: Path | None = None) -> None:
    """Prints the tables one after another; `save` takes all rows, one file per name."""
    if save is not None:
        save.mkdir(parents=True, exist_ok=True)
        for name, frame in found.frames().items():
            write_text(save / f"{name}.csv", frame.write_csv())
    if format == "json":
        import json

        print(json.dumps(found.to_dict(), ensure_ascii=False, allow_nan=False))
    else:
        made = found.tables().items()
        emit_several(
            format,
            {name: (lambda t=t: t, lambda t=t: t) for name, t in made},  # type: ignore[misc]
        )
    reporting.tell(found, report)
