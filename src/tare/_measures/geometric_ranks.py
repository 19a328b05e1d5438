"""Geometric mean ranks and chance: values of a set of queries, not of single queries.

    GMR = Π r_i^{1/m},  E = Π E[r_i^{1/m}],  Net(GMR) = (GMR − E)/(1 − E)

over m queries, each with one relevant item among n_i candidates. The exponent depends on the number of
queries, so E is not a mean over queries and Net(GMR) is not a ratio of means. With tied ranks, GMR is its
mean over them, Π mean(r_i^{1/m}). A random ranking ties all ranks, so E is the same function.
Net(GMR) is the adjusted geometric mean rank index of Hoyt et al. (2022).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tare._measures.aggregation import PARTS, Ratio
from tare._measures.measure import Measure

__all__ = [
    "ERROR",
    "JUDGED",
    "STATISTICS",
    "Columns",
    "GeometricMean",
    "GeometricNet",
    "GeometricRanks",
    "GeometricTare",
    "parts_of",
    "ratios_of",
    "root_means",
]

ERROR, STATISTICS, JUDGED = "error", "statistics", "judged"  # names of columns, beside PARTS

Columns: TypeAlias = Mapping[Measure, Mapping[str, NDArray[np.float64]]]
"""Named arrays of a measure, systems × items or systems × items × numbers, next to its values."""

Array = NDArray[np.float64]
COUNTED = 1 << 16  # larger sums use the Euler–Maclaurin formula
FEW = 64  # fewer tied ranks are summed one by one


def root_means(low: Array, high: Array, m: int) -> Array:
    """Return m·ln of the mean of r^{1/m} over the tied ranks from `low` to `high`, for each pair.

    The sum is over r^{1/m} − 1, which is accurate for large m.
    """
    p = 1 / m
    made = np.log(low)
    tied = np.flatnonzero(low < high)
    if len(tied):
        low, high = low[tied], high[tied]
        sums = _root_sums(high, p) - _root_sums(low - 1, p)
        for k in np.flatnonzero(high - low < FEW):  # the difference of two sums would lose digits
            sums[k] = math.fsum(np.expm1(p * np.log(np.arange(low[k], high[k] + 1))))
        made[tied] = m * np.log1p(sums / (high - low + 1))
    return made


def _root_sums(sizes: Array, p: float) -> Array:
    """Return Σ_{j≤n} (j^p − 1) for each n."""
    most = int(min(sizes.max(initial=1), COUNTED))
    counted = np.concatenate([[0.0], np.cumsum(np.expm1(p * np.log(np.arange(1, most + 1))))])
    near = counted[np.minimum(sizes, most).astype(np.int64)]

    def antiderivative(x: Array) -> Array:
        """Integrate x^p − 1 for a sum of roots of ranks, with the Euler–Maclaurin terms at one end of the sum."""
        above = np.expm1(p * np.log(x))
        slope = p * (1 + above) / x
        ends = above / 2 + slope / 12 - slope * (p - 1) * (p - 2) / x**2 / 720
        return np.asarray(x * (above - p) / (1 + p) + ends)

    beyond = antiderivative(np.maximum(sizes, most)) - antiderivative(np.full(1, float(most)))
    return near + np.where(sizes > most, beyond, 0.0)


@dataclass(frozen=True)
class _Set:
    """The queries of one system, with the terms of each in ln GMR (geometric mean rank) and ln E (times m)."""

    there: NDArray[np.bool_]
    ranks: Array
    chance: Array

    @property
    def rank(self) -> float:
        return math.exp(math.fsum(self.ranks) / len(self.ranks))

    @property
    def expected(self) -> float:
        return math.exp(math.fsum(self.chance) / len(self.chance))


class GeometricRanks(Ratio):
    """The parts of geometric mean ranks: best and worst rank of each item (`gross`, `tare`) and its candidates (`ideal`)."""

    def values(self) -> Array:
        """Return NaN: a single query has no value."""
        return np.full(self.gross.shape, np.nan)

    def _set(self, s: int) -> _Set | None:
        there = ~np.isnan(self.gross[s])
        m = int(there.sum())
        if m == 0:
            return None
        low, high, candidates = (part[s][there] for part in self.parts)
        return _Set(there, root_means(low, high, m), root_means(np.ones(m), candidates, m))

    def means(self) -> Array:
        """Return the value of each system."""
        made = np.full(len(self.gross), np.nan)
        for s in range(len(made)):
            found = self._set(s)
            if found is not None:
                made[s] = self.value(found)
        return made

    def linearised(self) -> Array:
        """Return values per query with GMR, E or Net(GMR) as mean and, to first order, its standard error."""
        made = np.full(self.gross.shape, np.nan)
        for s in range(len(made)):
            found = self._set(s)
            if found is not None:
                by_rank, by_chance = self.slopes(found)
                moved = by_rank * found.rank * (found.ranks - math.log(found.rank))
                moved += by_chance * found.expected * (found.chance - math.log(found.expected))
                made[s, found.there] = self.value(found) + moved
        return made

    def contributions(self) -> Array:
        """Return the linearised values per query, whose mean is GMR, E or Net(GMR) of the set."""
        return self.linearised()

    def value(self, found: _Set) -> float:
        """Return the value of a set."""
        raise NotImplementedError

    def slopes(self, found: _Set) -> tuple[float, float]:
        """Return the derivatives of GMR, E or Net(GMR) with respect to GMR and E."""
        raise NotImplementedError


class GeometricMean(GeometricRanks):
    """GMR itself, with possibly tied ranks."""

    needed: ClassVar[bool] = False  # the ranks of a run are not tied

    def value(self, found: _Set) -> float:
        """Return Π mean(r^{1/m})."""
        return found.rank

    def slopes(self, found: _Set) -> tuple[float, float]:
        """Return 1 and 0: GMR does not depend on chance."""
        return 1.0, 0.0


class GeometricTare(GeometricRanks):
    """E(GMR)."""

    def value(self, found: _Set) -> float:
        """Return Π E[r^{1/m}]."""
        return found.expected

    def slopes(self, found: _Set) -> tuple[float, float]:
        """Return 0 and 1: E(GMR) does not depend on the ranks."""
        return 0.0, 1.0


class GeometricNet(GeometricRanks):
    """Net(GMR)."""

    def value(self, found: _Set) -> float:
        """Return Net(GMR) = (GMR − E)/(1 − E); NaN if every query has one candidate."""
        room = 1 - found.expected
        return (found.rank - found.expected) / room + 0.0 if room else math.nan  # never −0

    def slopes(self, found: _Set) -> tuple[float, float]:
        """Return the derivatives of Net(GMR): 1/(1 − E) and (GMR − 1)/(1 − E)²."""
        room = 1 - found.expected
        return (1 / room, (found.rank - 1) / room**2) if room else (math.nan, math.nan)


def parts_of(measure: Measure) -> type[Ratio] | None:
    """Return the class for the mean of a column: geometric mean ranks or a ratio of means; None for a plain mean.

    >>> from tare._measures.names import parse
    >>> parts_of(parse("Net(RR)")).__name__, parts_of(parse("RR"))
    ('Ratio', None)
    """
    if not measure.registered:
        return None
    if measure.innermost.name == "GMR":
        kinds = {"GMR": GeometricMean, "E": GeometricTare, "Net": GeometricNet}
        several = measure.inner is not None and measure.inner.inner is not None
        return None if several else kinds.get(measure.name)
    return Ratio if measure.aggregate == "ratio" else None


def ratios_of(columns: Columns, measures: Iterable[Measure]) -> dict[Measure, Ratio]:
    """Return the measures that are ratios of means, made of their columns gross, tare and ideal."""
    return {
        measure: (parts_of(measure) or Ratio)(*(columns[measure][name] for name in PARTS))
        for measure in measures
        if columns.get(measure, {}).keys() >= set(PARTS)
    }
