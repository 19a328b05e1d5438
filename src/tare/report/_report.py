"""Reports: chapters that can be written as one self-contained page, and their charts."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from tare._decide.compare import Comparison
from tare._decide.compare_estimates import EstimateComparison
from tare._files.addresses import as_path
from tare._files.writing import write_text
from tare._measures.scores import Scores
from tare._result import Result
from tare.errors import OptionError
from tare.report._blocks import Chapter, Figure
from tare.report._chapters import result_chapters
from tare.report._context import ReportContext
from tare.report._encoding import optional_charts
from tare.report._page import page
from tare.report._score_table import context_of, score_table_chapters

__all__ = ["Report", "report", "report_of_scores", "write"]


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
        from tare.report._page import converter, save_figures

        converter()  # raises before the folder is created
        return save_figures(self.figures, as_path(folder), formats)

    def __repr__(self) -> str:
        names = ", ".join(chapter.title for chapter in self.chapters)
        count = len(self.figures)
        return f"Report({self.title!r}: {names}; {count} chart{'' if count == 1 else 's'})"

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escape(self.html())}" style="width:100%;height:40em"></iframe>'


# Build the report of a result: a score table, a comparison or a study.


def report(
    result: Result | Scores | Report,
    *,
    scores: Scores | None = None,
    title: str | None = None,
    people: Sequence[str] = (),
) -> Report:
    """Build the report of a result.

    The systems of a score table are compared with the default test of `tare.compare`. If the pool is
    known, expected values and net scores are added. Charts are left out if altair and vl-convert are
    not installed.

    Parameters
    ----------
    result : Scores, Comparison or study result
        The result to report. A `Report` is returned unchanged.
    scores : Scores, optional
        The score table of a comparison. With it, the report also covers chance.
    title : str, optional
        Title of the page. By default it is derived from the result.
    people : sequence of str, optional
        Systems that are human authors. They are shown apart from the machines in the score matrix.

    Returns
    -------
    Report
        The report, as an object with chapters and figures.

    Raises
    ------
    OptionError
        If the result has no report, the score table is empty, or `people` names an unknown system.

    See Also
    --------
    write : Build a report and write it to a file.

    Examples
    --------
    >>> import tare
    >>> scores = tare.evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}}, "RR")
    >>> report = tare.report.report(scores)
    >>> report.title
    'Scores of 1 system on 1 item'
    >>> [chapter.title for chapter in report.chapters]
    ['Findings', 'Systems', 'Methods']
    """
    with optional_charts():
        if isinstance(result, Report):
            return result
        if isinstance(result, Scores | Comparison) and not isinstance(result, EstimateComparison):
            return report_of_scores(context_of(result, scores=scores, people=people), title)
        if isinstance(result, Result):
            return Report(title or _name(result), result_chapters(result))
    raise OptionError(
        f"cannot report an object of type {type(result).__name__}. Pass a score table, a comparison or "
        "the result of a study."
    )


def _name(result: Result) -> str:
    """Return the name of a reported result in words, such as "Measures and people"."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]*|[a-z]+", type(result).__name__)
    return " ".join(words).replace(" Study", "").capitalize() or "Result"


def report_of_scores(
    context: ReportContext, title: str | None, rankings: Chapter | None = None
) -> Report:
    """Return the whole report of a score table; the chapter of rankings, if any, is before the methods."""
    chapters = score_table_chapters(context)
    if rankings is not None:
        chapters = (*chapters[:-1], rankings, chapters[-1])
    subtitle = ", ".join(m.name for m in context.measures)
    return Report(title or _title(context.scores), chapters, subtitle)


def _title(scores: Scores) -> str:
    s, i = len(scores.systems), len(scores.items)
    return f"Scores of {s:,} system{'s' * (s != 1)} on {i:,} item{'s' * (i != 1)}"


def write(
    result: Result | Scores | Report,
    path: str | os.PathLike[str] = "report.html",
    *,
    scores: Scores | None = None,
    title: str | None = None,
    figures: str | os.PathLike[str] | None = None,
    formats: Sequence[str] = ("svg", "png", "pdf"),
) -> Path:
    """Build the report of a result and write it to an HTML file.

    Parameters
    ----------
    result : Scores, Comparison or study result
        The result to report.
    path : path-like, default "report.html"
        File to write. Missing folders are created.
    scores : Scores, optional
        The score table of a comparison. With it, the report also covers chance.
    title : str, optional
        Title of the page. By default it is derived from the result.
    figures : path-like, optional
        Folder for the charts as separate files. By default they are not written.
    formats : sequence of {"svg", "png", "pdf"}
        Formats of these files.

    Returns
    -------
    Path
        The file that was written.

    Raises
    ------
    OptionError
        If the result has no report, or a format is unknown.
    MissingExtraError
        If `figures` is given and the packages that draw charts are not installed.

    See Also
    --------
    report : Build a report without writing it.

    Examples
    --------
    >>> import tare, tempfile, pathlib
    >>> scores = tare.evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}}, "RR")
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> tare.report.write(scores, folder / "rr.html", title="One run").name
    'rr.html'
    """
    built = report(result, scores=scores, title=title)
    target = built.write(path)
    if figures is not None:
        built.save_figures(figures, formats)
    return target
