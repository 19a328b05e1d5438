"""Simultaneous intervals of the levels of a factor: two levels differ where their intervals do not overlap.

The Tukey–Kramer test of all differences, and comparison intervals that show the same decisions: half
widths w with w_i + w_j as close as possible to the critical difference of i and j (Hochberg and Tamhane
1987, §3.4), and equal to it if all levels have the same number of scores.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tare._kernels.statistics import studentised_range_tail
from tare.stats._additive import Layout
from tare.stats._range_tests import range_quantile

__all__ = ["half_widths", "range_p"]

Floats = NDArray[np.float64]


def range_p(layout: Layout, level: int | None = None) -> Floats:
    """The p-value of every two levels, or of each against one, from the studentised range.

    q = √2·|x̄_i − x̄_j| / √(error·spread).
    """
    rows = slice(None) if level is None else slice(level, level + 1)
    gap = np.abs(layout.means[rows, None] - layout.means[None, :])
    floor = 1e-10 * max(float(np.abs(layout.means).max()), 1e-300)
    with np.errstate(divide="ignore", invalid="ignore"):
        q = gap * np.sqrt(2) / np.sqrt(layout.error * layout.spread[rows])
    q = np.where(gap <= floor, 0.0, q)
    tail = studentised_range_tail(
        np.where(np.isfinite(q), q, 1e6).ravel(), len(layout.means), layout.freedom
    )
    made = np.where(gap <= floor, 1.0, tail.reshape(gap.shape))
    return made if level is None else made[0]


def half_widths(layout: Layout, alpha: float = 0.05) -> Floats:
    """Half the width of each level's comparison interval."""
    count = len(layout.means)
    quantile = range_quantile(alpha, count, layout.freedom)
    critical = quantile / np.sqrt(2) * np.sqrt(layout.error * layout.spread)
    np.fill_diagonal(critical, 0.0)
    if count == 2:
        return np.full(2, float(critical[0, 1]) / 2)
    total = critical.sum() / 2
    made: Floats = ((count - 1) * critical.sum(axis=1) - total) / ((count - 1) * (count - 2))
    return np.maximum(made, 0.0)
