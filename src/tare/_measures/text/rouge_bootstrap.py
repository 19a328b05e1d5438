"""The averages that ROUGE-1.5.5 prints: means of 1,000 bootstrap samples with percentile bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._kernels import drand48_means
from tare.errors import OptionError

__all__ = ["Average", "averages", "token_averages"]


Values = NDArray[np.float64]


@dataclass(frozen=True)
class Average:
    """A mean of ROUGE bootstrap samples with its lower and upper bound, rounded to five decimals."""

    mean: float
    low: float
    high: float


def averages(
    values: Values,
    items: Sequence[str],
    *,
    confidence: float = 95.0,
    draws: int = 1000,
) -> list[Average]:
    """Return the average, as ROUGE-1.5.5 prints it, of each row of values (rows × items).

    Bootstrap samples are drawn with the 48-bit generator of Perl, seeded 0, 1, 2, …, from the items
    sorted by id as text. The printed mean is the mean of the samples, and both bounds are
    interpolated with the fraction of the upper one.
    """
    drawn = drand48_means(values[:, _order(items)], draws)
    return [_average(row, confidence) for row in drawn]


def token_averages(
    totals: Values,
    items: Sequence[str],
    *,
    alpha: float = 0.5,
    confidence: float = 95.0,
    draws: int = 1000,
) -> list[Average]:
    """Return ROUGE-1.5.5's averages of recall, precision and F over all tokens (-t 1), from summed counts.

    `totals` are the counts of the items: items × (hits, total of the candidate, of the reference).
    """
    ordered = totals[_order(items)].T
    sums = drand48_means(ordered, draws) * len(items)
    if np.array_equal(ordered, np.round(ordered)):
        sums = np.round(sums)  # whole numbers again, after the means
    hits, candidate, reference = sums
    recall = np.divide(hits, reference, out=np.zeros_like(hits), where=reference > 0)
    precision = np.divide(hits, candidate, out=np.zeros_like(hits), where=candidate > 0)
    below = (1 - alpha) * precision + alpha * recall
    f = np.divide(recall * precision, below, out=np.zeros_like(hits), where=below > 0)
    return [_average(row, confidence) for row in (recall, precision, f)]


def _order(items: Sequence[str]) -> list[int]:
    return sorted(range(len(items)), key=lambda i: items[i])


def _average(drawn: Values, confidence: float) -> Average:
    """Return the mean and the percentile bounds of bootstrap values as ROUGE-1.5.5 prints them."""
    if not 0 <= confidence <= 100:
        raise OptionError(f"confidence is a percentage from 0 to 100; found {confidence:g}.")
    row = np.sort(drawn)
    draws = len(row)
    tail = draws * ((100 - confidence) / 2) / 100
    high, low = int(draws - tail - 1), int(tail)
    fraction = draws - tail - 1 - high

    def between(at: int) -> float:
        here, after = (row[place] if place < draws else 0.0 for place in (at, at + 1))
        return float(here + (after - here) * fraction)

    # Summed like Perl, one after another; Python's sum compensates errors.
    return Average(
        _rounded(np.cumsum(row)[-1] / draws), _rounded(between(low)), _rounded(between(high))
    )


def _rounded(value: float) -> float:
    return float(f"{value:.5f}")
