"""What is usually done: t and Wilcoxon of scipy, Tukey's HSD and the percentile bootstrap, for many data sets at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Floats = NDArray[np.float64]
Found = NDArray[np.bool_]

RESAMPLES = 1000


def student(d: Floats, alternative: str = "two-sided") -> Floats:
    """p of scipy's t-test along the last axis; no claim where all differences are alike."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        p = stats.ttest_1samp(d, 0, axis=-1, alternative=alternative).pvalue
    return np.nan_to_num(p, nan=1.0)


def signed_ranks(d: Floats, alternative: str = "two-sided") -> Floats:
    """p of scipy's Wilcoxon test along the last axis, with the normal approximation beyond 13 units."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        method = "exact" if d.shape[-1] <= 13 and (d != 0).all() else "asymptotic"
        p = stats.wilcoxon(d, axis=-1, alternative=alternative, method=method).pvalue
    return np.nan_to_num(p, nan=1.0)


@cache
def weights(n: int) -> Floats:
    """How often each unit is drawn, resamples × units."""
    rng = np.random.default_rng(n)
    return np.asarray(rng.multinomial(n, np.full(n, 1 / n), RESAMPLES), dtype=np.float64)


def percentiles(d: Floats, *shares: float) -> list[Floats]:
    """Percentiles of resampled means along the last axis."""
    means = d @ weights(d.shape[-1]).T / d.shape[-1]
    return list(np.quantile(means, shares, axis=-1))


def ratio_percentiles(x: Floats, y: Floats, *shares: float) -> list[Floats]:
    """Percentiles of resampled ratios of means; resamples without a denominator are left out."""
    drawn = weights(x.shape[-1]).T
    below = y @ drawn
    ratios = np.where(below > 1e-9, x @ drawn / np.maximum(below, 1e-9), np.nan)
    return list(np.nanquantile(ratios, shares, axis=-1))


def bootstrap(d: Floats, alternative: str = "two-sided") -> Found:
    """Whether the percentile interval excludes 0."""
    if alternative == "less":
        return np.asarray(percentiles(d, 0.95)[0] < 0)
    low, high = percentiles(d, 0.025, 0.975)
    return np.asarray((low > 0) | (high < 0))


def holm(p: Floats, alpha: float = 0.05) -> Found:
    """Which hypotheses Holm's correction rejects, along the last axis."""
    order = np.argsort(p, axis=-1)
    steps = alpha / np.arange(p.shape[-1], 0, -1)
    small = np.take_along_axis(p, order, axis=-1) <= steps
    kept = np.logical_and.accumulate(small, axis=-1)
    found = np.zeros(p.shape, dtype=bool)
    np.put_along_axis(found, order, kept, axis=-1)
    return found


def by_pair(test: Callable[[Floats], Floats], d: Floats) -> Floats:
    """p of each pair; d is repetitions × units × pairs."""
    return test(np.ascontiguousarray(np.moveaxis(d, 1, 2)))


@cache
def tukey_quantile(systems: int, freedom: int) -> float:
    """The critical range."""
    return float(stats.studentized_range.ppf(0.95, systems, freedom))


def tukey_half_width(scores: Floats, *, two_way: bool) -> Floats:
    """Half the width of the interval of each pair by Tukey's HSD; one-way as in scipy and statsmodels."""
    _, n, systems = scores.shape
    rest = scores - scores.mean(axis=1, keepdims=True)
    freedom = systems * (n - 1)
    if two_way:
        rest = rest - rest.mean(axis=2, keepdims=True)
        freedom = (systems - 1) * (n - 1)
    error = (rest**2).sum(axis=(1, 2)) / freedom
    return np.asarray(tukey_quantile(systems, freedom) * np.sqrt(error / n))


def powered(people: Floats, judge: Floats, others: Floats) -> tuple[float, float]:
    """The 95 % interval of PPI++ with the normal distribution."""
    n, more = len(people), len(others)
    spread = np.concatenate([judge, others]).var() * (1 + n / more)
    weight = np.clip(np.cov(people, judge, bias=True)[0, 1] / spread, 0, 1) if spread > 0 else 0.0
    rests = people - weight * judge
    value = weight * others.mean() + rests.mean()
    half = 1.96 * np.sqrt(weight**2 * others.var() / more + rests.var() / n)
    return float(value - half), float(value + half)


def sign_test(wins: int, losses: int) -> float:
    """p of scipy's binomial test."""
    return float(stats.binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0


def swapped_items(
    first: Floats, second: Floats, people: Floats, random: np.random.Generator
) -> float:
    """p of |r₁ − r₂| when whole items are exchanged between two standardised measures."""
    a, b = ((z - z.mean()) / z.std() for z in (first, second))
    items = a.shape[1]
    turned = random.random((RESAMPLES, items)) < 0.5
    turned[0] = False
    sums = a.sum(axis=1) + turned @ (b - a).T
    other = b.sum(axis=1) + turned @ (a - b).T
    truth = people.mean(axis=1)
    gaps = np.abs(_correlated(sums, truth) - _correlated(other, truth))
    return float(np.mean(gaps >= gaps[0] - 1e-12))


def _correlated(rows: Floats, truth: Floats) -> Floats:
    rows = rows - rows.mean(axis=1, keepdims=True)
    truth = truth - truth.mean()
    return np.asarray(rows @ truth / np.sqrt((rows**2).sum(axis=1) * (truth**2).sum()))


def tau_draws(first: Floats, second: Floats) -> Floats:
    """τ of resampled items of two sets, which are drawn apart; systems × items."""
    drawn = weights(first.shape[1])
    a, b = np.triu_indices(len(first), 1)
    x = drawn @ first.T
    y = drawn[np.random.default_rng(1).permutation(len(drawn))] @ second.T
    return np.asarray(np.mean(np.sign((x[:, a] - x[:, b]) * (y[:, a] - y[:, b])), axis=1))


def ranks_apart(scores: Floats) -> bool:
    """Whether the percentile intervals of two systems' ranks do not overlap; scores are data sets × systems."""
    means = weights(len(scores)) @ scores
    ranks = np.argsort(np.argsort(-means, axis=1), axis=1)
    low, high = np.quantile(ranks, (0.025, 0.975), axis=0)
    return bool(low.max() > high.min())
