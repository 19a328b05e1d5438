"""P-values: how they are printed, and the error of simulated ones."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._tables import Column
from tare._tables.table import Cell

__all__ = ["PColumn", "monte_carlo", "shown"]


def shown(p: float) -> str:
    """Format a p-value, never as 0.

    >>> shown(0.0312), shown(0.0000213)
    ('0.0312', '2.1e-05')
    """
    if math.isnan(p):
        return "–"
    if p == 0:  # smaller than the smallest float
        return "< 1e-16"
    return f"{p:.4f}" if p >= 0.001 else f"{p:.1e}"


@dataclass(frozen=True)
class PColumn(Column):
    """A column of p-values or of their errors."""

    def show(self, cell: Cell) -> str:
        """Four digits, or a power of ten where those would be zeros."""
        return shown(cell) if isinstance(cell, float) else super().show(cell)


def monte_carlo(counts: ArrayLike, draws: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """p = (b + 1)/(B + 1), which is never 0 and never too small, and its standard error.

    The error is √(p(1 − p)/(B + 1)) (Phipson and Smyth 2010).
    """
    p = (np.asarray(counts, dtype=np.float64) + 1) / (draws + 1)
    return p, np.sqrt(p * (1 - p) / (draws + 1))
