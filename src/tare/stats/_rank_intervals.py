"""Rank intervals: which ranks of a system the data do not exclude.

Percentiles of bootstrap ranks fail with ties. A rank interval inverts simultaneous comparisons of all
pairs instead (Mogstad, Romano, Shaikh and Wilhelm 2024).
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._measures.student_interval import student_quantile
from tare.errors import MismatchError, OptionError

__all__ = [
    "RankIntervals",
    "best_shares",
    "largest_deviations",
    "pair_rank_intervals",
    "rank_intervals",
]

Floats = NDArray[np.float64]
LARGE = 8.0  # beyond this quantile of the normal distribution, t is not computed any more


@dataclass(frozen=True)
class RankIntervals:
    """The ranks of systems with simultaneous intervals.

    Attributes
    ----------
    low, high : ndarray of int
        The best and the worst rank of each system that the data do not exclude.
    better : ndarray of bool
        Whether the system of the row is significantly better than the system of the column.
    critical : float
        The critical value of |difference|/standard error, for all pairs at once.
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    better: NDArray[np.bool_]
    critical: float


def rank_intervals(
    estimates: ArrayLike,
    replicates: ArrayLike,
    errors: ArrayLike,
    *,
    freedom: int | None = None,
    alpha: float = 0.05,
) -> RankIntervals:
    """Compute simultaneous rank intervals from bootstrap replicates.

    Parameters
    ----------
    estimates : array_like
        The mean of each system; higher is better.
    replicates : array_like
        Bootstrap replicates of the means, draws × systems.
    errors : array_like
        Standard errors of the differences, systems × systems.
    freedom : int, optional
        Degrees of freedom of the standard errors. The critical value is then that of Student's t
        distribution with the same marginal level.
    alpha : float
        Error rate over all pairs.

    Returns
    -------
    RankIntervals
        [1 + number significantly better, K − number significantly worse] of each system.

    Notes
    -----
    The critical value is the 1 − α quantile over draws of the largest |(d* − d)|/standard error of all
    pairs (max-T). With probability 1 − α, all intervals contain all true ranks at once.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> means = np.array([0.9, 0.5, 0.5])
    >>> draws = means + rng.normal(0, 0.01, (1000, 3))
    >>> found = rank_intervals(means, draws, np.full((3, 3), 0.014))
    >>> found.low.tolist(), found.high.tolist()
    ([1, 2, 2], [1, 3, 3])
    """
    means = np.asarray(estimates, dtype=np.float64)
    drawn = np.asarray(replicates, dtype=np.float64)
    spread = np.asarray(errors, dtype=np.float64)
    count = len(means)
    if drawn.ndim != 2 or drawn.shape[1] != count or spread.shape != (count, count):
        raise MismatchError(
            f"{count} estimates, replicates of shape {drawn.shape} and errors of shape {spread.shape} do "
            "not fit together."
        )
    if not 0 < alpha < 1:
        raise OptionError(f"alpha={alpha:g} is out of range; it must lie between 0 and 1.")
    largest = largest_deviations(drawn - means, spread)
    rounding = 1e-12 * max(float(np.abs(means).max(initial=0.0)), 1e-300)
    gaps = means[:, None] - means[None, :]
    return pair_rank_intervals(
        gaps, spread, largest, freedom=freedom, alpha=alpha, rounding=rounding
    )


def pair_rank_intervals(
    differences: Floats,
    errors: Floats,
    largest: Floats,
    *,
    freedom: int | NDArray[np.int64] | None = None,
    alpha: float = 0.05,
    rounding: float = 1e-12,
) -> RankIntervals:
    """Compute rank intervals from the differences of all pairs.

    Parameters
    ----------
    differences, errors : ndarray
        Differences row − column and their standard errors. NaN marks pairs that cannot be compared;
        they never differ significantly.
    largest : ndarray
        The largest standardised deviation of a pair in each draw.
    freedom : int or ndarray of int, optional
        Degrees of freedom of the standard errors, for all pairs or for each.
    alpha : float
        Error rate over all pairs.
    rounding : float
        Smaller differences and errors count as 0.

    Returns
    -------
    RankIntervals
    """
    count, draws = len(differences), len(largest)
    place = min(draws - 1, int(np.ceil((1 - alpha) * (draws + 1))) - 1)
    critical = float(np.partition(largest, place)[place])
    limits = np.full((count, count), critical)
    if freedom is not None and 0 < critical < LARGE:
        level = NormalDist().cdf(critical)
        free = np.broadcast_to(np.asarray(freedom), limits.shape)
        for one in np.unique(free[free > 0]):
            limits[free == one] = student_quantile(level, int(one))
        if np.ndim(freedom) == 0:
            critical = float(limits[0, 0])
    # Without spread, any difference beyond rounding is one.
    with np.errstate(invalid="ignore"):
        better = np.where(errors > rounding, differences > limits * errors, differences > rounding)
    low = 1 + better.sum(axis=0)
    high = count - better.sum(axis=1)
    return RankIntervals(low.astype(np.int64), high.astype(np.int64), better, critical)


def largest_deviations(centred: Floats, errors: Floats) -> Floats:
    """Return the largest standardised deviation of a pair in each draw."""
    draws, count = centred.shape
    columns = np.ascontiguousarray(centred.T)
    largest = np.zeros(draws)
    with np.errstate(divide="ignore"):
        scale = np.where(errors > 0, 1 / errors, 0.0)
    for i in range(count - 1):
        gap = np.abs(columns[i + 1 :] - columns[i])
        gap *= scale[i, i + 1 :, None]
        np.maximum(largest, gap.max(axis=0), out=largest)
    return largest


def best_shares(replicates: ArrayLike) -> Floats:
    """Return the share of draws in which each system is best; ties share a draw. They sum to 1.

    >>> best_shares([[1.0, 0.0], [1.0, 1.0]]).tolist()
    [0.75, 0.25]
    """
    drawn = np.asarray(replicates, dtype=np.float64)
    top = drawn == drawn.max(axis=1, keepdims=True)
    shares: Floats = (top / top.sum(axis=1, keepdims=True)).mean(axis=0)
    return shares
