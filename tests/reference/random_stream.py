"""The core's counter-based random numbers: SplitMix64 of a key and a counter."""

from __future__ import annotations

WORD = (1 << 64) - 1
STEP = 0x9E3779B97F4A7C15


def mix(z: int) -> int:
    """SplitMix64's finaliser."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
    return z ^ (z >> 31)


def resample(size: int, seed: int, draw: int) -> list[int]:
    """The indices of one resample: `size` numbers below `size`."""
    key = mix(mix(mix((seed + STEP) & WORD) ^ draw))
    made: list[int] = []
    count = 0
    while len(made) < size:
        count += 1
        product = mix((key + STEP * count) & WORD) * size
        if product & WORD >= (1 << 64) % size:  # otherwise some numbers would come more often
            made.append(product >> 64)
    return made
