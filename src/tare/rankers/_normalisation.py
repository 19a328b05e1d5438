"""Normalisation of features within each query, as in RankLib."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tare.errors import choose

__all__ = ["NORMALISATIONS", "normalised"]

NORMALISATIONS = ("none", "sum", "zscore", "linear")


def normalised(
    features: NDArray[np.float32], offsets: NDArray[np.int64], how: str
) -> NDArray[np.float32]:
    """Normalise the features of each query.

    "sum" divides by the sum of absolute values, "zscore" standardises, and "linear" scales to 0 … 1. A
    feature that is constant within a query becomes 0 with "zscore" and "linear".

    >>> normalised(np.array([[1, 5], [3, 5]], np.float32), np.array([0, 2]), "linear").tolist()
    [[0.0, 0.0], [1.0, 0.0]]
    """
    choose("normalise", how, NORMALISATIONS)
    counts = np.diff(offsets)
    if how == "none" or len(features) == 0:
        return features
    at = offsets[:-1][counts > 0]
    counts = counts[counts > 0]
    wide = features.astype(np.float64)

    def spread(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.repeat(rows, counts, axis=0)

    if how == "sum":
        total = np.add.reduceat(np.abs(wide), at, axis=0)
        total[total == 0] = 1
        made = wide / spread(total)
    elif how == "linear":
        low, high = np.minimum.reduceat(wide, at, axis=0), np.maximum.reduceat(wide, at, axis=0)
        room = high - low
        room[room == 0] = 1
        made = (wide - spread(low)) / spread(room)
    else:
        mean = np.add.reduceat(wide, at, axis=0) / counts[:, None]
        centred = wide - spread(mean)
        deviation = np.sqrt(np.add.reduceat(centred**2, at, axis=0) / counts[:, None])
        deviation[deviation == 0] = 1
        made = centred / spread(deviation)
    return np.ascontiguousarray(made, dtype=np.float32)
