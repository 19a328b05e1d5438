"""Precision, recall and F."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["TextParts", "alpha_of", "f_measure", "five_decimals", "in_five_decimals"]

Values = NDArray[np.float64]


@dataclass(frozen=True)
class TextParts:
    """Precision, recall and F, one value per item each."""

    precision: Values
    recall: Values
    f: Values

    def part(self, name: str) -> Values:
        """Return the part named p, r or f."""
        return {"p": self.precision, "r": self.recall, "f": self.f}[name]


def alpha_of(beta: float) -> float:
    """Return the α of F_β.

    >>> alpha_of(1.0), alpha_of(2.0)
    (0.5, 0.2)
    """
    return 1 / (1 + beta * beta)


def f_measure(precision: Values, recall: Values, alpha: float = 0.5) -> Values:
    """Return F = PR / ((1 − α)P + αR), 0 if both are 0; for α = ½ computed like rouge-score."""
    if alpha == 0.5:
        above, below = 2 * precision * recall, precision + recall
    else:
        above, below = precision * recall, (1 - alpha) * precision + alpha * recall
    f = np.zeros_like(above)
    np.divide(above, below, out=f, where=below > 0)
    f[np.isnan(below)] = np.nan
    return f


def five_decimals(values: Values) -> Values:
    """Round to five decimals like C's printf, by the exact value; np.round multiplies first."""
    distinct, places = np.unique(values, return_inverse=True)
    rounded = np.array([float(f"{value:.5f}") for value in distinct.tolist()], dtype=np.float64)
    return rounded[places].reshape(values.shape) if len(rounded) else values.copy()


def in_five_decimals(parts: TextParts, alpha: float) -> TextParts:
    """Return the parts as ROUGE-1.5.5 prints them: F is computed from rounded P and R."""
    precision, recall = five_decimals(parts.precision), five_decimals(parts.recall)
    above, below = precision * recall, (1 - alpha) * precision + alpha * recall
    f = np.zeros_like(above)
    np.divide(above, below, out=f, where=below > 0)
    f[np.isnan(below)] = np.nan
    return TextParts(precision, recall, five_decimals(f))
