"""Aggregation over items: means, sums and geometric means without rounding on the way, ratios of means, and measures made of summed statistics, such as BLEU."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._kernels import bootstrap_means
from tare._measures.definition import Better
from tare._measures.measure import Measure
from tare._measures.names import column_measure

__all__ = [
    "FLOOR",
    "PARTS",
    "Ratio",
    "SummedRule",
    "SummedStatistics",
    "aggregate",
    "averaging",
    "best_first",
    "better_end",
    "exact_mean",
    "exact_sum",
    "number_of",
    "quantile",
    "room_of",
    "without_room",
]


# Sums and means without rounding on the way, also of numbers near the largest ones.


SHRUNK = 2.0**-64  # a power of two: no digit of a large number is lost


def exact_sum(values: NDArray[np.float64] | Sequence[float]) -> float:
    """Return the sum of the values of items, rounded once; infinite if it is beyond the largest number.

    >>> exact_sum([1e308, 1e308, -1e308]), exact_sum([1e308, 1e308])
    (1e+308, inf)
    """
    try:
        return math.fsum(values)
    except OverflowError:  # in a partial sum
        return _shrunk_sum(values) / SHRUNK


def exact_mean(values: NDArray[np.float64] | Sequence[float]) -> float:
    """Return the mean of the values of items without rounding on the way; it is finite for finite values.

    >>> exact_mean([1e308, 1.5e308])
    1.25e+308
    """
    try:
        return math.fsum(values) / len(values)
    except OverflowError:
        return _shrunk_sum(values) / len(values) / SHRUNK


def _shrunk_sum(values: NDArray[np.float64] | Sequence[float]) -> float:
    return math.fsum(float(value) * SHRUNK for value in values)


# Aggregation over items: the mean, the sum or the geometric mean.


FLOOR = 1e-5  # replaces 0 in a geometric mean, as in trec_eval


def averaging(measure: str | Measure) -> str:
    """Return how a measure is averaged over items; without its parts, a ratio of means is averaged by items.

    So is a measure made of summed statistics.
    """
    how = column_measure(measure).aggregate
    return "mean" if how in ("ratio", "statistics") else how


def better_end(measure: str | Measure) -> Better:
    """Return whether higher or lower values of a measure in a score table are better, or neither."""
    return column_measure(measure).better


def best_first(means: Mapping[str, float], measure: str | Measure) -> list[str]:
    """Return the systems by their means of a measure, best first, by name where means are equal; those without a mean last."""
    sign = 1 if better_end(measure) == "lower" else -1

    def place(system: str) -> tuple[bool, float, str]:
        mean = means[system]
        return math.isnan(mean), 0.0 if math.isnan(mean) else sign * round(mean, 12), system

    return sorted(means, key=place)


def number_of(counts: NDArray[np.int64]) -> str:
    """Return the number of items that means are over, as text; a range if systems differ."""
    if len(counts) == 0:
        return "0"
    low, high = int(counts.min()), int(counts.max())
    return str(high) if low == high else f"{low}–{high}"


def aggregate(values: NDArray[np.float64], how: str) -> float:
    """Combine the values of items by mean, sum or geometric mean; sums are exact, so the order does not matter."""
    present = values[~np.isnan(values)]
    if how == "sum":
        return exact_sum(present)
    if len(present) == 0:
        return math.nan
    if how == "geometric":
        return math.exp(math.fsum(np.log(np.maximum(present, FLOOR))) / len(present))
    return exact_mean(present)


def quantile(rows: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Return the quantile of each row of values, by linear interpolation (np.quantile is slow to import)."""
    place = share * (rows.shape[1] - 1)
    below = int(place)
    ordered = np.sort(rows, axis=1)
    low, high = ordered[:, below], ordered[:, min(below + 1, rows.shape[1] - 1)]
    return np.asarray(low + (place - below) * (high - low))


# Ratios of means: measures whose value for a set is one mean divided by another.
#
# Net is an example: (mean A − mean E)/(mean U − mean E). Each item has a gain A − E and a room U − E; an
# item without room still contributes its gain.


Array = NDArray[np.float64]
ROUNDING = 1e-12  # smaller differences count as 0
NO_ROOM = (
    "on every item chance scores as high as the ideal. All documents of the pool are equally good, or the "
    "cutoff covers the whole pool"
)


def room_of(tare: Array, ideal: Array) -> Array:
    """Return the room of a ratio of means, ideal − tare; 0 if the two differ only by rounding."""
    gap = ideal - tare
    return np.where(np.abs(gap) <= ROUNDING * np.maximum(1.0, np.abs(ideal)), 0.0, gap)


PARTS = ("gross", "tare", "ideal")


