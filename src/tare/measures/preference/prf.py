"""Prf and nPrf: what a ranking is worth to people who compared documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from math import perm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare.data.findings import Finding
from tare.data.judged import Judged
from tare.data.utilities import QueryUtilities, Utilities
from tare.errors import MeasureError
from tare.measures.definition import Definition, Moments, Parameter
from tare.measures.evaluation import Evaluation, Sampling
from tare.measures.measure import Measure
from tare.measures.preference.browsing import STOPS, rank_weights
from tare.measures.preference.expected import expected_sum
from tare.measures.preference.rankings import greedy_order, sums

__all__ = ["DEFINITIONS"]

Array = NDArray[np.float64]
CC13 = "Chandar, Carterette. Preference Based Evaluation Measures for Novelty and Diversity. SIGIR 2013."
STOP = Parameter("stop", "choice", "rbp", "Where readers stop.", choices=STOPS)
THETA = Parameter(
    "theta", "number", 0.2, "How likely a reader stops at each rank (stop=rbp).", low=0, high=1, open_ends=True
)  # fmt: skip
COMBINE = Parameter(
    "combine", "choice", "mean", "How U(d_i | d_j) over the d_j before becomes one number.",
    choices=("mean", "min"),
)  # fmt: skip


def _utilities(judged: Judged, measure: Measure) -> Utilities:
    found = getattr(judged.judgements, "utilities", None)
    if not isinstance(found, Utilities):
        raise MeasureError(
            f"{measure} needs preferences ('query document document winner'); read them with "
            "tare.read_preferences."
        )
    return found


def _weights(measure: Measure) -> Array:
    return rank_weights(measure["stop"], float(measure["theta"]), int(measure.cutoff or 1))


def _ranking(judged: Judged, q: int, depth: int, unknown: int) -> NDArray[np.int64]:
    """The first documents of a ranking by number; those that nobody judged have the last."""
    first, last = judged.arrays["offsets"][q : q + 2]
    ranks, codes = judged.arrays["ranks"][first:last], judged.arrays["codes"][first:last]
    order = np.full(min(depth, int(judged.retrieved[q])), unknown, dtype=np.int64)
    near = ranks <= len(order)
    order[ranks[near] - 1] = codes[near]
    return order


def _divisors(utilities: Utilities, measure: Measure) -> Array:
    """What Prf of each query is divided by; kept, for it is the same for every system."""
    if measure.name == "Prf":
        return np.ones(len(utilities.items))
    if measure not in utilities.kept:
        values = [_ideal(u, np.arange(len(u.documents)), measure) for u in utilities.by_query]
        utilities.kept[measure] = np.array(values)
    return utilities.kept[measure]


def _ideal(u: QueryUtilities, pool: NDArray[np.int64], measure: Measure, choose: Any = np.argmax) -> float:  # fmt: skip
    alone, after = u.filled
    weights, combine = _weights(measure), measure["combine"]
    order = greedy_order(pool, alone, after, len(weights), combine, choose)
    return float(sums(order[None, :], alone, after, weights, combine)[0])


def _values(evaluation: Evaluation, measure: Measure) -> Array:
    judged = evaluation.judged
    if judged.policies.ties == "expected":
        raise MeasureError(f"ties='expected' is not offered for {measure}.")
    utilities = _utilities(judged, measure)
    weights, combine = _weights(measure), measure["combine"]
    values = np.zeros(len(judged.items))
    unknown = np.zeros(3, dtype=np.int64)
    for q, u in enumerate(utilities.by_query):
        alone, after = u.filled
        order = _ranking(judged, q, len(weights), len(u.documents))
        values[q] = sums(order[None, :], alone, after, weights, combine)[0]
        unknown += _unknown(u, order)
    if "unknown utilities" not in evaluation.notes and unknown.any():
        evaluation.notes["unknown utilities"] = True
        evaluation.findings.append(_told(judged.system, unknown, int(measure.cutoff or 1)))
    return _divided(values, _divisors(utilities, measure))


def _unknown(u: QueryUtilities, order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pairs looked up, pairs of which nothing is known, documents never shown."""
    known = order[order < len(u.documents)]
    pairs = len(order) * (len(order) - 1) // 2
    missing = np.isnan(u.conditional[np.ix_(known, known)])
    judged_pairs = int(np.tril(~missing, -1).sum())
    never = len(order) - int((~np.isnan(u.simple[known])).sum())
    return np.array([pairs, pairs - judged_pairs, never])


def _told(system: str, unknown: NDArray[np.int64], cutoff: int) -> Finding:
    pairs, missing, never = (int(x) for x in unknown)
    return Finding(
        "unknown utilities",
        f"{system}: of {pairs:,} pairs in the first {cutoff}, {missing:,} were never judged as "
        f"'this after that', and U(d) stands for U(d|d'); {never:,} documents were never shown in a "
        "simple judgement and count 0.",
        missing + never,
        severity="note",
    )


def _divided(values: Array, by: Array) -> Array:
    return np.divide(values, by, out=np.zeros(len(values)), where=by > 0)


