"""Chapters of a score table or a comparison, in the order of reading."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tare._decide.compare import Comparison
from tare._measures.names import column_measures
from tare._measures.scores import Scores
from tare.chance._net_measures import completed
from tare.errors import OptionError
from tare.report._blocks import Chapter, Figure, Headlines
from tare.report._chapters.chance import chance
from tare.report._chapters.findings import findings as findings_chapter
from tare.report._chapters.measures import measures
from tare.report._chapters.methods import methods
from tare.report._chapters.pairs import pairs
from tare.report._chapters.queries import queries
from tare.report._chapters.systems import systems
from tare.report._context import ReportContext

__all__ = ["compared_scores", "context_of", "figures", "findings", "score_table_chapters"]

CHAPTERS: tuple[Callable[[ReportContext], Chapter | None], ...] = (
    *(findings_chapter, systems, chance, pairs, queries, measures, methods),
)


def context_of(
    result: Scores | Comparison, *, scores: Scores | None = None, people: Sequence[str] = ()
) -> ReportContext:
    """Return the context of a score table or of a comparison, whose score table may be given."""
    if isinstance(result, Scores):
        return ReportContext.of(completed(result), people=people)
    table = compared_scores(result) if scores is None else completed(scores)
    return ReportContext.of(table, result, people)


def score_table_chapters(context: ReportContext) -> tuple[Chapter, ...]:
    """Return the chapters of a score table; raise if it is empty."""
    scores = context.scores
    if not scores.systems or not scores.items or not scores.measures:
        raise OptionError("the score table is empty; there is nothing to report.")
    return tuple(chapter for make in CHAPTERS if (chapter := make(context)) is not None)


def compared_scores(comparison: Comparison) -> Scores:
    """Return the scores that were compared; items that the comparison left out are missing."""
    families = comparison.families
    names = families[0].result.pairs.systems
    items = tuple(sorted({item for f in families for item in f.result.pairs.items}))
    place = {item: k for k, item in enumerate(items)}
    values = np.full((len(names), len(items), len(families)), np.nan)
    for m, family in enumerate(families):
        compared = family.result.pairs
        values[:, [place[item] for item in compared.items], m] = compared.scores
    return Scores(
        names,
        items,
        column_measures(f.measure for f in families),
        values,
        comparison.signatures,
        seed=comparison.options.seed,
    )


def figures(result: Scores | Comparison) -> dict[str, list[Figure]]:
    """Return the figures of a score table or comparison by the key of their chapter."""
    chapters = score_table_chapters(context_of(result))
    return {chapter.key: list(chapter.figures) for chapter in chapters if chapter.figures}


def findings(result: Scores | Comparison) -> list[str]:
    """Return the main findings of a score table or comparison as sentences."""
    blocks = findings_chapter(context_of(result)).blocks
    cards = [card for block in blocks if isinstance(block, Headlines) for card in block.items]
    return [" ".join([card.title, *card.text.split("\n")]).strip() for card in cards]
