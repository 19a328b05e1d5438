"""The door of the room: any result goes in, a report comes out."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tare._measures.column_measure import column_measures
from tare._measures.scores import Scores
from tare.chance._columns import completed
from tare.errors import OptionError
from tare.report._blocks import Chapter
from tare.report._chapters.chance import chance
from tare.report._chapters.findings import findings
from tare.report._chapters.measures import measures
from tare.report._chapters.methods import methods
from tare.report._chapters.pairs import pairs
from tare.report._chapters.queries import queries
from tare.report._chapters.study import study_chapters
from tare.report._chapters.systems import systems
from tare.report._charts.drawing import optional_charts
from tare.report._material import Material
from tare.report._report import Report
from tare.stats._comparison import Comparison

__all__ = ["report", "write"]

ORDER: tuple[Callable[[Material], Chapter | None], ...] = (
    *(findings, systems, chance, pairs, queries, measures, methods),
)


def report(
    result: Any,
    *,
    scores: Scores | None = None,
    title: str | None = None,
    people: Sequence[str] = (),
) -> Report:
    """The report of a result: a score table, a comparison or a study.

    scores: for a comparison, the table that it was made of, where chance is told as well.
    people: systems of a score table that are human authors; they stand apart in the score matrix.

    >>> import tare
    >>> scores = tare.evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}}, "RR")
    >>> report(scores).title
    'Scores of 1 system on 1 item'
    """
    with optional_charts():
        return _told(result, scores, title, people)


def _told(
    result: Any, scores: Scores | None, title: str | None, people: Sequence[str] = ()
) -> Report:
    if isinstance(result, Report):
        return result
    if isinstance(result, Scores):
        return _of_scores(Material.of(completed(result), people=people), title)
    if isinstance(result, Comparison):
        return _of_scores(Material.of(scores or scores_behind(result), result, people), title)
    if hasattr(result, "table") or hasattr(result, "tables"):
        return Report(title or _name(result), study_chapters(result))
    raise OptionError(
        f"no report is known for {type(result).__name__}. Score tables, comparisons and studies have one."
    )


def _name(result: Any) -> str:
    """The name of a result in words: MeasuresAndPeople is Measures and people."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]*|[a-z]+", type(result).__name__)
    return " ".join(words).replace(" Study", "").capitalize() or "Result"


def scores_behind(comparison: Comparison) -> Scores:
    """The scores that a comparison was made of; items that it left out are missing."""
    families = comparison.families
    names = families[0].result.pairs.systems
    items = tuple(sorted({item for f in families for item in f.result.pairs.items}))
    place = {item: k for k, item in enumerate(items)}
    values = np.full((len(names), len(items), len(families)), np.nan)
    for m, family in enumerate(families):
        found = family.result.pairs
        values[:, [place[item] for item in found.items], m] = found.scores
    return Scores(
        names, items, column_measures(f.measure for f in families), values, comparison.signatures, seed=comparison.options.seed
    )  # fmt: skip


def _of_scores(material: Material, title: str | None) -> Report:
    scores = material.scores
    if not scores.systems or not scores.items or not scores.measures:
        raise OptionError("the score table is empty; there is nothing to report.")
    chapters = tuple(chapter for make in ORDER if (chapter := make(material)) is not None)
    return Report(title or _title(scores), chapters, ", ".join(s.measure for s in material.subjects))  # fmt: skip


def _title(scores: Scores) -> str:
    s, i = len(scores.systems), len(scores.items)
    return f"Scores of {s:,} system{'s' * (s != 1)} on {i:,} item{'s' * (i != 1)}"


def write(
    result: Any,
    path: str | os.PathLike[str] = "report.html",
    *,
    scores: Scores | None = None,
    title: str | None = None,
    figures: str | os.PathLike[str] | None = None,
    formats: Sequence[str] = ("svg", "png", "pdf"),
) -> Path:
    """Writes the report of a result, and its charts into the folder `figures` if one is named."""
    made = report(result, scores=scores, title=title)
    target = made.write(path)
    if figures is not None:
        made.save_figures(figures, formats)
    return target
