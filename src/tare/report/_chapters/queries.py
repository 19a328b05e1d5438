"""The queries: the whole score matrix at a glance."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from tare.report._blocks import Chapter, Figure
from tare.report._charts.heatmaps import score_matrix
from tare.report._material import Material

__all__ = ["queries"]

MOST_CELLS = 4000


def queries(material: Material) -> Chapter | None:
    """The score matrix of the first measure; a large one by groups of queries."""
    scores = material.scores
    if len(scores.systems) < 2 or len(scores.items) < 3:
        return None
    measure = material.subjects[0].measure
    ranking = material.ranking(measure)
    values = scores.matrix(measure)[[scores.systems.index(s) for s in ranking]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a query that nobody has
        means = np.nanmean(values, axis=0)
    order = np.argsort(np.where(np.isnan(means), -1, means), kind="stable")
    rows, items, note = _cells(material, values[:, order], order, ranking)
    what = "queries" if not note else "groups of queries"
    beside = next(iter(scores.attributes), "attribute")
    chart = score_matrix(
        rows, measure=measure, systems=ranking, items=items, what=what, attribute=beside
    )
    caption = f"{measure} of every system on every query: best system on top, hardest query on the left.{note}"  # fmt: skip
    if any(row["value"] is None for row in rows):
        caption += " Crossed cells are missing."
    if material.people:
        caption += " People are below the gap."
    height = 80 + min(18, 900 // len(ranking)) * len(ranking)
    figure = Figure("score matrix", chart, caption, "All scores", height)
    lead = "Columns that are pale from top to bottom are queries nobody solves; pale cells in a dark column are where one system fails alone."  # fmt: skip
    return Chapter("queries", "Queries", (figure,), lead)


def _cells(
    material: Material, values: Any, order: Any, ranking: list[str]
) -> tuple[list[dict[str, Any]], list[str], str]:
    names = [material.scores.items[int(k)] for k in order]
    note = ""
    if values.size > MOST_CELLS:
        groups = max(2, MOST_CELLS // len(ranking))
        parts = np.array_split(np.arange(len(names)), min(groups, len(names)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            values = np.stack([np.nanmean(values[:, part], axis=1) for part in parts], axis=1)
        names = [f"{names[p[0]]} … {names[p[-1]]}" for p in parts]
        note = f" {len(order):,} queries in {len(parts)} groups of like difficulty; a cell is their mean."  # fmt: skip
    beside = material.scores.attributes
    values_of = next(iter(beside.values()), None) if not note else None
    attribute = dict(zip(material.scores.items, values_of, strict=True)) if values_of else {}
    rows = [
        {
            "attribute": attribute.get(name),
            "system": system,
            "human": system in material.people,
            "item": name,
            "value": None if np.isnan(v) else round(float(v), 4),
        }
        for system, line in zip(ranking, values, strict=True)
        for name, v in zip(names, line, strict=True)
    ]
    return rows, names, note
