"""Fieller's interval of a ratio of means: Net, means over clusters, and their differences."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._measures.means_and_intervals import fieller, student_u
from tare.errors import MismatchError, OptionError

__all__ = ["RatioInterval", "ratio_ends", "ratio_interval"]

Floats = NDArray[np.float64]


def ratio_ends(x: Floats, y: Floats, u: float) -> tuple[float, float]:
    """Return every θ for which the mean of x − θy is not rejected; NaN if these are unbounded."""
    low, high = fieller(x[None], y[None], np.array([u]), np.array([len(x)]))[0]
    return float(low), float(high)


class RatioInterval(NamedTuple):
    """A ratio of means with its interval.

    Attributes
    ----------
    value, low, high : float
        The ratio and the ends of its interval; NaN where there is none.

    Examples
    --------
    >>> found = ratio_interval([0.3, 0.1, 0.5, 0.2, 0.6], [1, 1, 1, 1, 1])
    >>> round(found.value, 2), round(found.low, 2), round(found.high, 2)
    (0.34, 0.08, 0.6)
    """

    value: float
    low: float
    high: float


def ratio_interval(x: ArrayLike, y: ArrayLike, *, confidence: float = 0.95) -> RatioInterval:
    """Return Σx/Σy with Fieller's interval.

    Parameters
    ----------
    x, y : array_like
        Numerator and denominator of each unit: for Net, gross − tare and ideal − tare.
    confidence : float
        The level of the interval.

    Returns
    -------
    RatioInterval
        The ratio and its interval. There is none where a few units carry most of the denominator.

    Raises
    ------
    MismatchError
        If the arrays are not aligned, hold fewer than 2 units, or values that are not finite.
    OptionError
        If the confidence is out of range.

    References
    ----------
    Fieller (1954). Some problems in interval estimation. JRSS B.

    Examples
    --------
    >>> found = ratio_interval([0.3, 0.1, 0.5, 0.0, 0.2, 0.6, -0.1, 0.4], [0.9, 0.8, 0.9, 0.2, 0.5, 0.9, 0.4, 0.6])
    >>> [round(value, 4) for value in found]
    [0.3846, 0.0923, 0.5977]
    """
    if not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence} is out of range; it must lie between 0 and 1.")
    above, below = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if above.ndim != 1 or above.shape != below.shape:
        raise MismatchError(f"x and y of shapes {above.shape} and {below.shape} are not aligned.")
    if len(above) < 2 or not (np.isfinite(above).all() and np.isfinite(below).all()):
        raise MismatchError("x and y: a ratio of means needs at least 2 units with finite values.")
    total = float(below.sum())
    value = float(above.sum()) / total if total else math.nan
    u = student_u(np.array([len(above)]), confidence)
    return RatioInterval(value, *ratio_ends(above, below, float(u[0])))
