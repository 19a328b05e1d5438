"""Tests with a known null distribution: Student's t, Wilcoxon's signed ranks, and the sign test."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._kernels.statistics import ZEROS, signed_ranks
from tare.errors import choose
from tare.stats._paired_differences import Pairs, PairTest

__all__ = [
    "MOST_EXACT",
    "one_sided",
    "paired_t",
    "pooled_t",
    "sign_p",
    "sign_test",
    "two_sided_t",
    "welch_t",
    "wilcoxon",
    "wilson_interval",
]


# One-sided p-values of tests with a symmetric null distribution.


Floats = NDArray[np.float64]


def one_sided(result: PairTest, side: str) -> Floats:
    """The one-sided p of a paired test: the second system of each pair scores "above" or "below" the first.

    Half the two-sided p-value if the statistic points that way, otherwise 1 minus half of it (for a
    discrete test, up to the probability of the observed value). Every paired test has a symmetric null
    distribution.

    >>> from tare.stats._paired_differences import Pairs
    >>> from tare.stats._classical_tests import paired_t
    >>> made = paired_t(Pairs.of_arrays([0.5, 0.7, 0.9], [0.4, 0.5, 0.6]))
    >>> [one_sided(made, side).round(4).tolist() for side in ("below", "above")]
    [[0.0371], [0.9629]]
    """
    towards = -_direction(result) if side == "above" else _direction(result)
    half = result.p / 2
    return np.where(towards > 0, half, np.where(towards < 0, 1 - half, 0.5))


def _direction(result: PairTest) -> Floats:
    """The direction of a paired test: positive where the first system is better by its statistic."""
    pairs = result.pairs
    if result.test == "sign":
        with np.errstate(invalid="ignore"):
            return np.asarray(np.nansum(np.sign(pairs.differences), axis=1), dtype=np.float64)
    if result.test.startswith("wilcoxon") or result.test.endswith("-w"):
        ranks = signed_ranks(pairs.differences, zeros="dropped", most_exact=0, seed=0)
        made: Floats = ranks.plus - ranks.minus
        return made
    return pairs.means


# A share of wins: the p-value of the sign test, and Wilson's interval.


def sign_p(wins: ArrayLike, losses: ArrayLike) -> NDArray[np.float64]:
    """Return the exact two-sided p of the sign test for wins and losses that are equally likely; 1 if there are none.

    >>> float(sign_p(5, 0))
    0.0625
    """
    from scipy.special import bdtr

    won, lost = np.asarray(wins), np.asarray(losses)
    total = won + lost
    tail = bdtr(np.minimum(won, lost), np.maximum(total, 1), 0.5)
    return np.where(total == 0, 1.0, np.minimum(1.0, 2 * tail))


def wilson_interval(wins: int, total: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's interval of a share, without correction for continuity.

    >>> [round(end, 4) for end in wilson_interval(8, 10)]
    [0.4902, 0.9433]
    """
    from scipy.special import ndtri

    z = float(ndtri((1 + confidence) / 2))
    centre = wins + z * z / 2
    half = z * math.sqrt(wins * (total - wins) / total + z * z / 4)
    low, high = (centre - half) / (total + z * z), (centre + half) / (total + z * z)
    return 0.0 if wins == 0 else low, 1.0 if wins == total else high


# Tests on signs and signed ranks: the sign test and Wilcoxon's.


MOST_EXACT = 50  # differences up to which the exact distribution is used


def sign_test(pairs: Pairs) -> PairTest:
    """Run the sign test: the smaller of wins and losses is binomial with probability ½; ties are dropped.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.

    Returns
    -------
    PairTest
        The exact two-sided p-value of each pair.

    Examples
    --------
    >>> sign_test(Pairs.of_arrays([1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 6])).p.tolist()
    [0.0625]
    """
    with np.errstate(invalid="ignore"):
        wins = (pairs.differences > 0).sum(axis=1)
        losses = (pairs.differences < 0).sum(axis=1)
    methods = ("exact binomial",) * len(pairs)
    return PairTest("sign", pairs, wins.astype(np.float64), sign_p(wins, losses), pairs.n, methods)


def wilcoxon(
    pairs: Pairs, *, zeros: str = "dropped", exact: int = MOST_EXACT, seed: int = 0
) -> PairTest:
    """Run Wilcoxon's signed-rank test.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.
    zeros : {"dropped", "pratt", "putter"}
        How differences of 0 are treated: dropped (Wilcoxon), ranked and then dropped (Pratt), or
        ranked with random signs (Putter).
    exact : int
        Up to this many differences, p comes from the exact distribution of W⁺ with the observed ranks,
        by dynamic programming. Beyond, it comes from the normal distribution with mean Σr/2 and
        variance Σr²/4, without a continuity correction.
    seed : int
        Seed of the random signs of "putter".

    Returns
    -------
    PairTest
        W⁺, the sum of the ranks of |d| over the positive d, and p. Ties share their mean rank. `methods`
        names the method used for each pair.

    Raises
    ------
    OptionError
        If `zeros` is unknown.

    References
    ----------
    Wilcoxon (1945); Pratt (1959); Putter (1955).

    Examples
    --------
    >>> wilcoxon(Pairs.of_arrays([1, 2, 3, 4, 5, 6], [0, 0, 0, 0, 0, 7])).p.tolist()
    [0.09375]
    """
    from scipy.special import ndtr

    choose("zeros", zeros, ZEROS)
    ranks = signed_ranks(pairs.differences, zeros=zeros, most_exact=exact, seed=seed)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (ranks.plus - ranks.minus) / 2 / np.sqrt(ranks.variance)
        normal = np.where(ranks.used == 0, 1.0, 2 * ndtr(-np.abs(z)))
    by_count = ~np.isnan(ranks.exact)
    p = np.where(by_count, ranks.exact, np.minimum(normal, 1.0))
    methods = tuple(np.where(by_count, "exact", "normal").tolist())
    name = "wilcoxon" if exact else "wilcoxon-normal"
    return PairTest(name, pairs, ranks.plus, p, ranks.used, methods, note=f"zeros: {zeros}")


