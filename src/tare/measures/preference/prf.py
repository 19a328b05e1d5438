"""Prf and nPrf: what a ranking is worth to people who compared documents."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tare.data.findings import Finding
from tare.data.judged import Judged
from tare.data.utilities import QueryUtilities
from tare.errors import MeasureError
from tare.measures.definition import Definition, Parameter
from tare.measures.evaluation import Evaluation
from tare.measures.measure import Measure
from tare.measures.preference.browsing import STOPS
from tare.measures.preference.chance import PreferenceChance
from tare.measures.preference.ideal import divided, divisors, utilities_of, weights_of
from tare.measures.preference.rankings import sums

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


def _ranking(judged: Judged, q: int, depth: int, unknown: int) -> NDArray[np.int64]:
    """The first documents of a ranking by number; those that nobody judged have the last."""
    first, last = judged.arrays["offsets"][q : q + 2]
    ranks, codes = judged.arrays["ranks"][first:last], judged.arrays["codes"][first:last]
    order = np.full(min(depth, int(judged.retrieved[q])), unknown, dtype=np.int64)
    near = ranks <= len(order)
    order[ranks[near] - 1] = codes[near]
    return order


def _values(evaluation: Evaluation, measure: Measure) -> Array:
    judged = evaluation.judged
    if judged.policies.ties == "expected":
        raise MeasureError(f"ties='expected' is not offered for {measure}.")
    utilities = utilities_of(judged, measure)
    weights, combine = weights_of(measure), measure["combine"]
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
    return divided(values, divisors(utilities, measure))


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
