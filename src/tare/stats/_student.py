"""Student's t, and the intervals of means and of ratios of means built on it, without scipy, whose import takes longer than scoring a run."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "NOTHING",
    "bounded",
    "clustered_means",
    "fieller",
    "quantiles_of",
    "student_quantile",
    "student_tail",
    "student_u",
]


TERMS = 500


@lru_cache(maxsize=1024)
def student_quantile(p: float, freedom: float) -> float:
    """Return the quantile of Student's t distribution, by Newton's method.

    Degrees of freedom that are no whole number, as of unequal clusters, are left to scipy.

    >>> round(student_quantile(0.975, 9), 6)
    2.262157
    """
    if p == 0.5:
        return 0.0
    if p < 0.5:
        return -student_quantile(1 - p, freedom)
    if freedom != int(freedom):
        from scipy.special import stdtrit

        return float(stdtrit(freedom, p))
    from statistics import NormalDist

    z = NormalDist().inv_cdf(p)
    # Start from the Cornish–Fisher expansion; use exact forms where it is poor.
    if freedom == 1:
        return math.tan(math.pi * (p - 0.5))
    if freedom == 2:
        a = 2 * p - 1
        return a * math.sqrt(2 / (1 - a * a))
    t = z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2))
    scale /= math.sqrt(freedom * math.pi)
    for _ in range(60):
        density = scale * (1 + t * t / freedom) ** (-(freedom + 1) / 2)
        step = (student_tail(t, freedom) - (1 - p)) / density
        # Halley's correction improves the step in heavy tails.
        bend = -(freedom + 1) * t / (freedom + t * t)
        step /= 1 - min(max(step * bend / 2, -0.5), 0.5)
        t += step
        if abs(step) <= 1e-14 * abs(t):
            break
    return t


def student_tail(t: float, freedom: float) -> float:
    """Return P(T > t) for t ≥ 0: ½·I_x(ν/2, ½) with x = ν/(ν + t²)."""
    x = freedom / (freedom + t * t)
    return 0.5 * _incomplete_beta(freedom / 2, 0.5, x)


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function by its continued fraction (Lentz's method)."""
    if x <= 0 or x >= 1:
        return min(max(x, 0.0), 1.0)
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, 1 - x)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    tiny = 1e-300
    c, d = 1.0, 1 / max(1 - (a + b) * x / (a + 1), tiny)
    value = d
    for m in range(1, TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 / (1 + even * d)
        c = 1 + even / c
        value *= c * d
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / (1 + odd * d)
        c = 1 + odd / c
        value *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return front * value / a


# Formulas of intervals of means and of ratios of means, for many rows at once; without scipy.
#
# Each row is a sample of units (items, or clusters of items) with a total x and a size or denominator y:
# the mean is Σx/Σy. A unit that a row lacks has x = y = 0.


Floats = NDArray[np.float64]
NOTHING = 1e-12  # a smaller spread is that of rounding


def quantiles_of(freedom: Floats, confidence: float) -> Floats:
    """Return Student's two-sided quantile t for each number of degrees of freedom; NaN for 0 or less."""
    made = np.full(len(freedom), np.nan)
    for k in np.unique(freedom[freedom > 0]):
        made[freedom == k] = student_quantile((1 + confidence) / 2, float(k))
    return made


def student_u(n: NDArray[np.int64], confidence: float = 0.95) -> Floats:
    """Return Student's quantile with n − 1 degrees of freedom on the scale u = t/√(n − 1 + t²)."""
    t = quantiles_of((n - 1).astype(np.float64), confidence)
    with np.errstate(invalid="ignore"):
        return np.asarray(t / np.sqrt(n - 1 + t * t))


def clustered_means(x: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the mean Σx/Σy of each row of clusters, its standard error by the jackknife of units, and Kish's number of units.

    With units of size 1 these are the mean, s/√n and n. The error is NaN for a single unit.
    """
    there = y > 0
    count, total = there.sum(axis=1), y.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = x.sum(axis=1) / total
        rest = total[:, None] - y
        deviations = np.where(there, (x - mean[:, None] * y) / rest, 0.0)
        error = np.sqrt((count - 1) / count * (deviations**2).sum(axis=1))
        units = total**2 / (y**2).sum(axis=1)
    return mean, np.where(count > 1, error, np.nan), units


def bounded(mean: Floats, error: Floats, t: Floats, units: Floats) -> Floats:
    """Return the ends of intervals by Student's t of means in [0, 1], rows × 2; they never leave it.

    Wilson's interval, scaled to the observed spread. With k = t²SE²/(m(1 − m)), or t²/n where SE is 0:
    (m + k/2 ± √(k·m(1 − m) + k²/4))/(1 + k).
    """
    mean = np.clip(mean, 0.0, 1.0)
    room = mean * (1 - mean)
    flat = (error <= NOTHING) | (room <= 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        k = t * t * np.where(flat, 1 / units, error * error / room)
    half = np.sqrt(k * room + k * k / 4)
    low, high = (mean + k / 2 - half) / (1 + k), (mean + k / 2 + half) / (1 + k)
    low, high = np.where(mean <= 0, 0.0, low), np.where(mean >= 1, 1.0, high)
    return np.stack([np.clip(low, 0.0, mean), np.clip(high, mean, 1.0)], axis=1)


def fieller(x: Floats, y: Floats, u: Floats, n: NDArray[np.int64]) -> Floats:
    """Return Fieller's interval of Σx/Σy of each row, rows × 2; NaN where it is unbounded.

    These are all θ for which the mean of x − θy over the n units is not rejected at u. With y constant it
    is Student's interval. It is computed around the ratio, where no digit is lost.
    """
    g = u * u * n
    total = y.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = x.sum(axis=1) / total
        rest = x - value[:, None] * y
        a = total**2 - g * (y * y).sum(axis=1)
        b, c = -g * (rest * y).sum(axis=1), -g * (rest * rest).sum(axis=1)
        root = np.sqrt(np.maximum(b * b - a * c, 0.0))
        ends = value[:, None] + np.stack([b - root, b + root], axis=1) / a[:, None]
    ends[~(a > 0)] = np.nan
    return np.asarray(ends)
