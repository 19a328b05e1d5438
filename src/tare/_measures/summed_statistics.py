"""Measures made of summed statistics: the value of a set is a function of sums over its items.

BLEU is an example: matches, n-grams and lengths are summed over all texts, and BLEU is computed from the
sums. It is not a mean of values per text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._kernels import bootstrap_means

if TYPE_CHECKING:
    from tare._measures.measure import Measure

__all__ = ["SummedRule", "SummedStatistics"]

Array = NDArray[np.float64]
Means = Callable[[Array, int, int, int], Array]


@dataclass(frozen=True)
class SummedRule:
    """How a measure is computed from summed statistics.

    size: the number of statistics per item. combine: values from rows of sums. whole: whether the
    statistics are whole numbers.
    """

    size: Callable[[Measure], int]
    combine: Callable[[Measure, Array], Array]
    whole: bool = True


@dataclass(frozen=True, eq=False)
class SummedStatistics:
    """The statistics of each item, systems × items × statistics; NaN if a system lacks an item."""

    measure: Measure
    cells: Array

    @classmethod
    def empty(cls, measure: Measure, shape: tuple[int, int]) -> SummedStatistics:
        """Create an array of NaN, to be filled later."""
        return cls(measure, np.full((*shape, cls.rule_of(measure).size(measure)), np.nan))

    @staticmethod
    def rule_of(measure: Measure) -> SummedRule:
        """Return the rule of a measure that is made of summed statistics."""
        rule = measure.definition.summed
        assert rule is not None
        return rule

    def take(self, systems: NDArray[np.intp], items: NDArray[np.intp]) -> SummedStatistics:
        """Select some systems and items."""
        return type(self)(self.measure, self.cells[np.ix_(systems, items)])

    @property
    def there(self) -> NDArray[np.bool_]:
        """Which systems have which items."""
        return np.asarray(~np.isnan(self.cells).any(axis=2))

    def counts(self) -> NDArray[np.int64]:
        """Return the number of items of each system."""
        counted: NDArray[np.int64] = self.there.sum(axis=1)
        return counted

    def combined(self, rows: Array) -> Array:
        """Return the values of rows of sums."""
        return self.rule_of(self.measure).combine(self.measure, rows)

    def means(self) -> Array:
        """Return the value of each system on its items; NaN without items."""
        return np.array([self.value(s, there) for s, there in enumerate(self.there)])

    def value(self, system: int, items: NDArray[np.bool_]) -> float:
        """Return the value of a system on some items, summed one after another like sacrebleu."""
        if not items.any():
            return float("nan")
        sums = np.cumsum(self.cells[system][items], axis=0)[-1:]
        return float(self.combined(sums)[0])

    def linearised(self) -> Array:
        """Return values with the mean of the set and, by the jackknife, its standard error.

        θ + (n − 1)(θ̄ − θᵢ), where θᵢ is the value without item i and θ̄ is their mean.
        """
        made = np.full(self.there.shape, np.nan)
        for s, there in enumerate(self.there):
            rows = self.cells[s][there]
            n = len(rows)
            if n == 0:
                continue
            whole = self.value(s, there)
            if n == 1:
                made[s, there] = whole
                continue
            without = self.combined(rows.sum(axis=0) - rows)
            made[s, there] = whole + (n - 1) * (without.mean() - without)
        return made

    @property
    def _whole(self) -> bool:
        """Whether sums are whole numbers; those of averaged replicates need not be."""
        known = self.cells[~np.isnan(self.cells)]
        return self.rule_of(self.measure).whole and bool((known == np.rint(known)).all())

    def resampled_sums(
        self, draws: int, seed: int, threads: int = 0, means: Means = bootstrap_means
    ) -> Array:
        """Return the sums over resampled items, systems × draws × statistics.

        `means` resamples rows as `bootstrap_means` does, in this process or on an engine.
        """
        s, i, k = self.cells.shape
        rows = np.nan_to_num(self.cells).transpose(0, 2, 1).reshape(s * k, i)
        sums = means(rows, draws, seed, threads) * i
        sums = np.rint(sums) if self._whole else sums
        return np.asarray(sums.reshape(s, k, draws).transpose(0, 2, 1))

    def resampled(
        self, draws: int, seed: int, threads: int = 0, means: Means = bootstrap_means
    ) -> Array:
        """Return the values over resampled items, systems × draws."""
        sums = self.resampled_sums(draws, seed, threads, means)
        values = self.combined(sums.reshape(-1, sums.shape[2])).reshape(sums.shape[:2])
        return np.where(self.counts()[:, None] > 0, values, np.nan)
