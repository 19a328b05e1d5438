"""Geometric mean ranks and chance: values of a set of queries, not of its members.

    GMR = Π r_i^{1/m},  E = Π E[r_i^{1/m}],  Net(GMR) = (GMR − E)/(1 − E)

over m queries, each with one relevant item among n_i candidates. The exponent depends on the size of the
set, so E is no mean of values of single queries and Net(GMR) no ratio of means. Where places are tied,
GMR is its mean over them, Π mean(r_i^{1/m}); a random ranking ties all places, so E is the same function.
Net(GMR) is the adjusted geometric mean rank index of Hoyt et al. (2022).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tare._measures.measure import Measure
from tare._measures.ratio import Ratio

__all__ = ["GeometricMean", "GeometricNet", "GeometricRanks", "GeometricTare", "parts_of", "root_means"]  # fmt: skip

Array = NDArray[np.float64]
COUNTED = 1 << 16  # beyond it sums are taken by the Euler–Maclaurin formula
FEW = 64  # tied places that are summed one by one


def root_means(low: Array, high: Array, m: int) -> Array:
    """m·ln of the mean of r^{1/m} over the places from `low` to `high`, for each pair.

    Summed as r^{1/m} − 1, which keeps its digits where m is large.
    """
    p = 1 / m
    made = np.log(low)
    tied = np.flatnonzero(low < high)
    if len(tied):
        low, high = low[tied], high[tied]
        sums = _root_sums(high, p) - _root_sums(low - 1, p)
        for k in np.flatnonzero(high - low < FEW):  # where the difference would lose digits
            sums[k] = math.fsum(np.expm1(p * np.log(np.arange(low[k], high[k] + 1))))
        made[tied] = m * np.log1p(sums / (high - low + 1))
    return made


def _root_sums(sizes: Array, p: float) -> Array:
    """Σ_{j≤n} (j^p − 1) for each n."""
    most = int(min(sizes.max(initial=1), COUNTED))
    counted = np.concatenate([[0.0], np.cumsum(np.expm1(p * np.log(np.arange(1, most + 1))))])
    near = counted[np.minimum(sizes, most).astype(np.int64)]

    def antiderivative(x: Array) -> Array:
        """Of x^p − 1, with the Euler–Maclaurin terms at an end of the sum."""
        above = np.expm1(p * np.log(x))
        slope = p * (1 + above) / x
        ends = above / 2 + slope / 12 - slope * (p - 1) * (p - 2) / x**2 / 720
        return np.asarray(x * (above - p) / (1 + p) + ends)

    beyond = antiderivative(np.maximum(sizes, most)) - antiderivative(np.full(1, float(most)))
    return near + np.where(sizes > most, beyond, 0.0)


@dataclass(frozen=True)
class _Set:
    """One system's queries: GMR, E, and what each query adds to their logarithms (times m)."""

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
    """The best and the worst place of each item (`gross`, `tare`) and its candidates (`ideal`)."""

    def values(self) -> Array:
        """A single query has none."""
        return np.full(self.gross.shape, np.nan)

    def _set(self, s: int) -> _Set | None:
        there = ~np.isnan(self.gross[s])
        m = int(there.sum())
        if m == 0:
            return None
        low, high, candidates = (part[s][there] for part in self.parts)
        return _Set(there, root_means(low, high, m), root_means(np.ones(m), candidates, m))

    def means(self) -> Array:
        """The value of each system."""
        made = np.full(len(self.gross), np.nan)
        for s in range(len(made)):
            found = self._set(s)
            if found is not None:
                made[s] = self.value(found)
        return made

    def linearised(self) -> Array:
        """Values with that of the set as mean and, to first order, its standard error as theirs."""
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
        """The linearised values: no others have the value of the set as their mean."""
        return self.linearised()

    def value(self, found: _Set) -> float:
        """The value of a set."""
        raise NotImplementedError

    def slopes(self, found: _Set) -> tuple[float, float]:
        """How the value changes with GMR, and with E."""
        raise NotImplementedError


class GeometricMean(GeometricRanks):
    """GMR itself, where places may be tied."""

    needed: ClassVar[bool] = False  # the ranks of a run have no tied places

    def value(self, found: _Set) -> float:
        """Π mean(r^{1/m})."""
        return found.rank

    def slopes(self, found: _Set) -> tuple[float, float]:
        """It does not depend on chance."""
        return 1.0, 0.0


class GeometricTare(GeometricRanks):
    """E(GMR)."""

    def value(self, found: _Set) -> float:
        """Π E[r^{1/m}]."""
        return found.expected

    def slopes(self, found: _Set) -> tuple[float, float]:
        """It does not depend on the ranks."""
        return 0.0, 1.0


class GeometricNet(GeometricRanks):
    """Net(GMR)."""

    def value(self, found: _Set) -> float:
        """(GMR − E)/(1 − E); NaN where every query has one candidate."""
        room = 1 - found.expected
        return (found.rank - found.expected) / room + 0.0 if room else math.nan  # never −0

    def slopes(self, found: _Set) -> tuple[float, float]:
        """1/(1 − E) and (GMR − 1)/(1 − E)²."""
        room = 1 - found.expected
        return (1 / room, (found.rank - 1) / room**2) if room else (math.nan, math.nan)


def parts_of(measure: Measure) -> type[Ratio] | None:
    """Return the class that holds the parts of a measure whose mean has several; else None.

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
