"""Rank intervals: which ranks of a system a test of all pairs does not exclude.

Percentiles of bootstrap ranks fail with ties. A rank interval counts the significant differences of all
pairs, tested together, instead (Mogstad, Romano, Shaikh and Wilhelm 2024).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare.errors import MismatchError, check_share
from tare.stats._flips import SLACK

__all__ = ["RankIntervals", "rank_intervals"]


@dataclass(frozen=True)
class RankIntervals:
    """Rank intervals of systems: the ranks that a test of all pairs does not exclude.

    Attributes
    ----------
    low, high : ndarray of int
        The best and the worst rank of each system.
    better : ndarray of bool
        Whether the system of the row is significantly better than the system of the column.
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    better: NDArray[np.bool_]


def rank_intervals(differences: ArrayLike, p: ArrayLike, *, alpha: float = 0.05) -> RankIntervals:
    """Return the rank interval of each of K systems: [1 + number significantly better, K − number significantly worse].

    If the p-values control the error over all pairs, all intervals together contain all true ranks with
    probability 1 − alpha at least.

    Parameters
    ----------
    differences : array_like
        Row − column, systems × systems; higher is better. NaN marks pairs that were not compared.
    p : array_like
        The adjusted p-value of each pair, systems × systems.
    alpha : float
        Error rate over all pairs.

    Returns
    -------
    RankIntervals

    Raises
    ------
    MismatchError
        If the shapes are not systems × systems.
    OptionError
        If alpha is out of range.

    Examples
    --------
    >>> gaps = [[0, 0.4, 0.5], [-0.4, 0, 0.1], [-0.5, -0.1, 0]]
    >>> found = rank_intervals(gaps, [[1, 0.01, 0.01], [0.01, 1, 0.6], [0.01, 0.6, 1]])
    >>> found.low.tolist(), found.high.tolist()
    ([1, 2, 2], [1, 3, 3])
    """
    gaps, adjusted = np.asarray(differences, dtype=np.float64), np.asarray(p, dtype=np.float64)
    if gaps.ndim != 2 or gaps.shape[0] != gaps.shape[1] or adjusted.shape != gaps.shape:
        raise MismatchError(
            f"differences and p: expected systems × systems, found {gaps.shape} and {adjusted.shape}."
        )
    check_share("alpha", alpha)
    with np.errstate(invalid="ignore"):
        better = (adjusted <= alpha * (1 + SLACK)) & (gaps > 0)
    low = 1 + better.sum(axis=0)
    high = len(gaps) - better.sum(axis=1)
    return RankIntervals(low.astype(np.int64), high.astype(np.int64), better)
