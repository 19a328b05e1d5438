"""Certification: a mean loss smaller than a margin, by Gaffke's bound."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._kernels.statistics import exponential_sum_tail
from tare.errors import MismatchError, OptionError

__all__ = ["Certificate", "certify", "queries_to_certify"]

Floats = NDArray[np.float64]


class Certificate(NamedTuple):
    """Whether a loss of the margin or more is ruled out.

    Attributes
    ----------
    certified : bool
        Whether p ≤ alpha.
    pvalue : float
        p of a loss of the margin.
    bound : float
        The lower bound of the mean difference.
    n, needed : int
        The number of units, and the number that a candidate without gains needs at least.

    Examples
    --------
    >>> found = certify([0.0] * 100, 0.05)
    >>> found.certified, found.needed, round(found.bound, 3)
    (True, 59, -0.03)
    """

    certified: bool
    pvalue: float
    bound: float
    n: int
    needed: int


def queries_to_certify(margin: float, range: float = 1.0, alpha: float = 0.05) -> int:
    """Return the number of queries that a candidate without gains needs at least for a certificate.

    With no difference on any query p is (1 − margin/range)ⁿ; losses raise it, gains lower it.

    Parameters
    ----------
    margin : float
        The loss to rule out.
    range : float
        The largest loss that one query can have.
    alpha : float
        The level of the certificate.

    Returns
    -------
    int
        ⌈ln α / ln(1 − margin/range)⌉.

    Examples
    --------
    >>> [queries_to_certify(margin) for margin in (0.01, 0.02, 0.05, 0.1)]
    [299, 149, 59, 29]
    """
    _check(margin, range, alpha)
    if margin >= range:
        return 1
    return math.ceil(math.log(alpha) / math.log1p(-margin / range) - 1e-9)


def certify(
    differences: ArrayLike,
    margin: float,
    *,
    range: float = 1.0,
    clusters: ArrayLike | None = None,
    alpha: float = 0.05,
    threads: int = 0,
) -> Certificate:
    """Certify that the mean loss is smaller than a margin, by Gaffke's bound.

    p = P(Σ c_i E_i ≤ 0) with independent standard exponentials E_i, c_i = d_i + margin for the n units
    and one more unit at the worst possible loss, c_0 = margin − range.

    Parameters
    ----------
    differences : array_like
        Candidate − baseline per unit, oriented so that higher is better.
    margin : float
        The loss to rule out.
    range : float
        The largest loss that one unit can have: 1 for scores from 0 to 1.
    clusters : array_like, optional
        The cluster of each unit. The means of clusters are certified.
    alpha : float
        Certify if p ≤ alpha.
    threads : int
        Number of threads; 0 uses all cores. The result does not depend on it.

    Returns
    -------
    Certificate
        Whether the loss is ruled out, p, the lower bound of the mean difference at the level 1 − alpha,
        the number of units, and the number that a candidate without gains needs at least.

    Raises
    ------
    MismatchError
        If there is no difference, one is not finite, or clusters do not fit.
    OptionError
        If a difference is larger than the range, or margin or alpha is out of range.

    Notes
    -----
    For differences of −range and 0 only this is the exact binomial test. In general its validity is a
    conjecture (Gaffke 2005) without a known counterexample.

    References
    ----------
    Gaffke (2005). Three test statistics for a nonparametric one-sided hypothesis on the mean of a
    nonnegative variable. Learned-Miller and Thomas (2020). A new confidence interval for the mean of a
    bounded random variable.

    Examples
    --------
    >>> found = certify([0.0] * 59, 0.05)
    >>> found.certified, round(found.pvalue, 4)
    (True, 0.0485)
    """
    _check(margin, range, alpha)
    d = np.asarray(differences, dtype=np.float64)
    if d.ndim != 1 or len(d) == 0 or not np.isfinite(d).all():
        raise MismatchError("differences: expected one finite number per unit, at least one.")
    if clusters is not None:
        ids = np.asarray(clusters)
        if ids.shape != d.shape:
            raise MismatchError(
                f"clusters: expected one id per unit ({len(d):,}), found {ids.shape}."
            )
        _, place = np.unique(ids, return_inverse=True)
        d = np.bincount(place.ravel(), weights=d) / np.bincount(place.ravel())
    if np.abs(d).max() > range * (1 + 1e-12):
        raise OptionError(
            f"a difference of {d[np.abs(d).argmax()]:g} is larger than the range {range:g} of the "
            "scores. State the range that the scores can have."
        )
    values, weights = np.unique(d, return_counts=True)

    def p_of(tried: float) -> float:
        c = np.append(values + tried, tried - range)
        return exponential_sum_tail(c, np.append(weights, 1), threads)

    p = p_of(margin)
    return Certificate(
        p <= alpha,
        p,
        _bound(p_of, values, range, alpha),
        len(d),
        queries_to_certify(margin, range, alpha),
    )


def _bound(p_of: Callable[[float], float], values: Floats, range: float, alpha: float) -> float:
    """Return −m where p(m) = alpha: p falls from 1 at −max d to 0 at the range."""
    from scipy.optimize import toms748

    low, high = -float(values.max()), range
    if low >= high:
        return -high
    step = (high - low) * 1e-12
    return -float(toms748(lambda m: p_of(m) - alpha, low + step, high - step, xtol=1e-11))


def _check(margin: float, range: float, alpha: float) -> None:
    if not 0 < alpha < 1:
        raise OptionError(f"alpha={alpha} is out of range; it must lie between 0 and 1.")
    if not range > 0 or not math.isfinite(range):
        raise OptionError(f"range={range}: the range of the scores must be a positive number.")
    if not 0 < margin <= range:
        raise OptionError(f"margin={margin} is out of range; it must lie between 0 and {range:g}.")
