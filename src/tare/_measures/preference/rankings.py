"""Sums over rankings of the utility of each document, given those before it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["greedy_order", "sums"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]


def sums(rankings: Numbers, alone: Array, after: Array, weights: Array, combine: str) -> Array:
    """Return Σ_i w_i·u_i of each row of document numbers; u_i combines U(d_i | d_j), j < i."""
    depth = rankings.shape[1]
    if depth == 0:
        return np.zeros(len(rankings))
    worth = np.empty(rankings.shape)
    worth[:, 0] = alone[rankings[:, 0]]
    for i in range(1, depth):
        known = after[rankings[:, i, None], rankings[:, :i]]
        worth[:, i] = known.mean(axis=1) if combine == "mean" else known.min(axis=1)
    return np.asarray(worth @ weights[:depth])


def greedy_order(
    pool: Numbers,
    alone: Array,
    after: Array,
    depth: int,
    combine: str,
    choose: Callable[[Array], np.intp] = np.argmax,
) -> Numbers:
    """Return the greedy order: the best U(d), then the best given those chosen; O(K·n).

    A number may occur several times in the pool, for documents without judgements.
    """
    left = np.ones(len(pool), dtype=bool)
    known = alone[pool].copy()
    order: list[int] = []
    worst = -np.inf if choose is np.argmax else np.inf
    for place in range(min(depth, len(pool))):
        score = known if place < 2 or combine == "min" else known / place
        best = int(choose(np.where(left, score, worst)))
        left[best] = False
        order.append(int(pool[best]))
        column = after[pool, pool[best]]
        if place == 0:
            known = column.copy()
        elif combine == "mean":
            known = known + column
        else:
            known = np.minimum(known, column)
    return np.array(order, dtype=np.int64)
