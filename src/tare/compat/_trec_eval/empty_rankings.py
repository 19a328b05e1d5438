"""Empty rankings: trec_eval 9 divides 0 by 0 for interpolated precision."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tare._data import Judged
from tare.compat._trec_eval.requests import Requested

__all__ = ["as_divided_by_zero"]


def as_divided_by_zero(
    table: NDArray[np.float64], columns: Sequence[Requested], judged: Judged
) -> None:
    """Set interpolated precision to NaN where a ranking is empty and no relevant document is needed.

    tare's own value is 0.
    """
    empty = np.flatnonzero(judged.retrieved == 0)
    if len(empty) == 0:
        return
    for at, (_, column, _) in enumerate(columns):
        measure = column.measure if column is not None else None
        if measure is None or measure.name not in ("iPrec", "iPrecMean"):
            continue
        recalls = (
            [measure.cutoff or 0.0]
            if measure.name == "iPrec"
            else [float(recall) for recall in str(measure["recalls"]).split("/")]
        )
        needed = (np.outer(_relevant(judged, measure["rel"])[empty], recalls) + 0.9).astype(int)
        table[empty[(needed == 0).any(axis=1)], at] = np.nan


def _relevant(judged: Judged, level: float) -> NDArray[np.int64]:
    """Return the number of relevant documents of each query."""
    qrels = judged.qrels
    before = np.concatenate([[0], np.cumsum(qrels.levels[qrels.pool] >= level)])
    return np.asarray(np.diff(before[qrels.pool_offsets]), dtype=np.int64)
