"""The tests of one measure on one set of items, and the distance between means of systems."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare.stats._paired_differences import Pairs

__all__ = ["Tested", "percentage_distance"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Tested:
    """One measure on one set of items: the p-value of each pair, NaN if it was not tested."""

    set: str
    measure: str
    pairs: Pairs
    p: Floats
    adjusted: Floats

    def means(self) -> Floats:
        """Return the mean of each system over its scored items; NaN if it has none."""
        values = self.pairs.scores
        counts = (~np.isnan(values)).sum(axis=1)
        total = np.nansum(values, axis=1)
        made: Floats = np.divide(total, counts, out=np.full(len(total), np.nan), where=counts > 0)
        return made


def percentage_distance(means: Floats, *, published: bool = False) -> tuple[float, int]:
    """Return the PAD and the number of pairs for which it is undefined.

    PAD, the percentage absolute distance, is the mean over pairs of 100·|a₁ − a₂| / max(|a₁|, |a₂|).
    If `published`, divide by max(a₁, a₂) as Feng and Karmaker (2023, eq. 8): the result is negative
    if both means are negative, and above 100 if one is.

    >>> percentage_distance(np.array([0.2, 0.4])), percentage_distance(np.array([-0.1, -0.2]), published=True)
    ((50.0, 0), (-100.0, 0))
    """
    a, b = np.triu_indices(len(means), 1)
    first, second = means[a], means[b]
    below = np.maximum(first, second) if published else np.maximum(abs(first), abs(second))
    known = (below != 0) & ~np.isnan(below)
    if not known.any():
        return float("nan"), len(a)
    shares = 100 * np.abs(first - second)[known] / below[known]
    return float(shares.mean()), int((~known).sum())