# Student's t-tests on pairs of systems: paired, and the unpaired ones for comparison.


def two_sided_t(t: Floats, freedom: Floats) -> Floats:
    """P(|T| ≥ |t|)."""
    from scipy.special import stdtr

    with np.errstate(invalid="ignore"):
        made: Floats = 2 * stdtr(freedom, -np.abs(t))
    return made


def _without_spread(p: Floats, pairs: Pairs, t: Floats) -> Floats:
    """The paired t-test of equal differences: they leave no error term for t; their signs alone give p = 2^(1 − n)."""
    return np.where(np.isinf(t), 2.0 ** (1.0 - pairs.n), p)


def _methods(t: Floats) -> tuple[str, ...]:
    names = np.where(np.isinf(t), "constant difference", "t distribution")
    return tuple(names.tolist())


def paired_t(pairs: Pairs) -> PairTest:
    """Run the paired t-test: t = d̄ / (s_d/√n) with n − 1 degrees of freedom.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.

    Returns
    -------
    PairTest
        t and p of each pair. If all differences are 0, p = 1. If they are all equal and not 0, there is
        no error term: t is infinite and p = 2^(1 − n), from the signs alone.

    References
    ----------
    Student (1908). The probable error of a mean. Biometrika 6.

    Examples
    --------
    >>> paired_t(Pairs.of_arrays([0.5, 0.7, 0.9], [0.4, 0.5, 0.6])).p.round(4).tolist()
    [0.0742]
    """
    freedom = pairs.n.astype(np.float64) - 1
    t = pairs.t
    p = _without_spread(two_sided_t(t, freedom), pairs, t)
    return PairTest("t", pairs, t, p, pairs.n, _methods(t), freedom=freedom)


def _unpaired(pairs: Pairs) -> tuple[Floats, Floats, Floats, Floats]:
    """What unpaired t-tests need: the means' difference and the two variances over the common items."""
    x, y = pairs.scores[pairs.first], pairs.scores[pairs.second]
    missing = np.isnan(x) | np.isnan(y)
    x, y = np.where(missing, np.nan, x), np.where(missing, np.nan, y)
    n = pairs.n.astype(np.float64)

    def variance(values: Floats) -> Floats:
        centred = values - (np.nansum(values, axis=1) / n)[:, None]
        made: Floats = np.nansum(centred * centred, axis=1) / (n - 1)
        return np.where(made <= (1e-3 * pairs.quantum) ** 2, 0.0, made)

    return pairs.means, variance(x), variance(y), n


def _t(difference: Floats, error: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((error == 0) & (difference == 0), 0.0, difference / error)


def welch_t(pairs: Pairs) -> PairTest:
    """Run Welch's unpaired t-test: t = (x̄ − ȳ)/√(s_x²/n + s_y²/n), with Satterthwaite's degrees of freedom.

    It ignores that both systems were scored on the same items; paired tests have more power.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.

    Returns
    -------
    PairTest
        t and p of each pair.

    References
    ----------
    Welch (1947).

    Examples
    --------
    >>> welch_t(Pairs.of_arrays([0.5, 0.7, 0.9], [0.4, 0.5, 0.6])).p.round(4).tolist()
    [0.2209]
    """
    difference, vx, vy, n = _unpaired(pairs)
    t = _t(difference, np.sqrt(vx / n + vy / n))
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = (vx + vy) ** 2 * (n - 1) / (vx**2 + vy**2)
    freedom = np.where((vx == 0) & (vy == 0), 2 * n - 2, freedom)
    p = _without_spread(two_sided_t(t, freedom), pairs, t)
    return PairTest("welch", pairs, t, p, pairs.n, _methods(t), freedom=freedom)


def pooled_t(pairs: Pairs) -> PairTest:
    """Run the unpaired t-test with one pooled variance and 2n − 2 degrees of freedom.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.

    Returns
    -------
    PairTest
        t and p of each pair.

    Examples
    --------
    >>> pooled_t(Pairs.of_arrays([0.5, 0.7, 0.9], [0.4, 0.5, 0.6])).p.round(4).tolist()
    [0.1963]
    """
    difference, vx, vy, n = _unpaired(pairs)
    t = _t(difference, np.sqrt((vx + vy) / n))
    freedom = 2 * n - 2
    p = _without_spread(two_sided_t(t, freedom), pairs, t)
    return PairTest("pooled", pairs, t, p, pairs.n, _methods(t), freedom=freedom)
