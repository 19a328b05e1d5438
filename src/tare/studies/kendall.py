"""Kendall's τ-b between two orders of systems."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["tau"]

ROUNDING = 1e-12


def tau(a: ArrayLike, b: ArrayLike) -> float:
    """τ-b; NaN where one of the two tells no systems apart.

    >>> tau([1, 2, 3], [1, 3, 2])
    0.3333333333333333
    """
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    upper = np.triu_indices(len(x), 1)
    dx, dy = (np.subtract.outer(v, v)[upper] for v in (x, y))
    sx, sy = (np.where(np.abs(d) <= ROUNDING, 0.0, np.sign(d)) for d in (dx, dy))
    both = math.sqrt(float((sx != 0).sum()) * float((sy != 0).sum()))
    return float((sx * sy).sum()) / both if both > 0 else math.nan
