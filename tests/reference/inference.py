"""Tests, certificates and intervals as their definitions read: all patterns of signs, closed forms, no speed.

Written from the definitions alone, before and without the package. Drawn signs are given as a matrix, so
that nothing here depends on a stream of random numbers. "No interval" is NaN.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from decimal import Decimal, localcontext

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm, t

NONE = (math.nan, math.nan)


# Common rules


def cleaned(differences: np.ndarray, largest: float) -> np.ndarray:
    """Differences below 1e-12 of the largest score are 0."""
    d = np.asarray(differences, float)
    return np.where(np.abs(d) < 1e-12 * largest, 0.0, d)


def patterns(units: int) -> np.ndarray:
    """All 2^units rows of signs."""
    return np.array(list(itertools.product((1, -1), repeat=units))).reshape(2**units, units)


def holm(given: list[float]) -> np.ndarray:
    """Holm's adjusted p."""
    p = np.asarray(given, float)
    adjusted, running = np.empty(len(p)), 0.0
    for place, k in enumerate(np.argsort(p, kind="stable")):
        running = max(running, min(1.0, (len(p) - place) * p[k]))
        adjusted[k] = running
    return adjusted


def totals(values: np.ndarray, clusters: list) -> tuple[np.ndarray, np.ndarray]:
    """S_g and n_g, in order of first appearance."""
    names = list(dict.fromkeys(clusters))
    of = [[v for v, c in zip(values, clusters, strict=True) if c == name] for name in names]
    return np.array([sum(rows) for rows in of]), np.array([float(len(rows)) for rows in of])


def fewest(alpha: float) -> int:
    """Units that must differ before a two-sided p can reach alpha: k_min."""
    return math.ceil(1 + math.log2(1 / alpha) - 1e-12)


# A. The gate


def loss_p(d: np.ndarray, signs: np.ndarray | None = None) -> float:
    """The share of sign patterns whose sum is at most the observed sum."""
    d = np.asarray(d, float)
    changed = d[d != 0]
    if not len(changed):
        return 1.0
    limit = changed.sum() + 1e-9 * np.abs(changed).sum()
    if signs is None:
        return float(np.mean(patterns(len(changed)) @ changed <= limit))
    return float((1 + np.sum(signs @ d <= limit)) / (len(signs) + 1))


def changed_to_block(measures: int = 1, alpha: float = 0.05) -> int:
    """Changed units from which on a loss can be shown."""
    return math.ceil(math.log2(measures / alpha) - 1e-12)


def detectable(
    d: np.ndarray, measures: int = 1, tolerance: float = 0.0, alpha: float = 0.05
) -> float:
    """The mean loss that would be shown in 80 % of such query sets."""
    d = np.asarray(d, float)
    n, changed = len(d), d[d != 0]
    if len(changed) < 5:
        return math.nan
    size, v = np.abs(changed).mean(), np.mean((d - d.mean()) ** 2)

    def root(z: float, m: float) -> float:  # of (L - m)² = z²(v + size·L)/n
        b = 2 * m + z**2 * size / n
        return float((b + math.sqrt(b**2 - 4 * (m**2 - z**2 * v / n))) / 2)

    found = root(norm.isf(alpha / measures) + norm.ppf(0.8), 0.0)
    return max(found, root(norm.ppf(0.8), tolerance)) if tolerance > 0 else found


