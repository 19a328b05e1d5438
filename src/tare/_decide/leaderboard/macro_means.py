"""The macro mean of each system with its interval, over data sets or over the queries of fixed data sets."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tare.stats._intervals import bounded_ends

__all__ = ["Bounds", "interval_of_mean", "interval_over_queries"]

Floats = NDArray[np.float64]
Bounds = tuple[float | None, float | None]


def interval_of_mean(values: Floats, bounds: Bounds, confidence: float) -> tuple[float, float]:
    """Return the interval of the mean of the scores of data sets; NaN with one data set.

    Student's t, or Wilson's interval scaled to the observed spread if the measure is bounded.
    """
    n = len(values)
    if n < 2 or np.isnan(values).any():
        return math.nan, math.nan
    return _ends(
        float(values.mean()), float(values.std(ddof=1)) / math.sqrt(n), n - 1, n, bounds, confidence
    )


def interval_over_queries(
    datasets: list[Floats], bounds: Bounds, confidence: float
) -> tuple[float, float]:
    """Return the interval of the mean over fixed data sets of the means of their queries.

    The variance is Σ s²_k/(n_k D²), with the degrees of freedom of Satterthwaite.
    """
    count = len(datasets)
    if any(np.isnan(values).any() or len(values) < 2 for values in datasets):
        return math.nan, math.nan
    mean = math.fsum(float(values.mean()) for values in datasets) / count
    sizes = np.array([len(values) for values in datasets], dtype=np.float64)
    parts = np.array([float(values.var(ddof=1)) for values in datasets]) / sizes / count**2
    variance = float(parts.sum())
    freedom = float((sizes - 1).sum())
    if variance > 0:
        freedom = variance**2 / float((parts**2 / (sizes - 1)).sum())
    units = count**2 / float((1 / sizes).sum())
    return _ends(mean, math.sqrt(variance), freedom, units, bounds, confidence)


def _ends(
    mean: float, error: float, freedom: float, units: float, bounds: Bounds, confidence: float
) -> tuple[float, float]:
    from scipy.special import stdtrit

    t = float(stdtrit(freedom, (1 + confidence) / 2))
    low, high = bounds
    if low is not None and high is not None:
        span = high - low
        ends = bounded_ends((mean - low) / span, error / span, t, units)
        return low + ends[0] * span, low + ends[1] * span
    ends = mean - t * error, mean + t * error
    return (
        ends[0] if low is None else max(ends[0], low),
        ends[1] if high is None else min(ends[1], high),
    )
