"""Geometric mean ranks net of chance: values of a set of queries, not of its members.

    GMR = Π r_i^{1/m},  E = Π E[r_i^{1/m}],  Net(GMR) = (GMR − E)/(1 − E)

over m queries, each with one relevant item among n_i candidates. The exponent depends on the size of the
set, so E is no mean of values of single queries and Net(GMR) no ratio of means. It is the adjusted
geometric mean rank index of Hoyt et al. (2022).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tare.errors import MeasureError, OptionError
from tare.measures.names import parse
from tare.measures.ratio import Ratio

__all__ = ["GeometricNet", "GeometricTare", "log_root_means", "parts_of"]

Array = NDArray[np.float64]
COUNTED = 1 << 16  # beyond it sums are taken by the Euler–Maclaurin formula


def log_root_means(candidates: Array, m: int) -> Array:
    """ln E[r^{1/m}] for a rank r that is uniform on 1…n, for each n.

    Summed as r^{1/m} − 1, which keeps its digits where m is large.
    """
    p = 1 / m
    sizes, back = np.unique(candidates, return_inverse=True)
    most = int(min(sizes.max(initial=1), COUNTED))
    sums = np.cumsum(np.expm1(p * np.log(np.arange(1, most + 1))))
    near = sums[np.minimum(sizes, most).astype(np.int64) - 1]

    def integral(x: Array) -> Array:
        return np.asarray(x * (np.expm1(p * np.log(x)) - p) / (1 + p))

    def corrections(x: Array) -> Array:
        power = np.exp(p * np.log(x))
        slope = p * power / x
        return np.asarray((power - 1) / 2 + slope / 12 - slope * (p - 1) * (p - 2) / x**2 / 720)

    far = np.maximum(sizes, most)
    end = np.full(1, float(most))
    beyond = (integral(far) - integral(end)) + (corrections(far) - corrections(end))
    return np.asarray(np.log1p((near + np.where(sizes > most, beyond, 0.0)) / sizes)[back])


class GeometricNet(Ratio):
    """Net(GMR) of sets of ranks: `gain` holds the ranks, `room` the numbers of candidates."""

    def values(self) -> Array:
        """A single query has none."""
        return np.full(self.gain.shape, np.nan)

    def _set(self, s: int) -> tuple[float, float, Array, Array]:
        """Of one system: GMR, E, and what each query adds to their logarithms."""
        there = ~np.isnan(self.gain[s])
        m = int(there.sum())
        if m == 0:
            return math.nan, math.nan, np.zeros(0), np.zeros(0)
        ranks = np.log(self.gain[s][there])
        chance = m * log_root_means(self.room[s][there], m)
        return math.exp(math.fsum(ranks) / m), math.exp(math.fsum(chance) / m), ranks, chance

    def means(self) -> Array:
        """(GMR − E)/(1 − E) of each system; NaN where every query has one candidate."""
        made = np.full(len(self.gain), np.nan)
        for s in range(len(self.gain)):
            rank, expected, _, _ = self._set(s)
            if expected > 1:
                made[s] = (rank - expected) / (1 - expected)
        return made

    def contributions(self) -> Array:
        """Refused: no values of single queries have this as their mean."""
        raise OptionError(
            "Net(GMR) and E(GMR) are values of a set of queries, not means over them, so no test over "
            "queries applies. Compare systems by GMR or by Net(MeanRank)."
        )

    def linearised(self) -> Array:
        """Values with Net(GMR) as mean and, to first order, its standard error as theirs."""
        made = np.full(self.gain.shape, np.nan)
        for s, net in enumerate(self.means()):
            rank, expected, ranks, chance = self._set(s)
            if math.isnan(net):
                continue
            moved = rank * (ranks - math.log(rank)) * (1 - expected)
            moved += (rank - 1) * expected * (chance - math.log(expected))
            made[s, ~np.isnan(self.gain[s])] = net + moved / (1 - expected) ** 2
        return made


class GeometricTare(GeometricNet):
    """E(GMR) of the same sets."""

    def means(self) -> Array:
        """Π E[r_i^{1/m}] of each system."""
        return np.array([self._set(s)[1] for s in range(len(self.gain))])

    def linearised(self) -> Array:
        """Values with E(GMR) as mean and, to first order, its standard error as theirs."""
        made = np.full(self.gain.shape, np.nan)
        for s in range(len(self.gain)):
            _, expected, _, chance = self._set(s)
            there = ~np.isnan(self.gain[s])
            made[s, there] = expected * (1 + chance - math.log(expected)) if there.any() else np.nan
        return made


def parts_of(measure: str) -> type[Ratio] | None:
    """What keeps the parts of a column whose mean is made of two; None for any other column.

    >>> parts_of("Net(RR)").__name__, parts_of("RR")
    ('Ratio', None)
    """
    try:
        made = parse(measure)
    except MeasureError:
        return None
    if made.inner is not None and made.inner.name == "GMR":
        return {"Net": GeometricNet, "E": GeometricTare}.get(made.name)
    return Ratio if made.aggregate == "ratio" else None