def gate(
    measures: list[np.ndarray],
    tolerances: list[float],
    alpha: float = 0.05,
    signs: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Holm's p of each measure, and whether it blocks."""
    adjusted = holm([loss_p(d, signs) for d in measures])
    beyond = [m == 0 or np.mean(d) <= -m for d, m in zip(measures, tolerances, strict=True)]
    return adjusted, (adjusted <= alpha) & np.array(beyond)


def certificate_p(d: np.ndarray, margin: float, reach: float = 1.0) -> float:
    """P(Σ cE ≤ 0) by partial fractions: for distinct c it is Σ_{c_i < 0} Π_{j≠i} c_i/(c_i − c_j).

    Equal c are set apart by 1e-14 of the largest; the digits that cancel are carried along.
    """
    c = np.sort(np.append(np.asarray(d, float) + margin, margin - reach))
    c = c[np.abs(c) > 1e-13 * np.abs(c).max()]
    with localcontext() as context:
        context.prec = 50 + 16 * len(c)
        apart = Decimal(float(np.abs(c).max())) * Decimal("1e-14")
        exact = [Decimal(float(value)) + k * apart for k, value in enumerate(c)]
        below = Decimal(0)
        for i, this in enumerate(exact):
            if this < 0:
                others = (this - other for j, other in enumerate(exact) if j != i)
                below += this ** (len(c) - 1) / math.prod(others, start=Decimal(1))
        return float(below)


def certificate_bound(d: np.ndarray, reach: float = 1.0, alpha: float = 0.05) -> float:
    """The lower bound of the mean: −m where p = α."""
    above = brentq(
        lambda m: certificate_p(d, m, reach) - alpha, -float(np.max(d)), reach, xtol=1e-14
    )
    return -above


def queries_to_certify(margin: float, reach: float = 1.0, alpha: float = 0.05) -> int:
    """Fewest queries with which a certificate is possible at all."""
    return math.ceil(math.log(alpha) / math.log(1 - margin / reach) - 1e-9)


# B. Pairs


@dataclass
class Pairs:
    """One entry per pair."""

    u: np.ndarray
    p: np.ndarray
    significant: np.ndarray
    low: np.ndarray
    high: np.ndarray
    critical: float
    critical_t: float


def u_of(d: np.ndarray) -> float:
    """|Σd|/√(nΣd²), 0 if all are 0."""
    square = len(d) * np.sum(d**2)
    return float(abs(np.sum(d)) / math.sqrt(square)) if square > 0 else 0.0


def flipped_maxima(d: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """The largest u of the family under each row of signs."""
    n, squares = len(d), np.sum(d**2, axis=0)
    kept = squares > 0
    if not kept.any():
        return np.zeros(len(signs))
    return np.max(np.abs(signs @ d[:, kept]) / np.sqrt(n * squares[kept]), axis=1)


def critical_of(
    d: np.ndarray, signs: np.ndarray | None, alpha: float
) -> tuple[np.ndarray, float, int]:
    """The maxima, u_c (NaN if there is none), and how many patterns p counts besides the maxima."""
    if signs is None:
        flipped = np.flatnonzero(np.any(d != 0, axis=1))
        half = patterns(len(flipped))[: 2 ** max(len(flipped) - 1, 0)]  # the first sign is +
        maxima = flipped_maxima(d, _placed(half, flipped, len(d)))
        k, extra = math.floor(alpha * len(maxima) + 1e-9), 0
        possible = k > 0
    else:
        maxima, extra = flipped_maxima(d, signs), 1
        k = math.floor(alpha * (len(signs) + 1) + 1e-9) - 1
        possible = k >= 0
    return maxima, float(np.sort(maxima)[::-1][k]) if possible else math.nan, extra


def _placed(signs: np.ndarray, units: np.ndarray, n: int) -> np.ndarray:
    placed = np.ones((len(signs), n))
    placed[:, units] = signs
    return placed


def all_pairs(scores: np.ndarray, first: int | None = None) -> np.ndarray:
    """Differences, one column per pair: all pairs, or `first` minus each other."""
    columns = range(scores.shape[1])
    pairs = (
        itertools.combinations(columns, 2)
        if first is None
        else ((first, other) for other in columns if other != first)
    )
    return np.stack([scores[:, a] - scores[:, b] for a, b in pairs], axis=1)


def max_t(
    d: np.ndarray,
    alpha: float = 0.05,
    signs: np.ndarray | None = None,
    sizes: np.ndarray | None = None,
    level: float | None = None,
) -> Pairs:
    """Single-step max-t of a family of differences (units × pairs).

    With `sizes` the rows are totals of clusters, or numerators, and intervals are Fieller's.
    """
    d = np.asarray(d, float)
    n, pairs = d.shape
    level = alpha if level is None else level
    maxima, critical, extra = critical_of(d, signs, level)
    u = np.array([u_of(column) for column in d.T])
    p = np.array([(extra + np.sum(maxima >= x - 1e-9)) / (extra + len(maxima)) for x in u])
    significant = u > critical * (1 + 1e-9)
    critical_t = (
        critical * math.sqrt(n - 1) / math.sqrt(1 - critical**2) if critical < 1 - 1e-12 else np.nan
    )
    ends = []
    for k in range(pairs):
        x = d[:, k]
        if np.isnan(critical_t) or np.count_nonzero(x) < fewest(level) or np.ptp(x) == 0:
            ends.append(NONE)
            continue
        if sizes is None:
            half = critical_t * x.std(ddof=1) / math.sqrt(n)
            low, high = x.mean() - half, x.mean() + half
        else:
            low, high = fieller(x, sizes, critical)[1:]
        if not significant[k]:
            low, high = min(low, 0.0), max(high, 0.0)
        ends.append((low, high))
    low, high = np.array(ends).T
    return Pairs(u, p, significant, low, high, critical, critical_t)


def incomplete(
    d: list[np.ndarray], alpha: float = 0.05, signs: list[np.ndarray | None] | None = None
) -> tuple[np.ndarray, np.ndarray, list[tuple[float, float]]]:
    """Each pair on its own units: own p, Holm's p, and intervals at α/pairs."""
    signs = signs or [None] * len(d)
    alone = [max_t(x[:, None], alpha, s) for x, s in zip(d, signs, strict=True)]
    cut = [max_t(x[:, None], alpha, s, level=alpha / len(d)) for x, s in zip(d, signs, strict=True)]
    p = np.array([found.p[0] for found in alone])
    return p, holm(p), [(found.low[0], found.high[0]) for found in cut]


# C. Ranks


def rank_intervals(means: np.ndarray, p: np.ndarray, alpha: float = 0.05) -> list[tuple[int, int]]:
    """[1 + systems significantly better, K − systems significantly worse]."""
    systems = len(means)
    better, worse = np.zeros(systems, int), np.zeros(systems, int)
    for (a, b), value in zip(itertools.combinations(range(systems), 2), p, strict=True):
        if value <= alpha:
            up, down = (a, b) if means[a] > means[b] else (b, a)
            better[down] += 1
            worse[up] += 1
    return [(int(1 + better[k]), int(systems - worse[k])) for k in range(systems)]


def over_data_sets(scores: np.ndarray, signs: np.ndarray | None = None) -> list[tuple[int, int]]:
    """Rank intervals with the data set as the unit."""
    if len(scores) < fewest(0.05):
        return [(1, scores.shape[1])] * scores.shape[1]
    return rank_intervals(scores.mean(axis=0), max_t(all_pairs(scores), signs=signs).p)


def over_queries(sets: list[np.ndarray], signs: np.ndarray | None = None) -> np.ndarray:
    """p of all pairs; each data set is queries × systems, and signs has one column per query of all sets."""
    differences = [all_pairs(scores) for scores in sets]
    whole = np.concatenate(differences)
    flipped = np.flatnonzero(np.any(whole != 0, axis=1))
    if signs is None:
        half = patterns(len(flipped))[: 2 ** max(len(flipped) - 1, 0)]
        signs, extra = _placed(half, flipped, len(whole)), 0
    else:
        extra = 1
    ends = np.cumsum([0, *map(len, differences)])

    def statistics(row: np.ndarray) -> np.ndarray:
        sums, variances = 0.0, 0.0
        for k, d in enumerate(differences):
            turned = d * row[ends[k] : ends[k + 1], None]
            sums = sums + turned.mean(axis=0) / len(differences)
            variances = variances + turned.var(axis=0, ddof=1) / len(d) / len(differences) ** 2
        zero = variances <= 1e-24 * np.max(np.abs(whole)) ** 2
        return np.where(zero, 0.0, np.abs(sums) / np.sqrt(np.where(zero, 1.0, variances)))

    maxima = np.array([statistics(row).max() for row in signs])
    observed = statistics(np.ones(len(whole)))
    return np.array(
        [(extra + np.sum(maxima >= x * (1 - 1e-9))) / (extra + len(maxima)) for x in observed]
    )


# D. Ratios of means


def fieller(x: np.ndarray, y: np.ndarray, critical: float) -> tuple[float, float, float]:
    """Σx/Σy and the values θ for which mean(x − θy) = 0 is not rejected."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    g = critical**2 * len(x)
    a = y.sum() ** 2 - g * np.sum(y**2)
    b = x.sum() * y.sum() - g * np.sum(x * y)
    c = x.sum() ** 2 - g * np.sum(x**2)
    if a <= 0:
        return (x.sum() / y.sum(), *NONE)
    root = math.sqrt(max(b**2 - a * c, 0.0))
    return x.sum() / y.sum(), (b - root) / a, (b + root) / a


def student_u(n: int, confidence: float = 0.95) -> float:
    """u_c of one system."""
    quantile = t.ppf((1 + confidence) / 2, n - 1)
    return float(quantile / math.sqrt(n - 1 + quantile**2))


def net_interval(x: np.ndarray, y: np.ndarray, gross: np.ndarray | None = None):
    """Net of one system; no interval with fewer than 6 units that have a gross score above 0."""
    net, low, high = fieller(x, y, student_u(len(x)))
    return (net, *NONE) if gross is not None and np.sum(gross > 0) < 6 else (net, low, high)


# E. Clusters and F. Bounded means


def ratio_jackknife(sums: np.ndarray, sizes: np.ndarray) -> float:
    """The squared standard error of ΣS/Σn when clusters are left out in turn."""
    count, all_sizes, mean = len(sums), sizes.sum(), sums.sum() / sizes.sum()
    moved = (sums - mean * sizes) / (all_sizes - sizes)
    return float((count - 1) / count * np.sum(moved**2))


def bounded(mean: float, variance: float, units: float, confidence: float = 0.95, df=None):
    """Wilson's interval scaled to the observed spread; df = units − 1 unless given."""
    quantile = t.ppf((1 + confidence) / 2, units - 1 if df is None else df)
    room = mean * (1 - mean)
    k = quantile**2 / units if variance == 0 else quantile**2 * variance / room
    half = math.sqrt(k * room + k**2 / 4)
    return (mean + k / 2 - half) / (1 + k), (mean + k / 2 + half) / (1 + k)


def mean_interval(values, clusters=None, low: float = 0.0, high: float = 1.0):
    """Mean, ends, standard error and df of scores that lie in [low, high]."""
    values = (np.asarray(values, float) - low) / (high - low)
    sums, sizes = totals(values, list(range(len(values))) if clusters is None else list(clusters))
    mean, units = sums.sum() / sizes.sum(), sizes.sum() ** 2 / np.sum(sizes**2)
    if len(sums) < 2:
        return low + (high - low) * mean, *NONE, math.nan, math.nan
    variance = ratio_jackknife(sums, sizes)
    ends = bounded(mean, variance, units)
    scaled = [low + (high - low) * value for value in (mean, *ends)]
    return *scaled, (high - low) * math.sqrt(variance), units - 1


def estimate_interval(people, judge, others, weight, clusters=None, other_clusters=None):
    """Estimate from labelled `people` and `judge`, and the judge alone on `others`: ends in [0, 1]."""
    people, judge, others = (np.asarray(v, float) for v in (people, judge, others))
    one = list(range(len(people))) if clusters is None else list(clusters)
    two = list(range(len(others))) if other_clusters is None else list(other_clusters)
    rests, sizes = totals(people - weight * judge, one)
    other, other_sizes = totals(others, two)
    estimate = weight * others.mean() + np.mean(people - weight * judge)
    variance = ratio_jackknife(rests, sizes) + weight**2 * ratio_jackknife(other, other_sizes)
    units = sizes.sum() ** 2 / np.sum(sizes**2)
    binary = set(people) <= {0.0, 1.0}
    few = binary and min(people.sum(), len(people) - people.sum()) < 5
    if few or not 0 < estimate < 1:
        return mean_interval(people, one)[:3]
    return estimate, *bounded(estimate, variance, units)


def opposite(people: np.ndarray, first: np.ndarray, second: np.ndarray):
    """W, L, ties and both p of two measures against people (systems × items), by swaps of whole systems."""
    z1, z2 = ((m - m.mean()) / m.std() for m in (first, second))
    swaps = patterns(len(people))

    def counts(a: np.ndarray, b: np.ndarray) -> tuple[int, int, int]:
        won = lost = tied = 0
        for s, r in itertools.combinations(range(len(people)), 2):
            for item in range(people.shape[1]):
                by_a, by_b = np.sign(a[s, item] - a[r, item]), np.sign(b[s, item] - b[r, item])
                by_people = np.sign(people[s, item] - people[r, item])
                if by_a * by_b < 0:
                    won += by_people == by_a
                    lost += by_people == by_b
                    tied += by_people == 0
        return int(won), int(lost), int(tied)

    def correlations(a: np.ndarray, b: np.ndarray) -> list[float]:
        means = people.mean(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return [float(np.corrcoef(means, m.mean(axis=1))[0, 1]) for m in (a, b)]

    def swapped(row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        kept = (row > 0)[:, None]
        return np.where(kept, z1, z2), np.where(kept, z2, z1)

    seen, r = counts(z1, z2), correlations(z1, z2)
    tables = [swapped(row) for row in swaps]
    gaps = [abs(np.subtract(*counts(a, b)[:2])) for a, b in tables]
    apart = np.abs([np.diff(correlations(a, b))[0] for a, b in tables])
    p_counts = float(np.mean([gap >= abs(seen[0] - seen[1]) for gap in gaps]))
    return seen, p_counts, r, float(np.mean(apart >= abs(r[0] - r[1]) - 1e-9))


def tau_interval(tau: float, draws: np.ndarray) -> tuple[float, float]:
    """τ ± 1.96·sd of the bootstrap draws, cut to [−1, 1]."""
    half = 1.96 * np.std(draws, ddof=1)
    return max(tau - half, -1.0), min(tau + half, 1.0)
