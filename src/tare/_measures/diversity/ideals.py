"""Comparison of the greedy ideal ranking, the usual divisor, with the true ideal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare import _kernels as kernels
from tare._data import findings
from tare._data.subtopics import Subtopics, read_subtopics
from tare._measures.diversity.kernel import DiversityChance
from tare._measures.measure import Measure
from tare._measures.names import parse
from tare._result import Result, Row, Rows
from tare._tables import Column, Table
from tare.errors import MeasureError

__all__ = ["Ideals", "ideals"]

Array = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class Ideals(Result):
    """The values of the greedy and of the true ideal ranking of each query.

    Attributes
    ----------
    measure
        The measure.
    items
        The queries.
    greedy
        The value of the greedy ranking of each query.
    exact
        The value of the true ideal; NaN if the search was stopped.
    """

    measure: Measure
    items: tuple[str, ...]
    greedy: Array
    exact: Array

    @property
    def gap(self) -> Array:
        """The relative difference between the true and the greedy ideal."""
        return np.where(
            self.exact > 0, 1 - self.greedy / np.where(self.exact > 0, self.exact, 1), 0
        )

    def rows(self) -> Rows:
        """Return one row per query."""
        gaps = np.where(np.isnan(self.exact), np.nan, self.gap)
        columns = zip(self.items, self.greedy, self.exact, gaps, strict=True)
        return [
            {"query": query, "greedy": float(greedy), "exact": float(exact), "gap": float(gap)}
            for query, greedy, exact, gap in columns
        ]

    def facts(self) -> Row:
        """Return the measure."""
        return {"measure": str(self.measure)}

    def table(self) -> Table:
        """Return one row per query, with the largest gap in the note."""
        rows = self.rows()
        found = int((~np.isnan(self.exact)).sum())
        largest = float(np.nanmax([row["gap"] for row in rows])) if found else float("nan")
        note = (
            f"{self.measure}: the true ideal was found for {found:,} of {len(self.items):,} "
            f"queries; the largest gap of the greedy ideal is {largest:.2%}."
        )
        columns = [Column("query", align="left"), *map(Column, ("greedy", "exact", "gap"))]
        return Table.of(columns, [tuple(row.values()) for row in rows], notes=[note])


def ideals(
    subtopics: findings.Table | Subtopics, measure: str | Measure = "alpha_DCG@20"
) -> Ideals:
    """Compute the greedy and the true ideal ranking of each query's judged documents.

    Parameters
    ----------
    subtopics
        Judgements by subtopic: a path, a data frame, or a dictionary, as in `tare.read_subtopics`.
    measure
        A measure of diversity.

    Returns
    -------
    Ideals
        Both values of each query.

    Raises
    ------
    MeasureError
        If the measure is not a measure of diversity.

    Examples
    --------
    >>> found = ideals({"q": {"1": {"a": 1, "b": 1}, "2": {"b": 1}}}, "alpha_DCG(normalize=false)@2")
    >>> [round(float(x), 4) for x in (found.greedy[0], found.exact[0])]
    [2.3155, 2.3155]
    """
    wanted = parse(measure)
    provider = wanted.definition.chance
    if not isinstance(provider, DiversityChance):
        raise MeasureError(
            f"{wanted} is not a measure of diversity; its ideal is known without a search."
        )
    given = read_subtopics(subtopics)
    offsets = given.arrays.document_offsets
    sizes = np.diff(offsets)
    numbers = (np.arange(offsets[-1]) - np.repeat(offsets[:-1], sizes)).astype(np.int32)
    pool = kernels.Rankings(
        offsets=offsets,
        ranks=numbers + np.int32(1),
        codes=numbers,
        lows=np.zeros(0, dtype=np.int64),
        highs=np.zeros(0, dtype=np.int64),
        retrieved=sizes,
    )
    streams = kernels.stream_ids(given.items)
    kernel = provider.kernel_of(wanted)
    greedy, *_ = kernels.evaluate_diversity("greedy", pool, streams, given.arrays, kernel)
    exact, *_ = kernels.evaluate_diversity("exact", pool, streams, given.arrays, kernel)
    return Ideals(wanted, given.items, greedy, exact)
