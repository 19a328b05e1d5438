"""Student's t distribution without scipy, whose import takes longer than scoring a run."""

from __future__ import annotations

import math
from functools import lru_cache

__all__ = ["student_quantile", "student_tail"]

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
