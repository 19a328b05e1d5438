"""The exact distribution of a measure over all orders of a pool, for measures that have one."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise, permutations

import numpy as np
from numpy.typing import NDArray

from tare import _kernels as kernels
from tare._data.judged import Judged
from tare._measures.measure import Measure
from tare._measures.one_system import kernel_of
from tare.chance._chances import Chances

__all__ = ["MAX_VALUES", "Distribution", "convolved", "distributions", "tail"]

Array = NDArray[np.float64]
Distribution = tuple[Array, Array]  # values, ascending, and their probabilities

MAX_VALUES = 50_000  # of a sum; with more, its distribution is approximated
SAME = 1e-12  # values that differ by less are equal
COUNTING = ("P", "RelP", "Recall", "F", "Success")
FIRST = ("RR", "MeanRank")
MAX_QUERIES = 60  # whose orders are enumerated
MAX_POOL = 7  # documents, if orders are enumerated


def distributions(judged: Judged, chances: Chances) -> list[Distribution] | None:
    """Return one distribution per query, or None if the measure has no closed form."""
    measure = chances.measure
    if chances.pool.unlimited:
        return None
    tied = chances.pool.all_tied(judged)
    if measure.name not in (*COUNTING, *FIRST):
        return _enumerated(judged, measure, tied)
    relevant = (judged.qrels.levels >= max(float(measure["rel"]), 0.0))[tied.codes]
    total = np.concatenate([[0], np.cumsum(relevant)])
    counts = total[tied.offsets[1:]] - total[tied.offsets[:-1]]
    of = _counted if measure.name in COUNTING else _first
    whole = np.diff(judged.qrels.pool_offsets)
    in_qrels = np.add.reduceat(
        np.append((judged.qrels.levels >= max(float(measure["rel"]), 0.0))[judged.qrels.pool], 0),
        judged.qrels.pool_offsets[:-1],
    ) * (whole > 0)
    made: dict[tuple[int, int, int], Distribution | None] = {}
    found = []
    for n, r, judged_r in zip(
        tied.retrieved.tolist(), counts.tolist(), in_qrels.tolist(), strict=True
    ):
        key = (n, r, judged_r)
        if key not in made:
            made[key] = of(measure, n, r, judged_r)
        one = made[key]
        if one is None:
            return None
        found.append(one)
    return found


def _enumerated(
    judged: Judged, measure: Measure, tied: kernels.Rankings
) -> list[Distribution] | None:
    """Return the values of all orders, for a few queries with small pools."""
    sizes = tied.retrieved
    if measure.definition.arguments is None or len(sizes) > MAX_QUERIES or sizes.max() > MAX_POOL:
        return None
    orders, places = [], [0]
    for q, size in enumerate(sizes.tolist()):
        codes = tied.codes[tied.offsets[q] : tied.offsets[q + 1]].tolist()
        orders += _arrangements((*codes, *[-1] * (size - len(codes))))
        places.append(len(orders))
    listed = [[(rank, code) for rank, code in enumerate(o, 1) if code >= 0] for o in orders]
    counts = np.diff(places)
    offsets, pool = judged.qrels.pool_offsets, judged.qrels.pool
    pools = [pool[offsets[q] : offsets[q + 1]] for q in range(len(sizes))]
    flat = [pair for order in listed for pair in order]
    values, _ = kernels.evaluate(
        kernels.Rankings(
            offsets=np.cumsum([0, *map(len, listed)]).astype(np.int64),
            ranks=np.array([rank for rank, _ in flat], dtype=np.int32),
            codes=np.array([code for _, code in flat], dtype=np.int32),
            lows=np.zeros(0, dtype=np.int64),
            highs=np.zeros(0, dtype=np.int64),
            retrieved=np.repeat(sizes, counts),
        ),
        np.cumsum([0, *np.repeat([len(p) for p in pools], counts)]).astype(np.int64),
        np.concatenate([p for p, n in zip(pools, counts, strict=True) for _ in range(n)]).astype(
            np.int32
        ),
        np.zeros(len(orders), dtype=np.uint64),
        [kernel_of(measure, judged.qrels.levels, MAX_POOL)],
    )
    return [_merged(values[0, a:b], np.full(b - a, 1 / (b - a))) for a, b in pairwise(places)]


@cache
def _arrangements(codes: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the distinct orders of documents, all equally likely."""
    return sorted(set(permutations(codes)))


