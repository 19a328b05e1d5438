"""Pairs of systems by a measure that is made of summed statistics, such as BLEU."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._measures.aggregation import SummedStatistics
from tare.errors import OptionError
from tare.stats._pairs import Pairs

if TYPE_CHECKING:
    from tare._measures.scores import Scores

__all__ = ["SummedPairs"]

Floats = NDArray[np.float64]
ROUNDING = 1e-9  # smaller differences of draws count as equal, as a share of the largest value


@dataclass(frozen=True, eq=False)
class SummedPairs(Pairs):
    """Pairs whose values come from summed statistics.

    `scores` and `differences` are values of the jackknife, for standard errors; `means` are the
    differences of the two values over the common items. `sentences` are the values of single items,
    for wins and losses.
    """

    statistics: SummedStatistics | None = None
    sentences: Pairs | None = None
    values: Floats | None = None  # of each system, as the table prints them

    @classmethod
    def of_scores(
        cls, scores: Scores, pairs: tuple[NDArray[np.int32], NDArray[np.int32]], digits: int
    ) -> SummedPairs:
        """Return the pairs of a table with one measure."""
        order = sorted(range(len(scores.items)), key=lambda k: scores.items[k])
        items = tuple(scores.items[k] for k in order)
        summed = scores.statistics[scores.measures[0]]
        ordered = summed.take(np.arange(len(scores.systems)), np.array(order, dtype=np.intp))
        values = np.ascontiguousarray(scores.values[:, order, 0])
        sentences = Pairs._made(scores.systems, items, values, pairs, digits)
        base = Pairs._made(
            scores.systems, items, np.ascontiguousarray(ordered.linearised()), pairs, digits
        )
        more = {"statistics": ordered, "sentences": sentences, "values": summed.means()}
        made = cls(**{**vars(base), **more})
        # In the order of the table, so that the values are those that it prints.
        both = summed.there[made.first] & summed.there[made.second]
        gaps = [
            summed.value(int(a), there) - summed.value(int(b), there)
            for a, b, there in zip(made.first, made.second, both, strict=True)
        ]
        return replace(made, means=np.array(gaps, dtype=np.float64))

    @property
    def summed(self) -> SummedStatistics:
        """The statistics, with items sorted by id."""
        assert self.statistics is not None
        return self.statistics

    def take(self, keep: NDArray[np.bool_]) -> SummedPairs:
        """Return some of the pairs."""
        sentences = None if self.sentences is None else self.sentences.take(keep)
        kept = {
            name: getattr(self, name)[keep]
            for name in ("first", "second", "differences", "quantum", "n", "means", "deviations")
        }
        return replace(self, sentences=sentences, **kept)

    def on_complete_items(self) -> Pairs:
        """Refuse: no test of a whole family takes summed statistics."""
        raise OptionError(
            "a measure made of summed statistics has no test of the whole family; compare pairs."
        )

    def common(self, pair: int) -> tuple[Floats, Floats]:
        """Return the statistics of both systems; items that either lacks have zeros."""
        a, b = (self.summed.cells[int(k)] for k in (self.first[pair], self.second[pair]))
        gone = (np.isnan(a) | np.isnan(b)).any(axis=1)
        return np.where(gone[:, None], 0.0, a), np.where(gone[:, None], 0.0, b)

    def tolerance(self, pair: int) -> float:
        """Return the difference below which two values are equal."""
        assert self.values is not None
        largest = np.nanmax(np.abs(self.values[[self.first[pair], self.second[pair]]]))
        return float(ROUNDING * max(1.0, float(largest)))
