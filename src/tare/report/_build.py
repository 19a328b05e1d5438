"""Build the report of a result: a score table, a comparison or a study."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from tare._decide.compare import Comparison
from tare._decide.compare_estimates import EstimateComparison
from tare._measures.scores import Scores
from tare._result import Result
from tare.errors import OptionError
from tare.report._blocks import Chapter
from tare.report._chapters.result import result_chapters
from tare.report._chapters.score_table import context_of, score_table_chapters
from tare.report._charts.optional_altair import optional_charts
from tare.report._context import ReportContext
from tare.report._report import Report

__all__ = ["report", "report_of_scores", "write"]


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
        if hasattr(result, "table") or hasattr(result, "tables"):
            return Report(title or _name(result), result_chapters(result))
    raise OptionError(
        f"cannot report an object of type {type(result).__name__}. Pass a score table, a comparison or "
        "the result of a study."
    )


def _name(result: Result) -> str:
    """Return the name of a result in words, such as "Measures and people"."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]*|[a-z]+", type(result).__name__)
    return " ".join(words).replace(" Study", "").capitalize() or "Result"


def report_of_scores(
    context: ReportContext, title: str | None, rankings: Chapter | None = None
) -> Report:
    """Return the report of a score table; the chapter of rankings, if any, is before the methods."""
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
