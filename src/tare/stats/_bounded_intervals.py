"""Intervals of means that are bounded: Wilson's, scaled to the observed spread."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._measures.means_and_intervals import bounded, clustered_means, student_quantile
from tare.errors import MismatchError, OptionError

__all__ = ["MeanInterval", "bounded_ends", "mean_interval"]

Floats = NDArray[np.float64]


class MeanInterval(NamedTuple):
    """A mean with its interval; NaN where there is none.

    Attributes
    ----------
    mean, low, high : float
        The mean and the ends of its interval.
    error, freedom : float
        The standard error and the degrees of freedom.

    Examples
    --------
    >>> found = mean_interval([0.9, 0.8, 1, 0.7, 0.95, 1, 0.85, 1])
    >>> round(found.low, 3), round(found.high, 3), found.freedom
    (0.771, 0.96, 7.0)
    """

    mean: float
    low: float
    high: float
    error: float
    freedom: float


def bounded_ends(mean: float, error: float, t: float, units: float) -> tuple[float, float]:
    """Return the ends of the interval of a mean in [0, 1]; they never leave it."""
    low, high = bounded(*(np.array([float(given)]) for given in (mean, error, t, units)))[0]
    return float(low), float(high)


def mean_interval(
    values: ArrayLike,
    *,
    bounds: tuple[float, float] = (0.0, 1.0),
    clusters: ArrayLike | None = None,
    confidence: float = 0.95,
) -> MeanInterval:
    """Return the mean of bounded scores with an interval that never leaves the bounds.

    Parameters
    ----------
    values : array_like
        One score per unit.
    bounds : tuple of float
        The lowest and the highest possible score; never taken from the values.
    clusters : array_like, optional
        The cluster of each unit. The mean is over units, the interval over clusters.
    confidence : float
        The level of the interval.

    Returns
    -------
    MeanInterval
        Wilson's interval, scaled to the observed spread. With one unit or one cluster there is none.

    Raises
    ------
    MismatchError
        If there is no value, a value is not finite, or clusters do not fit.
    OptionError
        If a value is outside the bounds, or the confidence is out of range.

    References
    ----------
    Wilson (1927); Kish (1965) for the effective number of clusters.

    Examples
    --------
    >>> [round(end, 4) for end in mean_interval([1] + [0] * 29)[:3]]
    [0.0333, 0.0054, 0.1789]
    """
    if not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence} is out of range; it must lie between 0 and 1.")
    given = np.asarray(values, dtype=np.float64)
    low, high = bounds
    if given.ndim != 1 or len(given) == 0 or not np.isfinite(given).all():
        raise MismatchError("values: expected one finite score per unit, at least one.")
    if not low < high or given.min() < low or given.max() > high:
        raise OptionError(
            f"bounds={low:g} to {high:g}: the scores reach from {given.min():g} to {given.max():g}."
        )
    scaled = (given - low) / (high - low)
    sums: Floats = scaled
    sizes: Floats = np.ones(len(scaled))
    if clusters is not None:
        ids = np.asarray(clusters)
        if ids.shape != given.shape:
            raise MismatchError(
                f"clusters: expected one id per unit ({len(given):,}), found {ids.shape}."
            )
        _, place = np.unique(ids, return_inverse=True)
        sums = np.asarray(np.bincount(place.ravel(), weights=scaled), dtype=np.float64)
        sizes = np.bincount(place.ravel()).astype(np.float64)
    mean, error, units = clustered_mean(sums, sizes)
    if len(sums) < 2:
        return MeanInterval(low + mean * (high - low), math.nan, math.nan, math.nan, math.nan)
    freedom = units - 1
    t = student_quantile((1 + confidence) / 2, freedom)
    ends = bounded_ends(mean, error, t, units)
    span = high - low
    return MeanInterval(
        low + mean * span, low + ends[0] * span, low + ends[1] * span, error * span, freedom
    )


def clustered_mean(sums: Floats, sizes: Floats) -> tuple[float, float, float]:
    """Return ΣS/Σn, its standard error by the jackknife of clusters, and Kish's number of clusters."""
    _, error, units = clustered_means(sums[None], sizes[None])
    return math.fsum(sums) / float(sizes.sum()), float(error[0]), float(units[0])
