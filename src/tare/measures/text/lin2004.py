"""The averages that ROUGE-1.5.5 prints: means of 1,000 resamples, with their percentile bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare.errors import OptionError
from tare.kernels import drand48_means

__all__ = ["Average", "averages"]


@dataclass(frozen=True)
class Average:
    """A mean with its lower and upper bound, in five decimals."""

    mean: float
    low: float
    high: float


def averages(
    values: NDArray[np.float64],
    items: Sequence[str],
    *,
    confidence: float = 95.0,
    draws: int = 1000,
) -> list[Average]:
    """The average of each row of values (rows × items).

    Resamples are drawn with the 48-bit generator that Perl uses, seeded 0, 1, 2, …, from the items
    in the order of their ids as text. The mean printed is that of the resamples, and both bounds
    are interpolated with the fraction of the upper one.
    """
    if not 0 < confidence < 100:
        raise OptionError(f"confidence is a percentage between 0 and 100; found {confidence:g}.")
    order = sorted(range(len(items)), key=lambda i: items[i])
    drawn = np.sort(drand48_means(values[:, order], draws), axis=1)
    tail = draws * ((100 - confidence) / 2) / 100
    high, low = int(draws - tail - 1), int(tail)
    fraction = draws - tail - 1 - high

    def between(row: NDArray[np.float64], at: int) -> float:
        after = min(at + 1, draws - 1)
        return float(row[at] + (row[after] - row[at]) * fraction)

    return [
        Average(
            _told(sum(row.tolist()) / draws), _told(between(row, low)), _told(between(row, high))
        )
        for row in drawn
    ]


def _told(value: float) -> float:
    return float(f"{value:.5f}")
