"""Estimates from people's labels of a sample and a judge's of all, short and in plain loops.

Written from the rules: θ = λ·mean(f̃) + mean(y − λf); the squared error is the jackknife variance of the
rests y − λf over labelled clusters plus λ² times that of f̃ over the other clusters; n_eff − 1 degrees of
freedom; the interval of a mean in [0, 1] is Wilson's with k = t²SE²/(m(1 − m)).
"""

from __future__ import annotations

import itertools
import math

from scipy import stats


def mean(values):
    return math.fsum(values) / len(values)


def covariance(x, y):
    return math.fsum((a - mean(x)) * (b - mean(y)) for a, b in zip(x, y, strict=True)) / (
        len(x) - 1
    )


def weight(systems):
    """λ of (y, f, others) of every system: sums over all pairs of systems; one system has its own."""
    if len(systems) == 1:
        contrasts = systems
    else:
        contrasts = [
            tuple([a - b for a, b in zip(x, y, strict=True)] for x, y in zip(one, two, strict=True))
            for one, two in itertools.combinations(systems, 2)
        ]
    n, more = len(systems[0][0]), len(systems[0][2])
    above = math.fsum(covariance(y, f) for y, f, _ in contrasts)
    below = math.fsum(covariance(f + g, f + g) for _, f, g in contrasts)
    return min(1.0, max(0.0, above / ((1 + n / more) * below)))


def jackknife(values, clusters):
    """The variance of the mean of values, leaving out one cluster at a time."""
    names = sorted(set(clusters))
    total, m = len(values), mean(values)
    squares = 0.0
    for name in names:
        own = [v for v, c in zip(values, clusters, strict=True) if c == name]
        squares += ((math.fsum(own) - m * len(own)) / (total - len(own))) ** 2
    return (len(names) - 1) / len(names) * squares


def effective(clusters):
    sizes = [clusters.count(name) for name in set(clusters)]
    return sum(sizes) ** 2 / sum(size**2 for size in sizes)


def bounded(m, error, t, units):
    k = t**2 * error**2 / (m * (1 - m)) if error > 0 else t**2 / units
    half = math.sqrt(k * m * (1 - m) + k**2 / 4)
    return (m + k / 2 - half) / (1 + k), (m + k / 2 + half) / (1 + k)


def estimate(y, f, others, lam, clusters=None, other_clusters=None):
    """Value, standard error and effective number of labelled units of one system, given λ."""
    clusters = list(range(len(y))) if clusters is None else clusters
    other_clusters = list(range(len(others))) if other_clusters is None else other_clusters
    rests = [a - lam * b for a, b in zip(y, f, strict=True)]
    variance = jackknife(rests, clusters) + lam**2 * jackknife(others, other_clusters)
    return lam * mean(others) + mean(rests), math.sqrt(variance), effective(clusters)


def interval(y, f, others, lam, clusters=None, other_clusters=None, binary=False):
    """The 95 % interval of one system whose values lie in [0, 1]."""
    value, error, units = estimate(y, f, others, lam, clusters, other_clusters)
    if binary and (sum(y) < 5 or len(y) - sum(y) < 5 or not 0 < value < 1):
        value, error, units = estimate(y, f, others, 0.0, clusters, other_clusters)
    return bounded(value, error, stats.t.ppf(0.975, units - 1), units)


def share_as_far(labelled, others):
    """The share of all draws of as many values whose means are at least as far apart."""
    every, n = labelled + others, len(labelled)
    gap = abs(mean(labelled) - mean(others))
    found = count = 0
    for chosen in itertools.combinations(range(len(every)), n):
        inside = [every[k] for k in chosen]
        outside = [v for k, v in enumerate(every) if k not in chosen]
        found += abs(mean(inside) - mean(outside)) >= gap - 1e-12
        count += 1
    return found / count
