"""A share of wins: the p-value of the sign test, and Wilson's interval."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["sign_p", "wilson_interval"]


def sign_p(wins: ArrayLike, losses: ArrayLike) -> NDArray[np.float64]:
    """Return the exact two-sided p of wins and losses that are equally likely; 1 if there are none.

    >>> float(sign_p(5, 0))
    0.0625
    """
    from scipy.special import bdtr

    won, lost = np.asarray(wins), np.asarray(losses)
    total = won + lost
    tail = bdtr(np.minimum(won, lost), np.maximum(total, 1), 0.5)
    return np.where(total == 0, 1.0, np.minimum(1.0, 2 * tail))


def wilson_interval(wins: int, total: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's interval of a share, without correction for continuity.

    >>> [round(end, 4) for end in wilson_interval(8, 10)]
    [0.4902, 0.9433]
    """
    from scipy.special import ndtri

    z = float(ndtri((1 + confidence) / 2))
    centre = wins + z * z / 2
    half = z * math.sqrt(wins * (total - wins) / total + z * z / 4)
    low, high = (centre - half) / (total + z * z), (centre + half) / (total + z * z)
    return 0.0 if wins == 0 else low, 1.0 if wins == total else high
