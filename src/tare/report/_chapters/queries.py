"""Queries: the scores of all systems on all queries."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from tare.report._blocks import Chapter, Figure
from tare.report._charts.heatmaps import score_matrix
from tare.report._context import ReportContext

__all__ = ["queries"]

MAX_CELLS = 4000


def queries(context: ReportContext) -> Chapter | None:
    """Return the chapter with the score matrix; a large matrix has groups of queries."""
    scores = context.scores
    if len(scores.systems) < 2 or len(scores.items) < 3:
        return None
    measure = context.measures[0].name
    ranking = context.ranking(measure)
    values = scores.matrix(measure)[[scores.systems.index(s) for s in ranking]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a query without any score
        means = np.nanmean(values, axis=0)
    order = np.argsort(np.where(np.isnan(means), -1, means), kind="stable")
    rows, items, note = _cells(context, values[:, order], order, ranking)
    what = "queries" if not note else "groups of queries"
    attribute = next(iter(scores.attributes), "attribute")
    chart = score_matrix(
        rows, measure=measure, systems=ranking, items=items, what=what, attribute=attribute
    )
    caption = f"{measure} of every system on every query. The best system is at the top, and the query with the lowest mean is on the left.{note}"
    if any(row["value"] is None for row in rows):
        caption += " Crosses mark missing scores."
    if context.people:
        caption += " People are below the gap."
    height = 80 + min(18, 900 // len(ranking)) * len(ranking)
    figure = Figure("score matrix", chart, caption, "Scores by system and query", height)
    lead = "A column that is light from top to bottom is a query on which all systems score low. A light cell in a dark column is a query on which one system scores lower than the others."
    return Chapter("queries", "Queries", (figure,), lead)


def _cells(
    context: ReportContext, values: Any, order: Any, ranking: list[str]
) -> tuple[list[dict[str, Any]], list[str], str]:
    names = [context.scores.items[int(k)] for k in order]
    note = ""
    if values.size > MAX_CELLS:
        groups = max(2, MAX_CELLS // len(ranking))
        parts = np.array_split(np.arange(len(names)), min(groups, len(names)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            values = np.stack([np.nanmean(values[:, part], axis=1) for part in parts], axis=1)
        names = [f"{names[p[0]]} … {names[p[-1]]}" for p in parts]
        note = f" The {len(order):,} queries are in {len(parts)} groups with similar means; each cell is the mean of a group."
    attributes = context.scores.attributes
    values_of = next(iter(attributes.values()), None) if not note else None
    attribute = dict(zip(context.scores.items, values_of, strict=True)) if values_of else {}
    rows = [
        {
            "attribute": attribute.get(name),
            "system": system,
            "human": system in context.people,
            "item": name,
            "value": None if np.isnan(v) else round(float(v), 4),
        }
        for system, line in zip(ranking, values, strict=True)
        for name, v in zip(names, line, strict=True)
    ]
    return rows, names, note
