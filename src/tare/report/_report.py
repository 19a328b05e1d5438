"""Reports: chapters as one self-contained page, and their charts as files for papers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tare._writing import write_text
from tare.report._blocks import Chapter, Figure
from tare.report._page import page

__all__ = ["Report"]


@dataclass(frozen=True, eq=False)
class Report:
    """A title, and chapters in the order in which they are read."""

    title: str
    chapters: tuple[Chapter, ...]
    subtitle: str = ""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All charts, in order."""
        return tuple(figure for chapter in self.chapters for figure in chapter.figures)

    def html(self) -> str:
        """The whole report as one HTML page that needs nothing else."""
        return page(self)

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Writes the page; folders on the way are made."""
        target = Path(path)
        text = self.html()  # made first, so that an error leaves an old report as it was
        write_text(target, text)
        return target

    def save_figures(
        self, folder: str | os.PathLike[str], formats: Sequence[str] = ("svg", "png", "pdf")
    ) -> tuple[Path, ...]:
        """Writes every chart in every format, named as in the report."""
        from tare.report._files import converter, save_figures

        converter()  # says at once what is missing

        return save_figures(self.figures, Path(folder), formats)

    def __repr__(self) -> str:
        names = ", ".join(chapter.title for chapter in self.chapters)
        return f"Report({self.title!r}: {names}; {len(self.figures)} charts)"

    def _repr_html_(self) -> str:
        from html import escape

        return f'<iframe srcdoc="{escape(self.html())}" style="width:100%;height:40em"></iframe>'
