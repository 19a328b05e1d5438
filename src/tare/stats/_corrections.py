"""Corrections for multiple comparisons."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare.errors import OptionError, choose

__all__ = ["CORRECTIONS", "adjust"]

CORRECTIONS = ("none", "bonferroni", "holm", "hochberg", "bh", "by")


def adjust(p: ArrayLike, correction: str) -> NDArray[np.float64]:
    """Adjust p-values for multiple comparisons.

    Parameters
    ----------
    p : array_like
        The p-values. NaN (no test) stays NaN and is not counted.
    correction : {"none", "bonferroni", "holm", "hochberg", "bh", "by"}
        The method. With p₁ ≤ … ≤ p_m: Bonferroni m·p; Holm the running maximum of (m − i + 1)·p_i;
        Hochberg the running minimum of the same from the largest p; Benjamini–Hochberg (bh) the running
        minimum of m·p_i/i; Benjamini–Yekutieli (by) that times Σ 1/i. The first three control the
        family-wise error rate, the last two the false discovery rate.

    Returns
    -------
    ndarray
        The adjusted p-values, in the order given.

    Raises
    ------
    OptionError
        If the correction is unknown, or a p-value is below 0 or above 1.

    References
    ----------
    Holm (1979); Hochberg (1988); Benjamini and Hochberg (1995); Benjamini and Yekutieli (2001).

    Examples
    --------
    >>> adjust([0.01, 0.04, 0.03], "holm").tolist()
    [0.03, 0.06, 0.06]
    """
    choose("correction", correction, CORRECTIONS)
    given = np.asarray(p, dtype=np.float64)
    if ((given < 0) | (given > 1)).any():
        raise OptionError("p-values lie between 0 and 1.")
    adjusted = given.copy()
    tested = np.flatnonzero(~np.isnan(given))
    m = len(tested)
    if correction == "none" or m == 0:
        return adjusted
    order = tested[np.argsort(given[tested], kind="stable")]
    sorted_p = given[order]
    place = np.arange(1, m + 1)
    if correction == "bonferroni":
        made = m * sorted_p
    elif correction == "holm":
        made = np.maximum.accumulate((m - place + 1) * sorted_p)
    elif correction == "hochberg":
        made = np.minimum.accumulate(((m - place + 1) * sorted_p)[::-1])[::-1]
    else:
        dependence = np.sum(1 / place) if correction == "by" else 1.0
        made = np.minimum.accumulate((dependence * m * sorted_p / place)[::-1])[::-1]
    adjusted[order] = np.minimum(made, 1.0)
    return adjusted