@dataclass(frozen=True, eq=False)
class Ratio:
    """The parts of a ratio of means: gross score, tare and ideal, each systems × items; NaN if a system lacks an item."""

    needed: ClassVar[bool] = True  # whether a column is incomplete without these parts

    gross: Array
    tare: Array
    ideal: Array

    @property
    def parts(self) -> tuple[Array, Array, Array]:
        """The three arrays."""
        return self.gross, self.tare, self.ideal

    @cached_property
    def gain(self) -> Array:
        """Gross − tare."""
        return self.gross - self.tare

    @cached_property
    def room(self) -> Array:
        """The room of each item in a ratio of means, ideal − tare; 0 if the two differ only by rounding."""
        return room_of(self.tare, self.ideal)

    def values(self) -> Array:
        """Return the ratio of gain and room on each item; NaN if the item has no room."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.room == 0, np.nan, self.gain / self.room)

    def counts(self) -> NDArray[np.int64]:
        """Return the number of items in the ratio of means of each system."""
        counted: NDArray[np.int64] = (~np.isnan(self.gain)).sum(axis=1)
        return counted

    def means(self) -> Array:
        """Return the ratio of means of each system, Σ gain / Σ room; NaN if no item has room."""
        made = np.full(len(self.gain), np.nan)
        for s, (gain, room) in enumerate(zip(self.gain, self.room, strict=True)):
            there = ~np.isnan(gain)
            total = math.fsum(room[there])
            if total != 0:
                made[s] = math.fsum(gain[there]) / total + 0.0  # never −0
        return made

    def mean_rooms(self) -> Array:
        """Return the mean room of each system in a ratio of means; NaN if it is 0."""
        sums = np.array([math.fsum(room[~np.isnan(room)]) for room in self.room])
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Array = sums / self.counts()
        return np.where(found == 0, np.nan, found)

    @property
    def shared(self) -> bool:
        """Whether all systems have the same rooms."""
        if len(self.room) == 0:
            return True
        gap = np.abs(self.room - self.room[0])
        return bool(np.nanmax(gap, initial=0.0) <= ROUNDING)

    def contributions(self) -> Array:
        """Return values per item whose mean is the ratio of means, for tests of differences."""
        return np.asarray(self.gain / self.mean_rooms()[:, None])

    def linearised(self) -> Array:
        """Return values per item with the mean and standard error of the ratio of means, for confidence intervals.

        Net + [(A − E) − Net·(U − E)]/(mean room).
        """
        net = self.means()[:, None]
        return np.asarray(net + (self.gain - net * self.room) / self.mean_rooms()[:, None])


def without_room(ratios: Mapping[Measure, Ratio], why: str = NO_ROOM) -> list[Finding]:
    """Report ratios of means that are undefined, because no item has room between chance and the ideal."""
    none = [str(name) for name, ratio in ratios.items() if np.nansum(np.abs(ratio.room)) == 0]
    if not none:
        return []
    text = f"{', '.join(none)} {'is' if len(none) == 1 else 'are'} undefined: {why}"
    return [Finding("no room above chance", text, len(none))]


# Measures made of summed statistics: the value of a set is a function of sums over its items.
#
# BLEU is an example: matches, n-grams and lengths are summed over all texts, and BLEU is computed from the
# sums. It is not a mean of values per text.


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
    """The summed statistics of a measure such as BLEU, systems × items × statistics; NaN if a system lacks an item."""

    measure: Measure
    cells: Array

    @staticmethod
    def rule_of(measure: Measure) -> SummedRule:
        """Return the rule by which a measure such as BLEU is made of summed statistics."""
        rule = measure.definition.summed
        assert rule is not None
        return rule

    def take(self, systems: NDArray[np.intp], items: NDArray[np.intp]) -> SummedStatistics:
        """Select some systems and items."""
        return type(self)(self.measure, self.cells[np.ix_(systems, items)])

    def with_cells(self, cells: Array) -> SummedStatistics:
        """Return other statistics of the same measure."""
        return type(self)(self.measure, cells)

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
        """Return the value of each system from its summed statistics; NaN without items."""
        return np.array([self.value(s, there) for s, there in enumerate(self.there)])

    def value(self, system: int, items: NDArray[np.bool_]) -> float:
        """Return the value of a system on some items, their statistics summed one after another like sacrebleu."""
        if not items.any():
            return float("nan")
        sums = np.cumsum(self.cells[system][items], axis=0)[-1:]
        return float(self.combined(sums)[0])

    def linearised(self) -> Array:
        """Return values per item with the value of summed statistics as mean and, by the jackknife, its standard error.

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
        """Whether summed statistics are whole numbers; those of averaged replicates need not be."""
        known = self.cells[~np.isnan(self.cells)]
        return self.rule_of(self.measure).whole and bool((known == np.rint(known)).all())

    def resampled_sums(
        self, draws: int, seed: int, threads: int = 0, means: Means = bootstrap_means
    ) -> Array:
        """Return the sums of the statistics over resampled items, systems × draws × statistics.

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
        """Return the values of summed statistics, such as BLEU, over resampled items, systems × draws."""
        sums = self.resampled_sums(draws, seed, threads, means)
        values = self.combined(sums.reshape(-1, sums.shape[2])).reshape(sums.shape[:2])
        return np.where(self.counts()[:, None] > 0, values, np.nan)
