"""Simulated experiments of power curves: draws from score distributions, and their p-values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._kernels.statistics import uniforms
from tare.stats._draws import Drawing
from tare.stats._pairs import Pairs
from tare.stats._sides import one_sided
from tare.stats._tests import TestOptions, run_test

__all__ = ["cutoff_of", "distribution", "document_effect", "experiment_p_values"]

Floats = NDArray[np.float64]
BLOCK = 5000  # simulated experiments that are held at once


def document_effect(scores: ArrayLike, document: ArrayLike) -> Floats:
    """Return p_{M,d}(k) ∝ p_M(k)·p_d(k): a distribution of scores on one document.

    Parameters
    ----------
    scores : array_like
        The distribution of a system's scores.
    document : array_like
        The distribution of all scores on the document.

    Returns
    -------
    ndarray
        The normalised product.

    Examples
    --------
    >>> document_effect([.1, .3, .3, .2, .1], [0, 0, 0, .5, .5]).round(4).tolist()
    [0.0, 0.0, 0.0, 0.6667, 0.3333]
    """
    product = np.asarray(scores, dtype=np.float64) * np.asarray(document, dtype=np.float64)
    total = product.sum(axis=-1, keepdims=True)
    made: Floats = np.divide(product, total, out=np.zeros_like(product), where=total > 0)
    return made


def distribution(values: Floats, distinct: Floats) -> Floats:
    """Return the share of each distinct value among the values that are present."""
    present = values[~np.isnan(values)]
    if present.size == 0:
        return np.zeros(len(distinct))
    counts = np.bincount(np.searchsorted(distinct, present), minlength=len(distinct))
    return np.asarray(counts / counts.sum(), dtype=np.float64)


def cutoff_of(p: Floats, alpha: float) -> float:
    """The largest p that no more than a share alpha of the null experiments reach; −1 if none."""
    values, counts = np.unique(p, return_counts=True)
    allowed = np.cumsum(counts) <= alpha * len(p)
    return float(values[allowed][-1]) if allowed.any() else -1.0


def experiment_p_values(
    p_m: Floats,
    p_t: Floats,
    per_item: Floats | None,
    distinct: Floats,
    n: int,
    count: int,
    tests: Sequence[str],
    draws: int,
    seed: int,
    step: int,
    threads: int,
    side: str,
    engine: Drawing | None = None,
) -> dict[str, Floats]:
    """p of each test in `count` experiments; the streams depend on the step and nothing else."""
    blocks = -(-count // BLOCK)
    given = (p_m, p_t, per_item, distinct, n, count, tests, draws, seed, step)
    if engine is None:
        made = [_p_values_of_blocks((*given, threads, side), 0, blocks)]
    else:
        shared = (*given, engine.threads_for(1), side)
        made = engine.map_blocks(_p_values_of_blocks, shared, blocks, what="blocks of experiments")
    return {test: np.concatenate([part[test] for part in made]) for test in tests}


def _p_values_of_blocks(shared: tuple[Any, ...], first: int, last: int) -> dict[str, Floats]:
    """p of each test in some blocks of experiments; a task of engines."""
    p_m, p_t, per_item, distinct, n, count, tests, draws, seed, step, threads, side = shared
    found: dict[str, list[Floats]] = {test: [] for test in tests}
    for start in range(first * BLOCK, last * BLOCK, BLOCK):
        rows = min(BLOCK, count - start)
        stream = 1 + step * 1_000_003 + start
        u = uniforms(rows, 3 * n, seed=seed, substream=stream, threads=threads)
        if per_item is None:
            x = distinct[_draw(np.cumsum(p_m), u[:, :n])]
            y = distinct[_draw(np.cumsum(p_t), u[:, n : 2 * n])]
        else:
            item = (u[:, 2 * n :] * len(per_item)).astype(np.int64)
            x = distinct[_draw_by_item(document_effect(p_m, per_item), item, u[:, :n])]
            y = distinct[_draw_by_item(document_effect(p_t, per_item), item, u[:, n : 2 * n])]
        pairs = Pairs.of_rows(x, y)
        for test in tests:
            options = TestOptions(draws=draws, seed=seed + start, threads=threads)
            result = run_test(pairs, test, options)
            found[test].append(result.p if side == "both" else one_sided(result, side))
    return {test: np.concatenate(p) for test, p in found.items()}


def _draw(cumulative: Floats, u: Floats) -> NDArray[np.int64]:
    # The last sum may fall short of 1 by rounding.
    return np.minimum(np.searchsorted(cumulative, u, side="right"), len(cumulative) - 1)


def _draw_by_item(distributions: Floats, item: NDArray[np.int64], u: Floats) -> NDArray[np.int64]:
    made = np.empty(u.shape, dtype=np.int64)
    for d, distribution in enumerate(distributions):
        here = item == d
        # Values without probability at the end must not be reached by rounding.
        last = int(np.flatnonzero(distribution)[-1])
        made[here] = np.minimum(_draw(np.cumsum(distribution), u[here]), last)
    return made
