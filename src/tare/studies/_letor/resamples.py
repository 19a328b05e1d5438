"""Bootstrap resamples of the queries, behind the verdicts on claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tare._kernels import bootstrap_means
from tare._kernels.statistics import correlations
from tare._measures.scores import Scores
from tare.stats._paired_differences import rounded
from tare.studies._letor.measures import StudiedMeasure

__all__ = ["CONFIDENCE", "Resampled", "Resamples"]

CONFIDENCE = 0.95
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Resampled:
    """A statistic of the observed queries and of each resample."""

    observed: float
    drawn: Floats

    @classmethod
    def of(cls, values: Floats) -> Self:
        """Make one from an array whose first element is the observed value."""
        return cls(float(values[0]), values[1:])

    def __sub__(self, other: Resampled) -> Resampled:
        return Resampled(self.observed - other.observed, self.drawn - other.drawn)

    def interval(self) -> tuple[float, float]:
        """Return the union of the bias-corrected and the percentile interval.

        Counts of significant pairs and of swaps vary strongly between resamples. Each interval alone
        is then too narrow, at opposite ends. Return (NaN, NaN) if the statistic is undefined.
        """
        from tare.stats._intervals import bias_corrected

        if np.isnan(self.observed) or np.isnan(self.drawn).all():
            return float("nan"), float("nan")
        low, high = bias_corrected(self.observed, self.drawn, CONFIDENCE)
        tails = [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]
        first, last = np.nanquantile(self.drawn, tails).tolist()
        return min(low, first), max(high, last)


class ResampledTau(Resampled):
    """τ of the observed queries and of each resample."""

    def interval(self) -> tuple[float, float]:
        """Return the interval of the expected τ for query sets of this size; NaN if τ does not vary."""
        from tare.stats._intervals import correlation_interval

        low, high = correlation_interval(self.observed, self.drawn, CONFIDENCE)
        return (float("nan"), float("nan")) if low is None or high is None else (low, high)


@dataclass
class Resamples:
    """Statistics by (measure, set of queries), and swap rates by (measure, pair of sets).

    All measures use the same resampled queries, so differences between measures are paired.
    Significance is that of a paired t-test, which the studentised bootstrap test approximates.
    """

    draws: int
    seed: int
    alpha: float = 0.05
    significant: dict[tuple[str, str], Resampled] = field(default_factory=dict)
    conflicts: dict[tuple[str, str], Resampled] = field(default_factory=dict)
    distances: dict[tuple[str, str], Resampled] = field(default_factory=dict)
    taus: dict[tuple[str, str], ResampledTau] = field(default_factory=dict)
    swaps: dict[tuple[str, str], Resampled] = field(default_factory=dict)

    def add_set(
        self, name: str, scores: Scores, measures: Sequence[StudiedMeasure], cutoffs: Sequence[int]
    ) -> None:
        """Resample the queries of one set."""
        means: dict[str, Floats] = {}
        apart: dict[str, NDArray[np.bool_]] = {}
        for measure in measures:
            columns = [scores.matrix(measure.at(k)) for k in cutoffs]
            means[measure.label] = rounded(self._means(np.mean(columns, axis=0)))
            apart[measure.label] = np.concatenate([self._significant(c) for c in columns])
        for measure in measures:
            key = (measure.label, name)
            self.significant[key] = Resampled.of(
                apart[measure.label].sum(axis=0).astype(np.float64)
            )
            self.distances[key] = Resampled.of(_distances(means[measure.label]))
            if measure.original is None:
                continue
            conflict = apart[measure.label] != apart[measure.original]
            self.conflicts[key] = Resampled.of(conflict.sum(axis=0).astype(np.float64))
            both = [np.ascontiguousarray(means[m].T) for m in (measure.original, measure.label)]
            self.taus[key] = ResampledTau.of(correlations(both[0], both[1], "tau_b"))

    def add_swaps(
        self, between: str, one: Scores, other: Scores, measures: Sequence[StudiedMeasure]
    ) -> None:
        """Resample both sets independently; the tables hold means over cutoffs."""
        systems = [s for s in one.systems if s in other.systems]
        one, other = one.select(systems=systems), other.select(systems=systems)
        for measure in measures:
            x = rounded(self._means(one.matrix(measure.name)))
            y = rounded(self._means(other.matrix(measure.name), shift=1))
            a, b = np.triu_indices(len(systems), 1)
            turned = np.sign(x[a] - x[b]) * np.sign(y[a] - y[b]) < 0
            self.swaps[measure.label, between] = Resampled.of(turned.mean(axis=0))

    def _means(self, rows: Floats, shift: int = 0) -> Floats:
        """Return rows × (1 + draws): the observed mean of each row, then the resampled means."""
        rows = np.ascontiguousarray(rows)
        drawn = bootstrap_means(rows, self.draws, self.seed + shift)
        return np.concatenate([rows.mean(axis=1)[:, None], drawn], axis=1)

    def _significant(self, values: Floats) -> NDArray[np.bool_]:
        """Return pairs × (1 + draws): whether a paired t-test finds a difference."""
        from scipy.special import stdtrit

        a, b = np.triu_indices(len(values), 1)
        gaps, n = values[a] - values[b], values.shape[1]
        mean, square = self._means(gaps), self._means(gaps**2)
        variance = np.maximum(square - mean**2, 0.0) * n / (n - 1)
        critical = float(stdtrit(n - 1, 1 - self.alpha / 2))
        return np.asarray(np.abs(mean) * np.sqrt(n) > critical * np.sqrt(variance) + 1e-12)


def _distances(means: Floats) -> Floats:
    """Return the PAD of each column of system means; pairs of two zeros are skipped."""
    a, b = np.triu_indices(len(means), 1)
    below = np.maximum(np.abs(means[a]), np.abs(means[b]))
    gaps = 100 * np.abs(means[a] - means[b])
    shares = np.divide(gaps, below, out=np.full(gaps.shape, np.nan), where=below > 0)
    counts = (~np.isnan(shares)).sum(axis=0)
    total = np.nansum(shares, axis=0)
    made: Floats = np.divide(total, counts, out=np.full(len(total), np.nan), where=counts > 0)
    return made
