"""Distributions under chance: of a measure over all orders of a pool, and of the mean of a random ranker over queries."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, permutations
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tare import _kernels as kernels
from tare._data.findings import Finding
from tare._data.judged import Judged
from tare._data.pools import Pool
from tare._kernels import Rankings
from tare._measures.measure import Measure
from tare._measures.one_system import Sampling, kernel_of
from tare.chance._expected_values import Chances, chances_of, kernel_values, no_spread
from tare.errors import MeasureError, MismatchError, OptionError

__all__ = [
    "MAX_VALUES",
    "Distribution",
    "MeanDistribution",
    "band_notes",
    "check_confidence",
    "convolved",
    "distributions",
    "first_rank_tails",
    "mean_distribution",
    "measures_under_chance",
    "probability_within",
    "tail",
]


# The rank of the first relevant document under chance: P(rank ≤ r) = 1 − C(n − r, R)/C(n, R).


ROUNDING = 1e-9  # a mean over tied places may be slightly below a whole rank


def probability_within(n: int, relevant: int, rank: int) -> float:
    """Return P(the first of `relevant` among n documents in random order has this rank or better).

    >>> round(probability_within(10, 1, 3), 12)
    0.3
    """
    if rank <= 0 or relevant <= 0:
        return 0.0
    if rank > n - relevant:
        return 1.0
    more, fewer = (
        max(rank, relevant),
        min(rank, relevant),
    )  # C(n−a, b)/C(n, b) is symmetric in a and b
    logs = np.log1p(-more / (n - np.arange(fewer, dtype=np.float64)))
    return -math.expm1(math.fsum(logs))


def first_rank_tails(
    judged: Judged, measure: Measure, tied: Rankings, observed: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return P(the first relevant rank of a random order of the pool is at most the observed one) per query."""
    offsets = tied.offsets
    is_relevant = judged.qrels.levels >= max(float(measure["rel"]), 0.0)
    total = np.concatenate([[0], np.cumsum(is_relevant[tied.codes])])
    relevant = total[offsets[1:]] - total[offsets[:-1]]
    values = np.full(len(observed), np.nan)
    for q in np.flatnonzero(np.isfinite(observed)):
        rank = math.floor(observed[q] + ROUNDING)
        values[q] = probability_within(int(tied.retrieved[q]), int(relevant[q]), rank)
    return values


# The exact distribution of a measure over all orders of a pool, for measures that have one.


Array = NDArray[np.float64]
Distribution = tuple[Array, Array]  # values, ascending, and their probabilities

MAX_VALUES = 50_000  # of a sum; with more, its distribution is approximated
SAME = 1e-12  # values that differ by less are equal
COUNTING = ("P", "RelP", "Recall", "F", "Success")
FIRST = ("RR", "MeanRank")
MAX_QUERIES = 60  # whose orders are enumerated
MAX_POOL = 7  # documents, if orders are enumerated


def distributions(judged: Judged, chances: Chances) -> list[Distribution] | None:
    """Return a measure's distribution under chance for each query, or None if the measure has no closed form."""
    measure = chances.measure
    if chances.pool.unlimited:
        return None
    tied = chances.pool.all_tied(judged)
    if measure.name not in (*COUNTING, *FIRST):
        return _enumerated(judged, measure, tied)
    relevant = (judged.qrels.levels >= max(float(measure["rel"]), 0.0))[tied.codes]
    total = np.concatenate([[0], np.cumsum(relevant)])
    counts = total[tied.offsets[1:]] - total[tied.offsets[:-1]]
    of = _counted if measure.name in COUNTING else _first
    whole = np.diff(judged.qrels.pool_offsets)
    in_qrels = np.add.reduceat(
        np.append((judged.qrels.levels >= max(float(measure["rel"]), 0.0))[judged.qrels.pool], 0),
        judged.qrels.pool_offsets[:-1],
    ) * (whole > 0)
    made: dict[tuple[int, int, int], Distribution | None] = {}
    found = []
    for n, r, judged_r in zip(
        tied.retrieved.tolist(), counts.tolist(), in_qrels.tolist(), strict=True
    ):
        key = (n, r, judged_r)
        if key not in made:
            made[key] = of(measure, n, r, judged_r)
        one = made[key]
        if one is None:
            return None
        found.append(one)
    return found


