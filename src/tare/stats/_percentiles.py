"""Percentiles of draws. NumPy's own function takes longer than many kernels do."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["middle"]


def middle(drawn: NDArray[np.float64], confidence: float) -> tuple[float, float, int]:
    """Return the ends of the middle part of some draws, and how many draws are missing.

    The ends have the same bits as those of `numpy.nanquantile`; they are NaN if all draws are missing.

    >>> middle(np.array([4.0, 1.0, np.nan, 2.0, 3.0]), 0.5)
    (1.75, 3.25, 1)
    """
    known = np.sort(drawn)  # NaN come last
    missing = int(np.isnan(known).sum())
    count = len(known) - missing
    low, high = (
        _interpolated(known, count, p) for p in ((1 - confidence) / 2, (1 + confidence) / 2)
    )
    return low, high, missing


def _interpolated(known: NDArray[np.float64], count: int, level: float) -> float:
    if count == 0:
        return math.nan
    place = (count - 1) * level
    before = int(place)
    a, b = float(known[before]), float(known[min(before + 1, count - 1)])
    share = place - before
    return b - (b - a) * (1 - share) if share >= 0.5 else a + (b - a) * share
