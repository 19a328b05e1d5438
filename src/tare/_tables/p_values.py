"""P-values in words and tables: four digits, and never 0."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tare._tables.table import Cell, Column

__all__ = ["PColumn", "p_stated", "shown"]

LEAST = 0.0001


def shown(p: float) -> str:
    """Format a p-value with four digits, never as 0.

    >>> shown(0.0312), shown(0.0000213)
    ('0.0312', '< 0.0001')
    """
    if math.isnan(p):
        return "–"
    return f"< {LEAST}" if p < LEAST else f"{p:.4f}"


def p_stated(p: float) -> str:
    """State a p-value in a sentence.

    >>> p_stated(0.0312), p_stated(0.0)
    ('p = 0.0312', 'p < 0.0001')
    """
    return f"p {shown(p)}" if p < LEAST else f"p = {shown(p)}"


@dataclass(frozen=True)
class PColumn(Column):
    """A column of p-values."""

    def show(self, cell: Cell) -> str:
        """Four digits, and never 0."""
        return shown(cell) if isinstance(cell, float) else super().show(cell)
