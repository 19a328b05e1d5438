"""Comparisons of systems that lack scores: each pair on the data sets that both have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._decide.leaderboard.data import Board

__all__ = ["CommonPairs", "common_pairs"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CommonPairs:
    """Differences of all pairs on their common data sets.

    Attributes
    ----------
    differences, errors : ndarray
        The differences row − column and their standard errors; NaN if too few data sets are common.
    freedom : ndarray of int
        Degrees of freedom of the standard errors.
    largest : ndarray
        The largest standardised deviation of a pair with an incomplete system, in each draw.
    wins : ndarray
        How many systems each system beats in each draw, systems × draws; ties count one half.
    """

    differences: Floats
    errors: Floats
    freedom: NDArray[np.int64]
    largest: Floats
    wins: Floats


def common_pairs(board: Board, over: str, draws: int, seed: int) -> CommonPairs:
    """Compare each pair on the data sets that both systems have."""
    known = board.known()
    whole = np.asarray(known.all(axis=1))
    count = len(board.systems)
    matrix = np.where(known, board.matrix(), 0.0)
    differences, errors = np.full((2, count, count), np.nan)
    freedom = np.zeros((count, count), dtype=np.int64)
    inside = [board.inside(k, over, draws, seed) for k in range(len(board.cells))]
    shares = np.broadcast_to(board.shares(over, draws, seed), (len(board.cells), draws))
    wins, largest = np.zeros((count, draws)), np.zeros(draws)
    _complete_pairs(
        board, np.flatnonzero(whole), over, draws, seed, differences, errors, freedom, wins
    )
    done: list[int] = []
    for i in np.flatnonzero(~whole):
        both = known & known[int(i)]
        variances, free = _spread(board, int(i), both, matrix, over)
        sizes = both.sum(axis=1)
        usable = np.asarray((free >= (2 if over != "queries" else 1)) & (np.arange(count) != i))
        with np.errstate(invalid="ignore", divide="ignore"):
            gaps = (both * (matrix[i] - matrix)).sum(axis=1) / sizes
        freedom[i], freedom[:, i] = free, free
        others = [int(j) for j in np.flatnonzero(usable) if whole[j] or j not in done]
        for j in others:
            differences[i, j], differences[j, i] = gaps[j], -gaps[j]
            errors[i, j] = errors[j, i] = np.sqrt(max(variances[j], 0.0))
        drawn = _drawn(int(i), others, both, inside, shares)
        wins[i] += ((drawn > 0) + 0.5 * (drawn == 0)).sum(axis=0)
        for row, j in zip(drawn, others, strict=True):
            wins[j] += (row < 0) + 0.5 * (row == 0)
            if errors[i, j] > 0:
                np.fmax(largest, np.abs(row - gaps[j]) / errors[i, j], out=largest)
        done.append(int(i))
    return CommonPairs(differences, errors, freedom, largest, wins)


def _complete_pairs(
    board: Board,
    whole: NDArray[np.int64],
    over: str,
    draws: int,
    seed: int,
    differences: Floats,
    errors: Floats,
    freedom: NDArray[np.int64],
    wins: Floats,
) -> None:
    """Fill in the pairs of complete systems, which are compared by their means."""
    if len(whole) == 0:
        return
    complete = board.only(whole.tolist())
    means = complete.matrix().mean(axis=1)
    covariance, free = complete.covariance(over)
    variance = np.diag(covariance)
    place = np.ix_(whole, whole)
    differences[place] = means[:, None] - means[None, :]
    errors[place] = np.sqrt(np.maximum(variance[:, None] + variance[None, :] - 2 * covariance, 0.0))
    freedom[place] = free
    wins[whole] += _beaten(complete.replicates(over, draws, seed)).T


def _beaten(drawn: Floats) -> Floats:
    """Return how many others each entry of a row exceeds; ties count one half.

    >>> _beaten(np.array([[0.2, 0.1, 0.2]])).tolist()
    [[1.5, 0.0, 1.5]]
    """
    order = np.argsort(drawn, axis=1)
    ordered = np.take_along_axis(drawn, order, axis=1)
    places = np.broadcast_to(np.arange(drawn.shape[1]), drawn.shape)
    new = np.ones(drawn.shape, dtype=bool)
    new[:, 1:] = ordered[:, 1:] > ordered[:, :-1]
    first = np.maximum.accumulate(np.where(new, places, 0), axis=1)
    ends = np.ones(drawn.shape, dtype=bool)
    ends[:, :-1] = new[:, 1:]
    reverse = np.where(ends, places, drawn.shape[1])[:, ::-1]
    last = np.minimum.accumulate(reverse, axis=1)[:, ::-1]
    made = np.empty(drawn.shape)
    np.put_along_axis(made, order, (first + last) / 2, axis=1)
    return made


def _spread(
    board: Board, i: int, both: NDArray[np.bool_], matrix: Floats, over: str
) -> tuple[Floats, NDArray[np.int64]]:
    """Return the variances of the differences from system i, and their degrees of freedom."""
    sizes = both.sum(axis=1)
    if over != "queries":
        gaps = np.where(both, matrix[i] - matrix, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = gaps.sum(axis=1) / sizes
            squares = (both * (gaps - means[:, None]) ** 2).sum(axis=1)
            return squares / (sizes - 1) / sizes, np.maximum(sizes - 1, 0)
    total, free = np.zeros(len(sizes)), np.zeros(len(sizes), dtype=np.int64)
    for k, cells in enumerate(board.cells):
        there, items = np.flatnonzero(both[:, k]), cells.shape[1]
        total[there] += (cells[i] - cells[there]).var(axis=1, ddof=1) / items
        free[there] += items - 1
    with np.errstate(invalid="ignore", divide="ignore"):
        return total / sizes**2, free


def _drawn(
    i: int, others: list[int], both: NDArray[np.bool_], inside: list[Floats], shares: Floats
) -> Floats:
    """Return the difference of system i from each other one in each draw; NaN if no data set is drawn."""
    above, below = np.zeros((2, len(others), shares.shape[1]))
    chosen = np.array(others, dtype=np.int64)
    if all(means.shape[1] == 1 for means in inside):  # the means are the same in every draw
        fixed, there = np.hstack(inside), both[chosen]
        above = np.where(there, fixed[i] - fixed[chosen], 0.0) @ shares
        below = there.astype(np.float64) @ shares
    else:
        for k, means in enumerate(inside):
            rows = np.flatnonzero(both[chosen, k])
            above[rows] += shares[k] * (means[i] - means[chosen[rows]])
            below[rows] += shares[k]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(above / below)
