"""The p-values of draws, and their error."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["monte_carlo"]


def monte_carlo(counts: ArrayLike, draws: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """p = (b + 1)/(B + 1), which is never 0 and never too small, and its standard error.

    The error is √(p(1 − p)/(B + 1)) (Phipson and Smyth 2010).
    """
    p = (np.asarray(counts, dtype=np.float64) + 1) / (draws + 1)
    return p, np.sqrt(p * (1 - p) / (draws + 1))
