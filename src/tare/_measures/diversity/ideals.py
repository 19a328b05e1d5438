"""Ideal rankings compared: the greedy one that everybody divides by, and the true one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare import _kernels as kernels
from tare._data.subtopics import read_subtopics
from tare._measures.diversity.kernel import DiversityChance
from tare._measures.measure import Measure
from tare._measures.names import parse
from tare.errors import MeasureError

if TYPE_CHECKING:
    import polars as pl

    from tare._tables import Table

__all__ = ["Ideals", "ideals"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Ideals:
    """The value of the greedy ideal and of the true one; NaN where that was too much to search."""

    measure: Measure
    items: tuple[str, ...]
    greedy: Array
    exact: Array

    @property
    def gap(self) -> Array:
        """What the greedy ideal falls short, as a share of the true one."""
        return np.where(
            self.exact > 0, 1 - self.greedy / np.where(self.exact > 0, self.exact, 1), 0
        )

    def to_frame(self) -> pl.DataFrame:
        """A polars frame, one row a query."""
        import polars as pl

        return pl.DataFrame(
            {
                "query": list(self.items),
                "greedy": self.greedy,
                "exact": self.exact,
                "gap": np.where(np.isnan(self.exact), np.nan, self.gap),
            }
        )

    def table(self) -> Table:
        """One row a query, the largest gap in the note."""
        from tare._tables import Column, Table

        frame = self.to_frame()
        found = int((~np.isnan(self.exact)).sum())
        largest = float(np.nanmax(frame["gap"].to_numpy())) if found else float("nan")
        note = (
            f"{self.measure}: the true ideal was found for {found:,} of {len(self.items):,} "
            f"queries; the largest gap of the greedy one is {largest:.2%}."
        )
        columns = [Column("query", align="left")] + [Column(c) for c in frame.columns[1:]]
        return Table.of(columns, frame.rows(), notes=[note])

    def __repr__(self) -> str:
        return str(self.table())


def ideals(subtopics: Any, measure: str | Measure = "alpha_DCG@20") -> Ideals:
    """The greedy and the exact ideal of each query's judged documents.

    >>> found = ideals({"q": {"1": {"a": 1, "b": 1}, "2": {"b": 1}}}, "alpha_DCG(normalize=false)@2")
    >>> [round(float(x), 4) for x in (found.greedy[0], found.exact[0])]
    [2.3155, 2.3155]
    """
    wanted = parse(measure)
    provider = wanted.definition.chance
    if not isinstance(provider, DiversityChance):
        raise MeasureError(
            f"{wanted} is no measure of diversity; it needs no search for its ideal."
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
    greedy, _ = kernels.evaluate_diversity("greedy", pool, streams, given.arrays, kernel)
    exact, _ = kernels.evaluate_diversity("exact", pool, streams, given.arrays, kernel)
    return Ideals(wanted, given.items, greedy, exact)
