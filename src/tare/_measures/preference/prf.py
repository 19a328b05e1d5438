"""Prf and nPrf: measures of rankings from preferences between documents."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._data.judged import Judged
from tare._data.preferences import QueryUtilities
from tare._measures.definition import Definition
from tare._measures.evaluation import Evaluation
from tare._measures.measure import Measure
from tare._measures.parameter import Parameter
from tare._measures.preference.browsing import STOPS
from tare._measures.preference.chance import PreferenceChance
from tare._measures.preference.ideal import divided, divisors, utilities_of, weights_of
from tare._measures.preference.rankings import sums
from tare.errors import MeasureError

__all__ = ["DEFINITIONS"]

Array = NDArray[np.float64]
CC13 = "Chandar, Carterette. Preference Based Evaluation Measures for Novelty and Diversity. SIGIR 2013."
STOP = Parameter(
    "stop", "choice", "rbp", "The distribution of the rank at which readers stop.", choices=STOPS
)
THETA = Parameter(
    "theta",
    "number",
    0.2,
    "Probability of stopping at each rank (stop=rbp).",
    low=0,
    high=1,
    open_ends=True,
)
COMBINE = Parameter(
    "combine",
    "choice",
    "mean",
    "How U(d_i | d_j) is combined over the documents d_j before d_i.",
    choices=("mean", "min"),
)


def _ranking(judged: Judged, q: int, depth: int, unknown: int) -> NDArray[np.int64]:
    """Return the numbers of the first documents; unjudged documents have the number `unknown`."""
    first, last = judged.rankings.offsets[q : q + 2]
    ranks, codes = judged.rankings.ranks[first:last], judged.rankings.codes[first:last]
    order = np.full(min(depth, int(judged.retrieved[q])), unknown, dtype=np.int64)
    near = ranks <= len(order)
    order[ranks[near] - 1] = codes[near]
    return order


def _values(evaluation: Evaluation, measure: Measure) -> Array:
    judged = evaluation.judged
    if judged.policies.ties == "expected":
        raise MeasureError(f"{measure} does not support ties='expected'.")
    utilities = utilities_of(judged, measure)
    weights, combine = weights_of(measure), measure["combine"]
    values = np.zeros(len(judged.items))
    unknown = np.zeros(4, dtype=np.int64)
    for q, u in enumerate(utilities.by_query):
        alone, after = u.filled
        order = _ranking(judged, q, len(weights), len(u.documents))
        values[q] = sums(order[None, :], alone, after, weights, combine)[0]
        unknown += _unknown(u, order)
    if "unknown utilities" not in evaluation.notes and unknown[1:].any():
        evaluation.notes["unknown utilities"] = True
        evaluation.findings.append(_finding(judged.system, unknown, int(measure.cutoff or 1)))
    return divided(values, divisors(utilities, measure))


def _unknown(u: QueryUtilities, order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count pairs, unjudged pairs, documents with an estimated U(d), and documents never compared."""
    known = order[order < len(u.documents)]
    pairs = len(order) * (len(order) - 1) // 2
    missing = np.isnan(u.conditional[np.ix_(known, known)])
    judged_pairs = int(np.tril(~missing, -1).sum())
    shown = ~np.isnan(u.estimated[known])
    estimated = int((shown & np.isnan(u.simple[known])).sum())
    return np.array([pairs, pairs - judged_pairs, estimated, len(order) - int(shown.sum())])


def _finding(system: str, unknown: NDArray[np.int64], cutoff: int) -> Finding:
    pairs, missing, estimated, never = (int(x) for x in unknown)
    parts = []
    if missing:
        parts.append(
            f"{missing:,} of {pairs:,} pairs in the first {cutoff} have no judgement of one document "
            "after the other, and U(d) is used for U(d|d')"
        )
    if estimated:
        were = "document was" if estimated == 1 else "documents were"
        parts.append(
            f"{estimated:,} {were} only judged after another one, and U(d) is estimated from these "
            "judgements"
        )
    if never:
        parts.append(
            "1 document was never compared with another and counts 0"
            if never == 1
            else f"{never:,} documents were never compared with another and count 0"
        )
    return Finding(
        "unknown utilities", f"{system}: {'; '.join(parts)}.", missing + estimated + never
    )


def _entry(name: str, title: str, formula: str, upper: str, high: float | None) -> Definition:
    return Definition(
        name,
        title,
        formula,
        CC13,
        (STOP, THETA, COMBINE),
        "required",
        (0, high),
        family="preference",
        needs="preferences",
        derive=_values,
        chance=PreferenceChance(),
        expected="rank 1: mean U(d); then the mean of U(d|d') over pairs (mean), or "
        "Σ_r v_(r)·C(n−1−r, i−2)/C(n−1, i−1) (min)",
        upper=upper,
        notes="If U(d|d') was not judged, U(d) is used. If d has no simple judgement, U(d) is the share of "
        "its conditional judgements that it won; if it has none, 0. A warning counts each case.",
    )


DEFINITIONS = (
    _entry(
        "Prf",
        "Preference measure",
        "Σ_{k≤K} P(k) Σ_{i≤k} U(d_i | d_1 … d_{i−1}), P(k) the share of readers who stop at k",
        "that of the greedy order: the best U(d), then the best given those chosen",
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
