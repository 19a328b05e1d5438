"""Resampled queries: how far the numbers behind a claim would vary on other queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tare._kernels import bootstrap_means
from tare._kernels.statistics import correlations
from tare._measures.scores import Scores
from tare.stats._pairs import rounded
from tare.studies._letor.measures import Family

__all__ = ["CONFIDENCE", "Draws", "Resamples"]

CONFIDENCE = 0.95
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Draws:
    """A statistic on the queries as they are, and on each resample of them."""

    observed: float
    drawn: Floats

    @classmethod
    def of(cls, values: Floats) -> Draws:
        """From an array whose first element is the observed one."""
        return cls(float(values[0]), values[1:])

    def __sub__(self, other: Draws) -> Draws:
        return Draws(self.observed - other.observed, self.drawn - other.drawn)

    def interval(self) -> tuple[float, float]:
        """From the lower to the higher end of the bias-corrected and the percentile interval.

        Resampling moves counts of significant pairs and swaps far, and each interval alone is then too
        sure of itself, on opposite sides. (NaN, NaN) where the statistic is undefined.
        """
        from tare.stats._intervals import bias_corrected

        if np.isnan(self.observed) or np.isnan(self.drawn).all():
            return float("nan"), float("nan")
        low, high = bias_corrected(self.observed, self.drawn, CONFIDENCE)
        tails = [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]
        first, last = np.nanquantile(self.drawn, tails).tolist()
        return min(low, first), max(high, last)


@dataclass
class Resamples:
    """Statistics by (measure, set of queries), and swap rates by (measure, couple of sets).

    All measures are resampled by the same queries, so that differences between them are paired.
    Significance is that of a paired t test, which is what the studentised bootstrap approaches.
    """

    draws: int
    seed: int
    alpha: float = 0.05
    significant: dict[tuple[str, str], Draws] = field(default_factory=dict)
    conflicts: dict[tuple[str, str], Draws] = field(default_factory=dict)
    distances: dict[tuple[str, str], Draws] = field(default_factory=dict)
    taus: dict[tuple[str, str], Draws] = field(default_factory=dict)
    swaps: dict[tuple[str, str], Draws] = field(default_factory=dict)

    def add_set(
        self, name: str, scores: Scores, families: Sequence[Family], cutoffs: Sequence[int]
    ) -> None:
        """Resamples the queries of one set."""
        means: dict[str, Floats] = {}
        apart: dict[str, NDArray[np.bool_]] = {}
        for family in families:
            columns = [scores.matrix(family.at(k)) for k in cutoffs]
            means[family.label] = rounded(self._means(np.mean(columns, axis=0)))
            apart[family.label] = np.concatenate([self._significant(c) for c in columns])
        for family in families:
            key = (family.label, name)
            self.significant[key] = Draws.of(apart[family.label].sum(axis=0).astype(np.float64))
            self.distances[key] = Draws.of(_distances(means[family.label]))
            if family.original is None:
                continue
            conflict = apart[family.label] != apart[family.original]
            self.conflicts[key] = Draws.of(conflict.sum(axis=0).astype(np.float64))
            both = [np.ascontiguousarray(means[m].T) for m in (family.original, family.label)]
            self.taus[key] = Draws.of(correlations(both[0], both[1], "tau_b"))

    def add_swaps(
        self, between: str, one: Scores, other: Scores, families: Sequence[Family]
    ) -> None:
        """Resamples both sets, independently of each other; tables of means over cutoffs."""
        systems = [s for s in one.systems if s in other.systems]
        one, other = one.select(systems=systems), other.select(systems=systems)
        for family in families:
            x = rounded(self._means(one.matrix(family.name)))
            y = rounded(self._means(other.matrix(family.name), shift=1))
            a, b = np.triu_indices(len(systems), 1)
            turned = np.sign(x[a] - x[b]) * np.sign(y[a] - y[b]) < 0
            self.swaps[family.label, between] = Draws.of(turned.mean(axis=0))

    def _means(self, rows: Floats, shift: int = 0) -> Floats:
        """Rows × (1 + draws): the mean of each row, then the resampled ones."""
        rows = np.ascontiguousarray(rows)
        drawn = bootstrap_means(rows, self.draws, self.seed + shift)
        return np.concatenate([rows.mean(axis=1)[:, None], drawn], axis=1)

    def _significant(self, values: Floats) -> NDArray[np.bool_]:
        """Pairs × (1 + draws): whether a paired t test finds a difference."""
        from scipy.special import stdtrit

        a, b = np.triu_indices(len(values), 1)
        gaps, n = values[a] - values[b], values.shape[1]
        mean, square = self._means(gaps), self._means(gaps**2)
        variance = np.maximum(square - mean**2, 0.0) * n / (n - 1)
        critical = float(stdtrit(n - 1, 1 - self.alpha / 2))
        return np.asarray(np.abs(mean) * np.sqrt(n) > critical * np.sqrt(variance) + 1e-12)


def _distances(means: Floats) -> Floats:
    """PAD of each column of systems' means; pairs of two zeros are left out."""
    a, b = np.triu_indices(len(means), 1)
    below = np.maximum(np.abs(means[a]), np.abs(means[b]))
    gaps = 100 * np.abs(means[a] - means[b])
    shares = np.divide(gaps, below, out=np.full(gaps.shape, np.nan), where=below > 0)
    counts = (~np.isnan(shares)).sum(axis=0)
    total = np.nansum(shares, axis=0)
    made: Floats = np.divide(total, counts, out=np.full(len(total), np.nan), where=counts > 0)
    return made
