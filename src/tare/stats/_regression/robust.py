"""Robust regression by Tukey's bisquare, for many subsets of features at once.

Iteratively reweighted least squares as Matlab's robustfit does it: from least squares, residuals
adjusted by leverage, r = e / (c·s·√(1 − h)), c = 4.685, s the median |e|/√(1 − h) with the smallest
left out ÷ 0.6745, weights (1 − r²)² within |r| < 1.

A fit with p coefficients can make p residuals vanish, so `scale="published"` leaves out the p
smallest (Rankel 2016). Matlab's documentation says the same; its program takes the median from the
p-th on and so leaves out p − 1: `scale="matlab"`.

Holland and Welsch (1977); DuMouchel and O'Brien (1989).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tare._kernels.statistics import bisquare_subsets
from tare.errors import OptionError, choose
from tare.stats._regression.subsets import Masks

__all__ = ["SCALES", "TUNE", "robust_subsets"]

Floats = NDArray[np.float64]
TUNE = 4.685
MOST_STEPS = 50
SCALES = ("published", "matlab")


def robust_subsets(
    x: Floats,
    y: Floats,
    masks: Masks,
    *,
    tune: float = TUNE,
    scale: str = "published",
    threads: int = 0,
) -> tuple[Floats, Floats]:
    """Coefficients subsets × features, and intercepts, of every subset of the columns of x.

    >>> x = np.arange(10.0)[:, None]
    >>> y = 2 * x[:, 0] + 1
    >>> y[3] = 100
    >>> slopes, intercepts = robust_subsets(x, y, np.array([1]))
    >>> round(float(slopes[0, 0]), 6), round(float(intercepts[0]), 6)
    (2.0, 1.0)
    """
    if tune <= 0:
        raise OptionError(f"tune={tune} is not possible; it is a number above 0.")
    choose("scale", scale, SCALES)
    found = bisquare_subsets(
        x,
        y,
        masks,
        tune=tune,
        most_steps=MOST_STEPS,
        matlab_scale=scale == "matlab",
        threads=threads,
    )
    return found[:, 1:], found[:, 0]
