"""Reports: chapters that can be written as one self-contained page, and their charts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from tare._files.addresses import as_path
from tare._files.writing import write_text
from tare.report._blocks import Chapter, Figure
from tare.report._page import page

__all__ = ["Report"]


@dataclass(frozen=True, eq=False)
class Report:
    """A report: a title and chapters with text, tables and charts.

    `tare.report.report` builds one from a result. In a notebook it is shown as a page.

    Parameters
    ----------
    title : str
        Title of the page.
    chapters : tuple of Chapter
        Chapters in the order of reading. A chapter has a `key`, a `title` and `blocks`.
    subtitle : str, optional
        A line below the title.

    Attributes
    ----------
    figures : tuple of Figure
        All charts of the report.

    Examples
    --------
    >>> import tare
    >>> scores = tare.evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}}, "RR")
    >>> report = tare.report.report(scores, title="One run")
    >>> report
    Report('One run': Findings, Systems, Methods; 0 charts)
    >>> report.html().splitlines()[0]
    '<!doctype html>'
    """

    title: str
    chapters: tuple[Chapter, ...]
    subtitle: str = ""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All charts of the report, in order.

        Each figure has a `name`, a `title`, a `caption` and an altair `chart` that you can change.

        Returns
        -------
        tuple of Figure
            The charts. Empty if the packages that draw charts are not installed.
        """
        return tuple(figure for chapter in self.chapters for figure in chapter.figures)

    def html(self) -> str:
        """Return the report as one HTML page.

        The page contains its own styles, scripts and data, and makes no network request.

        Returns
        -------
        str
            The page.
        """
        return page(self)

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file.

        Parameters
        ----------
        path : path-like
            File to write. Missing folders are created, and an existing file is replaced.

        Returns
        -------
        Path
            The file that was written.
        """
        target = as_path(path)
        text = self.html()  # before the file is opened, so that an error leaves it unchanged
        write_text(target, text)
        return target

    def save_figures(
        self, folder: str | os.PathLike[str], formats: Sequence[str] = ("svg", "png", "pdf")
    ) -> tuple[Path, ...]:
        """Write every chart as a file, in light colours and print resolution.

        Parameters
        ----------
        folder : path-like
            Folder to write to. It is created if it does not exist.
        formats : sequence of {"svg", "png", "pdf"}
            Formats of the files.

        Returns
        -------
        tuple of Path
            The files that were written, named by number and figure, such as `01-means.svg`.

        Raises
        ------
        MissingExtraError
            If vl-convert is not installed.
        OptionError
            If a format is unknown.
        """
        from tare.report._figure_files import converter, save_figures

        converter()  # raises before the folder is created
        return save_figures(self.figures, as_path(folder), formats)

    def __repr__(self) -> str:
        names = ", ".join(chapter.title for chapter in self.chapters)
        count = len(self.figures)
        return f"Report({self.title!r}: {names}; {count} chart{'' if count == 1 else 's'})"

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escape(self.html())}" style="width:100%;height:40em"></iframe>'