def _counted(measure: Measure, n: int, r: int, judged: int) -> Distribution | None:
    """Return the distribution of a count of relevant documents in the first k: hypergeometric."""
    k = n if measure.cutoff is None else min(int(measure.cutoff), n)
    low, high = max(0, k + r - n), min(k, r)
    x = np.arange(low, high + 1)
    if len(x) > MAX_VALUES:
        return None
    logs = [_log_choose(r, i) + _log_choose(n - r, k - i) - _log_choose(n, k) for i in x.tolist()]
    p = np.exp(logs)
    return _merged(_value(measure, x.astype(np.float64), n, judged), p / math.fsum(p))


def _value(measure: Measure, hits: Array, n: int, r: int) -> Array:
    """Return the value of the measure by the number of hits; r is the number of relevant documents."""
    if measure.name == "Success":
        return (hits > 0).astype(np.float64)
    cutoff = n if measure.cutoff is None else int(measure.cutoff)
    if measure.name == "P":
        return hits / cutoff
    if r == 0:
        return np.zeros(len(hits))
    if measure.name == "F":
        beta = float(measure["beta"]) ** 2
        return (1 + beta) * hits / (beta * r + cutoff)
    return hits / (r if measure.name == "Recall" else min(cutoff, r))


def _first(measure: Measure, n: int, r: int, judged: int) -> Distribution | None:
    """Return the distribution of the first relevant rank: P(rank = i) = C(n−i, r−1)/C(n, r)."""
    if r == 0:
        return np.zeros(1), np.ones(1)
    last = n - r + 1
    seen = last if measure.cutoff is None else min(int(measure.cutoff), last)
    if seen > MAX_VALUES:
        return None
    i = np.arange(1, seen + 1)
    p = np.exp([_log_choose(n - k, r - 1) - _log_choose(n, r) for k in i.tolist()])
    values = i.astype(np.float64) if measure.name == "MeanRank" else 1.0 / i
    if seen < last:
        values, p = np.append(values, 0.0), np.append(p, max(0.0, 1.0 - math.fsum(p)))
    return _merged(values, p / math.fsum(p))


def _log_choose(n: int, k: int) -> float:
    if k < 0 or k > n:
        return -math.inf
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _merged(values: Array, p: Array) -> Distribution:
    """Sort the values and merge equal ones."""
    order = np.argsort(values, kind="stable")
    values, p = values[order], p[order]
    new = np.concatenate([[True], np.diff(values) > SAME * np.maximum(1.0, np.abs(values[1:]))])
    places = np.flatnonzero(new)
    return values[places], np.add.reduceat(p, places)


def convolved(queries: list[Distribution], most: int = MAX_VALUES) -> Distribution | None:
    """Return the distribution of the sum over queries, or None if it has too many values."""
    step = _lattice(queries)
    if step is not None:
        return _on_lattice(queries, step, most)
    values, p = np.zeros(1), np.ones(1)
    for v, q in queries:
        if len(values) * len(v) > 40 * most:
            return None
        values, p = _merged(np.add.outer(values, v).ravel(), np.multiply.outer(p, q).ravel())
        if len(values) > most:
            return None
    return values, p


def _lattice(queries: list[Distribution]) -> float | None:
    """Return a step of which all values are multiples, or None."""
    distinct = np.unique(np.concatenate([v for v, _ in queries]))
    if len(distinct) > 5000:
        return None
    nonzero = np.abs(distinct[np.abs(distinct) > SAME])
    if len(nonzero) == 0:
        return 1.0
    step = float(nonzero.min())
    for denominator in range(1, 61):
        candidate = step / denominator
        multiples = distinct / candidate
        if np.abs(multiples - np.round(multiples)).max() <= 1e-9:
            return candidate
    return None


def _on_lattice(queries: list[Distribution], step: float, most: int) -> Distribution | None:
    """Return the same by convolution on a lattice, query by query."""
    length = sum(round((v[-1] - v[0]) / step) for v, _ in queries) + 1
    if length > most:
        return None
    low = 0
    p = np.ones(1)
    for v, q in queries:
        places = np.round(v / step).astype(np.int64)
        low += int(places[0])
        kernel = np.zeros(int(places[-1] - places[0]) + 1)
        kernel[places - places[0]] = q
        p = np.convolve(p, kernel)
    return (low + np.arange(len(p), dtype=np.float64)) * step, np.asarray(p, dtype=np.float64)


def tail(distribution: Distribution, observed: float, *, lower: bool = False) -> float:
    """Return P(sum ≥ observed), or P(sum ≤ observed) if lower; values within rounding are equal."""
    values, p = distribution
    slack = 1e-9 * max(1.0, abs(observed))
    inside = values <= observed + slack if lower else values >= observed - slack
    return min(1.0, math.fsum(p[inside]))
