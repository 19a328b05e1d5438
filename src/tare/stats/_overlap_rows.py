"""Rank-biased overlap of many pairs of rankings of the same systems at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["rbo_of_rows"]

Floats = NDArray[np.float64]
CELLS = 4_000_000


def rbo_of_rows(x: Floats, y: Floats, *, p: float = 0.9) -> Floats:
    """Return the extrapolated rank-biased overlap of each row of scores of x with that of y.

    Equal to `rbo(…, ties="a").ext` for rankings of the same items: the mean over all orders of ties.

    >>> rbo_of_rows(np.array([[3.0, 2.0, 1.0]]), np.array([[3.0, 1.0, 2.0]])).round(4).tolist()
    [0.955]
    """
    n = x.shape[1]
    depth = np.arange(1, n + 1)
    weights = (1 - p) / p * p**depth
    step = max(1, CELLS // (n * n))
    made = np.empty(len(x))
    for at in range(0, len(x), step):
        parts = [_inside(rows[at : at + step], depth) for rows in (x, y)]
        seen = np.einsum("bid,bid->bd", *parts)
        made[at : at + step] = (seen / depth * weights).sum(axis=1) + p**n
    return made


def _inside(rows: Floats, depth: NDArray[np.int64]) -> Floats:
    """Return rows × items × depths: the share of orders of ties with an item in the first d ranks."""
    above = (rows[:, None, :] > rows[:, :, None]).sum(axis=2)
    tied = (rows[:, None, :] == rows[:, :, None]).sum(axis=2)
    made: Floats = np.clip((depth - above[..., None]) / tied[..., None], 0.0, 1.0)
    return made