def _enumerated(
    judged: Judged, measure: Measure, tied: kernels.Rankings
) -> list[Distribution] | None:
    """Return a measure's values of all orders of the pool, for a few queries with small pools."""
    sizes = tied.retrieved
    if measure.definition.arguments is None or len(sizes) > MAX_QUERIES or sizes.max() > MAX_POOL:
        return None
    orders, places = [], [0]
    for q, size in enumerate(sizes.tolist()):
        codes = tied.codes[tied.offsets[q] : tied.offsets[q + 1]].tolist()
        orders += _arrangements((*codes, *[-1] * (size - len(codes))))
        places.append(len(orders))
    listed = [[(rank, code) for rank, code in enumerate(o, 1) if code >= 0] for o in orders]
    counts = np.diff(places)
    offsets, pool = judged.qrels.pool_offsets, judged.qrels.pool
    pools = [pool[offsets[q] : offsets[q + 1]] for q in range(len(sizes))]
    flat = [pair for order in listed for pair in order]
    values, _ = kernels.evaluate(
        kernels.Rankings(
            offsets=np.cumsum([0, *map(len, listed)]).astype(np.int64),
            ranks=np.array([rank for rank, _ in flat], dtype=np.int32),
            codes=np.array([code for _, code in flat], dtype=np.int32),
            lows=np.zeros(0, dtype=np.int64),
            highs=np.zeros(0, dtype=np.int64),
            retrieved=np.repeat(sizes, counts),
        ),
        np.cumsum([0, *np.repeat([len(p) for p in pools], counts)]).astype(np.int64),
        np.concatenate([p for p, n in zip(pools, counts, strict=True) for _ in range(n)]).astype(
            np.int32
        ),
        np.zeros(len(orders), dtype=np.uint64),
        [kernel_of(measure, judged.qrels.levels, MAX_POOL)],
    )
    return [_merged(values[0, a:b], np.full(b - a, 1 / (b - a))) for a, b in pairwise(places)]


