"""Measures whose gains are set on the command line: `-m ndcg.1=3,2=9`, `-m rbp.p=0.8`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare import _kernels as kernels
from tare._data import Judged
from tare.compat._trec_eval.rankings import judged_code

__all__ = ["gain_values", "rbp_residuals", "rbp_values"]

OUTSIDE, POOLED = -1, -2
"""Names of the pairs for documents outside the qrels and for documents of negative grade."""

Values = NDArray[np.float64]


def gain_values(judged: Judged, kernel: str, gains: dict[int, float], rel: int) -> Values:
    """Return the values of a core kernel; the gain of a grade is the grade itself unless `gains` sets it."""
    by_level = [gains.get(int(level), level) for level in judged.qrels.levels.tolist()]
    outside, pooled = gains.get(OUTSIDE, 0.0), gains.get(POOLED, 0.0)
    return _evaluate(judged, kernel, by_level, (outside, pooled), rel=rel, discount="log")


def rbp_values(judged: Judged, p: float, gains: dict[int, float]) -> Values:
    """Return RBP; gains are scaled to [0, 1] if a gain of the query lies outside.

    The smallest and the largest gain are those of the pairs and of the grades from 0 to the largest of
    the query. The gain of a document is (g − smallest)/(largest − smallest), or 0 if it has no gain at
    all, so two sums are enough: of the gains, and of the documents that have one.
    """
    levels = judged.qrels.levels
    plain = [gains.get(int(level), level) for level in levels.tolist()]
    total = _rbp(judged, p, plain, (gains.get(OUTSIDE, 0.0), gains.get(POOLED, 0.0)))
    low = min([0.0, *gains.values()])
    reach = [_largest_gain(int(level), gains) for level in levels.tolist()]
    top = np.full(len(judged.items), _largest_gain(-1, gains))
    filled = np.diff(judged.qrels.pool_offsets) > 0
    best = judged.qrels.pool[judged.qrels.pool_offsets[:-1][filled]]
    top[filled] = np.array(reach)[best]
    if low < 0:
        counted = _rbp(judged, p, [1.0] * len(levels), (OUTSIDE in gains, POOLED in gains))
        total = total - low * counted
    width = np.where((low < 0) | (top > 1), top - low, 1.0)
    return total / width


def _largest_gain(grade: int, gains: dict[int, float]) -> float:
    """Return the largest gain of the pairs and of the grades from 0 to this one."""
    while grade in gains and grade >= 0:  # grades with a pair are covered by it
        grade -= 1
    return max([0.0, float(grade), *gains.values()])


def rbp_residuals(judged: Judged, p: float) -> Values:
    """Return what RBP could still gain; 0 if every retrieved document is judged, as in trec_eval."""
    residuals = _evaluate(judged, "RBPresidual", judged.qrels.levels, parameter=p)
    is_judged = judged.rankings.codes >= judged_code(judged)
    before = np.concatenate([[0], np.cumsum(is_judged)])
    known = np.diff(before[judged.rankings.offsets])
    return np.where(judged.retrieved > known, residuals, 0.0)


def _rbp(judged: Judged, p: float, by_level: list[float], unjudged: tuple[float, float]) -> Values:
    return _evaluate(judged, "RBP", by_level, unjudged, parameter=p)


def _evaluate(
    judged: Judged,
    kernel: str,
    by_level: Any,
    unjudged: tuple[float, float] = (0.0, 0.0),
    *,
    rel: int = 1,
    discount: str = "geometric",
    parameter: float = 2.0,
) -> Values:
    levels, first = judged.qrels.levels, judged_code(judged)
    gain = np.array(by_level, dtype=np.float64)
    gain[:first] = 0.0
    rankings, pool, added = judged.rankings, judged.qrels.pool, 0
    if any(unjudged):
        rankings, pool, added = *_filled(judged, first), 3 - first
        gain = np.concatenate([[*unjudged, 0.0], gain[first:]])
    measure = kernels.MeasureKernel(
        kernel,
        0,
        int(np.searchsorted(levels, max(rel, 0))) + added,
        first + added,
        gain,
        np.array([parameter]),
        discount,
        parameter,
        int(judged.retrieved.max(initial=0)),
    )
    values, _ = kernels.evaluate(
        rankings, judged.qrels.pool_offsets, pool, judged.streams, [measure]
    )
    return np.asarray(values[0])


def _filled(judged: Judged, first: int) -> tuple[kernels.JudgedRankings, NDArray[np.int32]]:
    """Return rankings that list every document, so that unjudged ones can have a gain.

    The codes 0 and 1 are retrieved documents outside the qrels and of negative grade, 2 is a negative
    grade of the pool, which never has a gain, and the grades from 0 on follow.
    """
    offsets = np.concatenate([[0], np.cumsum(judged.retrieved)]).astype(np.int64)
    counts = np.diff(offsets)
    ranks = (np.arange(offsets[-1]) - np.repeat(offsets[:-1], counts) + 1).astype(np.int32)
    codes = np.zeros(offsets[-1], dtype=np.int32)
    hits = np.repeat(offsets[:-1], np.diff(judged.rankings.offsets)) + judged.rankings.ranks - 1
    known = judged.rankings.codes
    codes[hits] = np.where(known < first, 1, known + (3 - first))
    pool = judged.qrels.pool
    shifted = np.where(pool < first, 2, pool + (3 - first)).astype(np.int32)
    return replace(judged.rankings, offsets=offsets, ranks=ranks, codes=codes), shifted
