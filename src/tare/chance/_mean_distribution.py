"""The mean of a random ranker over a set of queries.

Queries are independent under chance, so Σ(A − E) has mean 0 and variance ΣVar(A).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np

from tare._data.findings import Finding
from tare._data.judged import Judged
from tare._data.pools import Pool
from tare._measures.measure import Measure
from tare._measures.one_system import Sampling
from tare.chance._chances import Chances, chances_of, no_spread
from tare.chance._distribution import Distribution, convolved, distributions, tail
from tare.chance._pool_values import kernel_values
from tare.errors import MeasureError, MismatchError, OptionError

__all__ = [
    "MeanDistribution",
    "band_notes",
    "check_confidence",
    "mean_distribution",
    "measures_under_chance",
]

SKEWNESS_ORDERS = 200_000  # sampled in all if the third moment has no closed form
NORMAL = NormalDist()
Method = Literal["exact", "skewness-corrected normal", "normal"]


@dataclass(frozen=True)
class MeanDistribution:
    """The distribution of a random ranker's mean over a set of queries.

    how: "exact" (convolution of the distributions of the queries), "skewness-corrected normal", or
    "normal" if the third moment is not known.
    """

    measure: Measure
    queries: int
    expected: float
    deviation: float
    skewness: float
    how: Method
    distribution: Distribution | None

    def z(self, mean: float) -> float:
        """Return by how many standard deviations a mean beats chance; 0 if chance has no variance."""
        if self.deviation == 0:
            return 0.0
        gap = (mean - self.expected) / self.deviation
        return -gap if self.measure.better == "lower" else gap

    def p(self, mean: float) -> float:
        """Return the probability that a random ranker's mean is at least as good."""
        lower = self.measure.better == "lower"
        if self.distribution is not None:
            return tail(self.distribution, mean * self.queries, lower=lower)
        if self.deviation == 0:
            worse = mean > self.expected + 1e-12 if lower else mean < self.expected - 1e-12
            return 1.0 if worse or abs(mean - self.expected) <= 1e-12 else 0.0
        return corrected_tail(self.z(mean), -self.skewness if lower else self.skewness)

    def band(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return the interval that holds the share `confidence` of random rankers' means."""
        tails = ((1 - confidence) / 2, (1 + confidence) / 2)
        if self.distribution is not None:
            values, p = self.distribution
            reached = np.cumsum(p)
            last = len(values) - 1
            low, high = (values[min(int(np.searchsorted(reached, t - 1e-12)), last)] for t in tails)
            return float(low) / self.queries, float(high) / self.queries
        ends = [
            self.expected + self.deviation * corrected_quantile(t, self.skewness) for t in tails
        ]
        lowest, highest = self.measure.definition.bounds  # an approximation may exceed them
        low = ends[0] if lowest is None else max(ends[0], lowest)
        return low, ends[1] if highest is None else min(ends[1], highest)


def corrected_tail(z: float, skewness: float) -> float:
    """Return 1 − Φ(w), where w is the standard score z corrected for the third moment."""
    if abs(skewness) < 1e-9:
        return 0.5 * math.erfc(z / math.sqrt(2))
    if skewness < 0:
        return 1.0 - corrected_tail(-z, -skewness)
    inside = 1 + 2 * skewness * z / 3 + skewness**2 / 9
    if inside < 0:
        return 1.0
    w = 3 / skewness * (math.sqrt(inside) - 1)
    return 0.5 * math.erfc(w / math.sqrt(2))


def corrected_quantile(share: float, skewness: float) -> float:
    """Return the standard score with this share below it, the inverse of `corrected_tail`."""
    w = NORMAL.inv_cdf(share)
    if abs(skewness) < 1e-9:
        return w
    root = 1 + skewness * w / 3
    if root < 0:  # the end of the support
        root = 0.0
    return (root**2 - 1 - skewness**2 / 9) * 3 / (2 * skewness)


def measures_under_chance(
    judged: Judged, measures: Iterable[Measure], pool: Pool, sampling: Sampling
) -> tuple[tuple[Chances, MeanDistribution], ...]:
    """Return each measure under chance, by query and for the mean over all queries."""
    found = [
        chances_of(judged, measure, pool, sampling=sampling, with_variance=not pool.unlimited)
        for measure in measures
    ]
    return tuple((one, mean_distribution(judged, one, seed=sampling.seed)) for one in found)


def mean_distribution(judged: Judged, found: Chances, *, seed: int = 0) -> MeanDistribution:
    """Return the distribution of a random ranker's mean over the queries."""
    if found.pool.unlimited:
        raise no_spread(found.measure)
    if found.variance is None:
        raise MeasureError(f"{found.measure}: its variance under chance is not known.")
    known = ~np.isnan(found.expected)  # MeanRank has no value if nothing is relevant
    n = int(known.sum())
    if n == 0:
        raise MismatchError(f"{found.measure} is undefined: no query has a relevant document.")
    deviation = math.sqrt(math.fsum(found.variance[known])) / n
    expected = math.fsum(found.expected[known]) / n
    single = distributions(judged, found)
    if single is not None:
        single = [one for one, is_known in zip(single, known, strict=True) if is_known]
    whole = None if single is None else convolved(single)
    if whole is not None:
        return MeanDistribution(found.measure, n, expected, deviation, 0.0, "exact", whole)
    third = _third_moment(judged, found, single, seed)
    if third is None or deviation == 0:
        return MeanDistribution(found.measure, n, expected, deviation, 0.0, "normal", None)
    skewness = third / (deviation * n) ** 3
    return MeanDistribution(
        found.measure, n, expected, deviation, skewness, "skewness-corrected normal", None
    )


def _third_moment(
    judged: Judged, found: Chances, single: list[Distribution] | None, seed: int
) -> float | None:
    """Return the sum of the queries' third central moments, or None if they are not known."""
    if single is not None:
        return math.fsum(float(np.sum(p * (v - float(np.sum(v * p))) ** 3)) for v, p in single)
    definition = found.measure.definition
    if definition.chance is not None or definition.function is not None:
        return None
    tied = found.pool.all_tied(judged)
    each = min(4000, max(16, SKEWNESS_ORDERS // max(1, len(found.items))))
    sampling = Sampling(seed, each, 2000)
    values, _ = kernel_values(judged, found.measure, tied, sampling, "thirds")
    return math.fsum(values[~np.isnan(found.expected)])


def check_confidence(confidence: float) -> None:
    """Refuse a confidence that is not between 0 and 1."""
    if not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence} is not possible; it must be between 0 and 1.")


def band_notes(findings: tuple[Finding, ...], confidence: float, note: str) -> list[str]:
    """Return the notes of a table with bands: the pool, the columns, then the warnings."""
    share = f"{100 * confidence:g} %"
    return [
        *(str(f) for f in findings if f.kind == "pool"),
        f"low to high: the interval that holds the means of {share} of random rankers. {note}",
        *(f"! {f}" for f in findings if f.kind != "pool" and f.severity != "note"),
    ]
