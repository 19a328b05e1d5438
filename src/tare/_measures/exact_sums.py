"""Sums and means without rounding on the way, also of numbers near the largest ones."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["exact_mean", "exact_sum"]

SHRUNK = 2.0**-64  # a power of two: no digit of a large number is lost


def exact_sum(values: NDArray[np.float64] | Sequence[float]) -> float:
    """Return the sum, rounded once; infinite if it is beyond the largest number.

    >>> exact_sum([1e308, 1e308, -1e308]), exact_sum([1e308, 1e308])
    (1e+308, inf)
    """
    try:
        return math.fsum(values)
    except OverflowError:  # in a partial sum
        return _shrunk_sum(values) / SHRUNK


def exact_mean(values: NDArray[np.float64] | Sequence[float]) -> float:
    """Return the mean, which is finite for finite values.

    >>> exact_mean([1e308, 1.5e308])
    1.25e+308
    """
    try:
        return math.fsum(values) / len(values)
    except OverflowError:
        return _shrunk_sum(values) / len(values) / SHRUNK


def _shrunk_sum(values: NDArray[np.float64] | Sequence[float]) -> float:
    return math.fsum(float(value) * SHRUNK for value in values)
