"""The exact expected value of a random ranking of a pool.

Rank 1: the mean of U(d). Ranks i ≥ 2 with combine=mean: the mean of U(d | d') over ordered pairs.
With combine=min, for the n−1 conditional utilities of d in ascending order v_(1) ≤ v_(2) ≤ …,
E[min of i−1 of them] = Σ_r v_(r)·C(n−1−r, i−2)/C(n−1, i−1).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tare.errors import MeasureError

__all__ = ["expected_sum"]

Array = NDArray[np.float64]
LARGEST = 1_000_000


def expected_sum(
    pool: NDArray[np.int64], others: int, alone: Array, after: Array, weights: Array, combine: str
) -> float:
    """Return the mean of Σ_i w_i·u_i over all orders of the pool and `others` unjudged documents."""
    n = len(pool) + others
    depth = min(len(weights), n)
    if n == 0:
        return 0.0
    worth = np.zeros(depth)
    worth[0] = alone[pool].sum() / n
    if depth > 1:
        inside = after[np.ix_(pool, pool)].copy()
        np.fill_diagonal(inside, 0.0)
        if combine == "mean":
            total = inside.sum() + others * after[pool, -1].sum()
            worth[1:] = total / (n * (n - 1.0))
        else:
            worth[1:] = _minima(pool, others, after, depth) / n
    return float(worth @ weights[:depth])


def _minima(pool: NDArray[np.int64], others: int, after: Array, depth: int) -> Array:
    """Return Σ_d E[min of i−1 of its conditional utilities], for i = 2 … depth."""
    n = len(pool) + others
    if n > LARGEST:
        raise MeasureError(
            f"combine=min supports pools of at most {LARGEST:,} documents, found {n:,}."
        )
    # beyond[i, r] = C(n−1−r, i−1)/C(n−1, i−1): the probability that none of the r smallest is drawn.
    taken = np.arange(1, depth)[:, None]
    step = np.arange(n - 1)[None, :]
    ratio = np.clip((n - 1 - step - taken) / (n - 1 - step), 0.0, None)
    beyond = np.concatenate([np.ones((depth - 1, 1)), np.cumprod(ratio, axis=1)], axis=1)
    total = np.zeros(depth - 1)
    for at, document in enumerate(pool):
        values = np.delete(after[document, pool], at)
        times = np.ones(len(values), dtype=np.int64)
        if others:
            values, times = np.append(values, after[document, -1]), np.append(times, others)
        order = np.argsort(values, kind="stable")
        below = np.concatenate([[0], np.cumsum(times[order])])
        total += (beyond[:, below[:-1]] - beyond[:, below[1:]]) @ values[order]
    return total
