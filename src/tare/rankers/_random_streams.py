"""Random numbers of rankers: the n-th number is a function of (seed, stream, n)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tare._data.simulation import uniforms

__all__ = ["permutation", "uniform_between"]


def permutation(count: int, seed: int, stream: int) -> NDArray[np.int64]:
    """Return 0 … count − 1 in random order.

    >>> sorted(permutation(4, 1, 0).tolist())
    [0, 1, 2, 3]
    """
    drawn = uniforms(seed, stream, np.arange(count), substream=1)
    return np.argsort(drawn, kind="stable").astype(np.int64)


def uniform_between(
    low: float, high: float, count: int, seed: int, stream: int
) -> NDArray[np.float64]:
    """Return uniform random numbers in [low, high)."""
    return low + (high - low) * uniforms(seed, stream, np.arange(count), substream=2)
