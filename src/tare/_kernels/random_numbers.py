"""Counter-based random numbers: the n-th of a stream is a function of (seed, stream, n).

The core uses the same generator, so results do not depend on the order of computation.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare.errors import OptionError

__all__ = ["check_seed", "uniforms"]

GOLDEN = 0x9E3779B97F4A7C15
WORD = (1 << 64) - 1


def check_seed(seed: int) -> int:
    """Return a seed; raise an error if it is not valid."""
    if not 0 <= seed <= WORD:
        raise OptionError(f"seed={seed} is not valid: a seed is a whole number from 0 to 2^64 − 1.")
    return seed


def _mix(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64's finaliser."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def uniforms(
    seed: int, stream: int, counters: ArrayLike, substream: int = 0
) -> NDArray[np.float64]:
    """Return one number in [0, 1) per counter.

    >>> bool((uniforms(1, 2, [5, 6]) == uniforms(1, 2, [6, 5])[::-1]).all())
    True
    """
    key = _mix(np.array([(seed + GOLDEN) & WORD], dtype=np.uint64))
    key = _mix(key ^ np.uint64(stream & WORD))
    key = _mix(key ^ np.uint64((substream * 0xD1342543DE82EF95) & WORD))
    steps = np.asarray(counters, dtype=np.uint64) + np.uint64(1)
    drawn = _mix(key + np.uint64(GOLDEN) * steps)
    return (drawn >> np.uint64(11)).astype(np.float64) * 2.0**-53
