"""The rank of the first relevant document under chance: P(rank ≤ r) = 1 − C(n − r, R)/C(n, R)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tare._data.judged import Judged
from tare._kernels import Rankings
from tare._measures.measure import Measure

__all__ = ["first_rank_tails", "probability_within"]

ROUNDING = 1e-9  # a mean over tied places may be slightly below a whole rank


def probability_within(n: int, relevant: int, rank: int) -> float:
    """Return P(the first of `relevant` among n documents in random order has this rank or better).

    >>> round(probability_within(10, 1, 3), 12)
    0.3
    """
    if rank <= 0 or relevant <= 0:
        return 0.0
    if rank > n - relevant:
        return 1.0
    more, fewer = (
        max(rank, relevant),
        min(rank, relevant),
    )  # C(n−a, b)/C(n, b) is symmetric in a and b
    logs = np.log1p(-more / (n - np.arange(fewer, dtype=np.float64)))
    return -math.expm1(math.fsum(logs))


def first_rank_tails(
    judged: Judged, measure: Measure, tied: Rankings, observed: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return P(the first relevant rank of a random order is at most the observed one) per query."""
    offsets = tied.offsets
    is_relevant = judged.qrels.levels >= max(float(measure["rel"]), 0.0)
    total = np.concatenate([[0], np.cumsum(is_relevant[tied.codes])])
    relevant = total[offsets[1:]] - total[offsets[:-1]]
    values = np.full(len(observed), np.nan)
    for q in np.flatnonzero(np.isfinite(observed)):
        rank = math.floor(observed[q] + ROUNDING)
        values[q] = probability_within(int(tied.retrieved[q]), int(relevant[q]), rank)
    return values
