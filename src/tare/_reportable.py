"""Results that can tell themselves to a reader: the door from every result to its report."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from tare._result import Result

__all__ = ["Reportable"]


class Reportable:
    """A result with a report.

    Reports stand above all results, so the room is entered by its name when it is asked for.
    """

    figure_module: ClassVar[str] = "tare.report._chapters.studies.shapes"
    figures = Result.figures
    headlines = Result.headlines

    def report(
        self,
        path: str | os.PathLike[str] = "report.html",
        *,
        title: str | None = None,
        figures: str | os.PathLike[str] | None = None,
        formats: Sequence[str] = ("svg", "png", "pdf"),
    ) -> Path:
        """Writes the report as one page that opens anywhere; charts also into the folder `figures`."""
        room: Any = import_module("tare.report")
        written: Path = room.write(self, path, title=title, figures=figures, formats=formats)
        return written
