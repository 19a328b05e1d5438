"""Tests on signs and signed ranks: the sign test and Wilcoxon's."""

from __future__ import annotations

import numpy as np

from tare._kernels.statistics import ZEROS, signed_ranks
from tare.errors import choose
from tare.stats._pair_tests import PairTest
from tare.stats._pairs import Pairs
from tare.stats._shares import sign_p

__all__ = ["MOST_EXACT", "sign_test", "wilcoxon"]

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