@cache
def _arrangements(codes: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the distinct orders of a pool's documents, all equally likely under chance."""
    return sorted(set(permutations(codes)))


def _counted(measure: Measure, n: int, r: int, judged: int) -> Distribution | None:
    """Return the distribution under chance of a count of relevant documents in the first k: hypergeometric."""
    k = n if measure.cutoff is None else min(int(measure.cutoff), n)
    low, high = max(0, k + r - n), min(k, r)
    x = np.arange(low, high + 1)
    if len(x) > MAX_VALUES:
        return None
    logs = [_log_choose(r, i) + _log_choose(n - r, k - i) - _log_choose(n, k) for i in x.tolist()]
    p = np.exp(logs)
    return _merged(_value(measure, x.astype(np.float64), n, judged), p / math.fsum(p))


def _value(measure: Measure, hits: Array, n: int, r: int) -> Array:
    """Return the value of the measure by the number of relevant documents that chance puts in the first k; r are in the pool."""
    if measure.name == "Success":
        return (hits > 0).astype(np.float64)
    cutoff = n if measure.cutoff is None else int(measure.cutoff)
    if measure.name == "P":
        return hits / cutoff
    if r == 0:
        return np.zeros(len(hits))
    if measure.name == "F":
        beta = float(measure["beta"]) ** 2
        return (1 + beta) * hits / (beta * r + cutoff)
    return hits / (r if measure.name == "Recall" else min(cutoff, r))


def _first(measure: Measure, n: int, r: int, judged: int) -> Distribution | None:
    """Return the distribution under chance of the first relevant rank: P(rank = i) = C(n−i, r−1)/C(n, r)."""
    if r == 0:
        return np.zeros(1), np.ones(1)
    last = n - r + 1
    seen = last if measure.cutoff is None else min(int(measure.cutoff), last)
    if seen > MAX_VALUES:
        return None
    i = np.arange(1, seen + 1)
    p = np.exp([_log_choose(n - k, r - 1) - _log_choose(n, r) for k in i.tolist()])
    values = i.astype(np.float64) if measure.name == "MeanRank" else 1.0 / i
    if seen < last:
        values, p = np.append(values, 0.0), np.append(p, max(0.0, 1.0 - math.fsum(p)))
    return _merged(values, p / math.fsum(p))


def _log_choose(n: int, k: int) -> float:
    if k < 0 or k > n:
        return -math.inf
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _merged(values: Array, p: Array) -> Distribution:
    """Sort the values and merge equal ones."""
    order = np.argsort(values, kind="stable")
    values, p = values[order], p[order]
    new = np.concatenate([[True], np.diff(values) > SAME * np.maximum(1.0, np.abs(values[1:]))])
    places = np.flatnonzero(new)
    return values[places], np.add.reduceat(p, places)


def convolved(queries: list[Distribution], most: int = MAX_VALUES) -> Distribution | None:
    """Return the distribution of the sum over queries under chance, or None if it has too many values."""
    step = _lattice(queries)
    if step is not None:
        return _on_lattice(queries, step, most)
    values, p = np.zeros(1), np.ones(1)
    for v, q in queries:
        if len(values) * len(v) > 40 * most:
            return None
        values, p = _merged(np.add.outer(values, v).ravel(), np.multiply.outer(p, q).ravel())
        if len(values) > most:
            return None
    return values, p


def _lattice(queries: list[Distribution]) -> float | None:
    """Return a step of which all values of the queries' distributions are multiples, or None."""
    distinct = np.unique(np.concatenate([v for v, _ in queries]))
    if len(distinct) > 5000:
        return None
    nonzero = np.abs(distinct[np.abs(distinct) > SAME])
    if len(nonzero) == 0:
        return 1.0
    step = float(nonzero.min())
    for denominator in range(1, 61):
        candidate = step / denominator
        multiples = distinct / candidate
        if np.abs(multiples - np.round(multiples)).max() <= 1e-9:
            return candidate
    return None


def _on_lattice(queries: list[Distribution], step: float, most: int) -> Distribution | None:
    """Return the distribution of the sum over queries under chance by convolution on a lattice, query by query."""
    length = sum(round((v[-1] - v[0]) / step) for v, _ in queries) + 1
    if length > most:
        return None
    low = 0
    p = np.ones(1)
    for v, q in queries:
        places = np.round(v / step).astype(np.int64)
        low += int(places[0])
        kernel = np.zeros(int(places[-1] - places[0]) + 1)
        kernel[places - places[0]] = q
        p = np.convolve(p, kernel)
    return (low + np.arange(len(p), dtype=np.float64)) * step, np.asarray(p, dtype=np.float64)


def tail(distribution: Distribution, observed: float, *, lower: bool = False) -> float:
    """Return P(sum over queries ≥ observed) under chance, or P(sum ≤ observed) if lower; values within rounding are equal."""
    values, p = distribution
    slack = 1e-9 * max(1.0, abs(observed))
    inside = values <= observed + slack if lower else values >= observed - slack
    return min(1.0, math.fsum(p[inside]))


# The mean of a random ranker over a set of queries.
#
# Queries are independent under chance, so Σ(A − E) has mean 0 and variance ΣVar(A).


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
    """Return 1 − Φ(w), the tail of a random ranker's mean: w is the standard score z corrected for the third moment."""
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
    """Return the standard score of a random ranker's mean with this share below it, the inverse of `corrected_tail`."""
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
    """Return each measure under chance, by query and as distribution of the mean over all queries."""
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
    """Return the sum of the queries' third central moments under chance, or None if they are not known."""
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
    """Refuse a confidence of the band of random rankers that is not between 0 and 1."""
    if not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence} is not possible; it must be between 0 and 1.")


def band_notes(findings: tuple[Finding, ...], confidence: float, note: str) -> list[str]:
    """Return the notes of a table with bands of random rankers: the pool, the columns, then the warnings."""
    share = f"{100 * confidence:g} %"
    return [
        *(str(f) for f in findings if f.kind == "pool"),
        f"low to high: the interval that holds the means of {share} of random rankers. {note}",
        *(f"! {f}" for f in findings if f.kind != "pool" and f.severity != "note"),
    ]
