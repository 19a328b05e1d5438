"""Aggregation over items: the mean, the sum or the geometric mean."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tare._measures.column_measure import column_measure
from tare._measures.definition import Better
from tare._measures.exact_sums import exact_mean, exact_sum
from tare._measures.measure import Measure

__all__ = ["FLOOR", "aggregate", "averaging", "better_end", "number_of", "quantile"]

FLOOR = 1e-5  # replaces 0 in a geometric mean, as in trec_eval


def averaging(measure: str | Measure) -> str:
    """Return how a column is averaged; without its parts, a ratio is averaged by items.

    So is a measure made of summed statistics.
    """
    how = column_measure(measure).aggregate
    return "mean" if how in ("ratio", "statistics") else how


def better_end(measure: str | Measure) -> Better:
    """Return whether higher or lower values of a column are better, or neither."""
    return column_measure(measure).better


def number_of(counts: NDArray[np.int64]) -> str:
    """Return the number of items as text; a range if systems differ."""
    if len(counts) == 0:
        return "0"
    low, high = int(counts.min()), int(counts.max())
    return str(high) if low == high else f"{low}–{high}"


def aggregate(values: NDArray[np.float64], how: str) -> float:
    """Combine the values of items; sums are exact, so the order does not matter."""
    present = values[~np.isnan(values)]
    if how == "sum":
        return exact_sum(present)
    if len(present) == 0:
        return math.nan
    if how == "geometric":
        return math.exp(math.fsum(np.log(np.maximum(present, FLOOR))) / len(present))
    return exact_mean(present)


def quantile(rows: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Return the quantile of each row, by linear interpolation (np.quantile is slow to import)."""
    place = share * (rows.shape[1] - 1)
    below = int(place)
    ordered = np.sort(rows, axis=1)
    low, high = ordered[:, below], ordered[:, min(below + 1, rows.shape[1] - 1)]
    return np.asarray(low + (place - below) * (high - low))
