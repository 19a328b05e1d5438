"""Ranks with ties, without `scipy.stats`, whose import takes a second."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["mean_ranks"]


def mean_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ranks from 1 along the last axis, the smallest value first.

    Equal values share the mean of their ranks. NaN has no rank and counts for no other value.

    >>> mean_ranks(np.array([0.3, 0.1, 0.3, np.nan])).tolist()
    [2.5, 1.0, 2.5, nan]
    """
    order = np.argsort(values, axis=-1, kind="stable")  # NaN last
    ordered = np.take_along_axis(values, order, axis=-1)
    count = values.shape[-1]
    places = np.broadcast_to(np.arange(count), values.shape)
    changes = ordered[..., 1:] != ordered[..., :-1]
    edge = np.ones((*values.shape[:-1], min(1, count)), dtype=bool)
    begins = np.maximum.accumulate(
        np.where(np.concatenate([edge, changes], axis=-1), places, 0), axis=-1
    )
    last = np.where(np.concatenate([changes, edge], axis=-1), places, count)
    ends = np.minimum.accumulate(last[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (begins + ends) / 2 + 1, axis=-1)
    ranks[np.isnan(values)] = np.nan
    return ranks