@dataclass(frozen=True)
class PreferenceChance:
    """What chance makes of Prf: closed forms, greedy bounds, variances over few or sampled orders."""

    def _pools(
        self, judged: Judged, measure: Measure, tied: dict[str, NDArray[Any]]
    ) -> Iterator[tuple[int, QueryUtilities, NDArray[np.int64], int]]:
        offsets = tied["offsets"]
        for q, u in enumerate(_utilities(judged, measure).by_query):
            pool = tied["codes"][offsets[q] : offsets[q + 1]].astype(np.int64)
            yield q, u, pool, int(tied["retrieved"][q]) - len(pool)

    def moments(
        self,
        judged: Judged,
        measure: Measure,
        tied: dict[str, NDArray[Any]],
        sampling: Sampling,
        *,
        variance: bool,
        worst: bool,
    ) -> Moments:
        """Mean, bounds and, where asked for, variance over all orders of each query's pool."""
        out = np.zeros((5, len(judged.items)))
        weights, combine = _weights(measure), measure["combine"]
        for q, u, pool, others in self._pools(judged, measure, tied):
            alone, after = u.filled
            out[0, q] = expected_sum(pool, others, alone, after, weights, combine)
            out[1, q] = _ideal(u, pool, measure)
            if worst:
                unknown = np.full(min(others, len(weights)), len(u.documents), dtype=np.int64)
                out[2, q] = _ideal(u, np.concatenate([unknown, pool]), measure, np.argmin)
            if variance:
                values, exact = _orders(judged, q, u, pool, others, measure, sampling)
                out[3, q] = values.var() if exact else values.var(ddof=1)
                fourth = float(((values - values.mean()) ** 4).mean())
                out[4, q] = (
                    0.0 if exact else np.sqrt(max(0.0, fourth - out[3, q] ** 2) / len(values))
                )
        by = _divisors(_utilities(judged, measure), measure)
        return Moments(
            _divided(out[0], by),
            np.zeros(len(by)),
            _divided(out[1], by),
            variance=_divided(out[3], by**2) if variance else None,
            variance_error=_divided(out[4], by**2) if variance else None,
            worst=_divided(out[2], by) if worst else None,
        )

    def tails(
        self,
        judged: Judged,
        measure: Measure,
        tied: dict[str, NDArray[Any]],
        sampling: Sampling,
        observed: Array,
    ) -> Array:
        """The share of orders that score at least what was observed."""
        by = _divisors(_utilities(judged, measure), measure)
        out = np.ones(len(judged.items))
        for q, u, pool, others in self._pools(judged, measure, tied):
            values, exact = _orders(judged, q, u, pool, others, measure, sampling)
            high = int((values >= observed[q] * by[q] - 1e-12).sum())
            out[q] = high / len(values) if exact else (high + 1) / (len(values) + 1)
        return out


def _orders(
    judged: Judged,
    q: int,
    u: QueryUtilities,
    pool: NDArray[np.int64],
    others: int,
    measure: Measure,
    sampling: Sampling,
) -> tuple[Array, bool]:
    """Sums of all orders of a pool where they are few, else of sampled ones; and whether all."""
    weights = _weights(measure)
    n = len(pool) + others
    depth = min(len(weights), n)
    alone, after = u.filled
    if n == 0:
        return np.zeros(1), True
    if n <= 60 and perm(n, depth) <= sampling.most_orders:
        everything = np.concatenate([pool, np.full(others, len(u.documents))])
        orders = np.array(list(permutations(everything.tolist(), depth)), dtype=np.int64)
        return sums(orders, alone, after, weights, measure["combine"]), True
    random = np.random.Generator(np.random.Philox(key=[sampling.seed, int(judged.streams[q])]))
    picks = np.empty((sampling.samples, depth), dtype=np.int64)
    for i in range(sampling.samples):
        picks[i] = random.choice(n, depth, replace=False, shuffle=True)
    orders = np.append(pool, len(u.documents))[np.minimum(picks, len(pool))]
    return sums(orders, alone, after, weights, measure["combine"]), False


def _entry(name: str, title: str, formula: str, upper: str, high: float | None) -> Definition:
    return Definition(
        name, title, formula, CC13, (STOP, THETA, COMBINE), "required", (0, high),
        family="preference", needs="preferences", derive=_values, chance=PreferenceChance(),
        expected="rank 1: mean U(d); then the mean of U(d|d') over pairs (mean), or "
        "Σ_r v_(r)·C(n−1−r, i−2)/C(n−1, i−1) (min)", upper=upper,
        notes="U(d|d') falls back to U(d) where the pair was never judged; a document that was never "
        "shown counts 0.",
    )  # fmt: skip


DEFINITIONS = (
    _entry(
        "Prf",
        "Preference measure",
        "Σ_{k≤K} P(k) Σ_{i≤k} U(d_i | d_1 … d_{i−1}), P(k) the readers who stop at k",
        "that of the greedy order: the best U(d), then the best after those placed",
        None,
    ),
    _entry(
        "nPrf",
        "Normalised preference measure",
        "Prf@K / Prf@K of the greedy order of the judged documents",
        "that of the greedy order",
        None,
    ),
)
