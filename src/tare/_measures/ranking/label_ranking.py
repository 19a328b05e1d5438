"""Label ranking average precision as a measure of runs: AP with ties."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from tare._measures.definition import Definition
from tare._measures.evaluation import Evaluation
from tare._measures.measure import Measure, make
from tare._measures.ranking.parameters import REL, plain

__all__ = ["DEFINITIONS", "reads_groups"]

Array = NDArray[np.float64]


def _values(evaluation: Evaluation, measure: Measure) -> Array:
    judged = evaluation.judged
    if judged.policies.ties != "trec":  # without ties, or averaged over their orders, LRAP is AP
        average = make("AP", {"rel": measure["rel"]})
        values = evaluation.values(average)
        evaluation.set_errors(measure, evaluation.errors(average))
        return values
    levels, rel = judged.qrels.levels, max(float(measure["rel"]), 0.0)
    offsets = judged.rankings.offsets
    query = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    counted = (levels[judged.rankings.codes] >= rel) & (
        judged.rankings.ranks <= judged.retrieved[query]
    )
    query, ends = query[counted], judged.group_ends()[counted]
    # Ends ascend within a query, so documents with at least a given score form a prefix.
    width = int(ends.max(initial=0)) + 1
    places = query * width + ends
    first = np.searchsorted(query, query, side="left")
    relevant_above = np.searchsorted(places, places, side="right") - first
    sums = np.bincount(query, relevant_above / ends, minlength=len(offsets) - 1)
    in_pool = np.concatenate([[0], np.cumsum(levels[judged.qrels.pool] >= rel)])
    relevant = np.diff(in_pool[judged.qrels.pool_offsets])
    return np.divide(sums, relevant, out=np.zeros(len(sums)), where=relevant > 0)


def reads_groups(measures: Iterable[Measure]) -> bool:
    """Return whether a measure, or an inner one, needs the last rank of tie groups."""
    for measure in measures:
        inside: Measure | None = measure
        while inside is not None:
            if inside.name == "LRAP":
                return True
            inside = inside.inner
    return False


DEFINITIONS = (
    Definition(
        "LRAP",
        "Label ranking average precision",
        "(1/R) Σ over relevant d: |relevant with score ≥ s_d| / |retrieved with score ≥ s_d|",
        "Tsoumakas, Katakis, Vlahavas. Mining Multi-label Data. Data Mining and Knowledge Discovery "
        "Handbook, 2010.",
        (REL,),
        arguments=plain("AP"),
        derive=_values,
        expected="that of AP",
        upper="1",
        notes="AP in which a document ranks after all documents with the same score, as in "
        "scikit-learn; without ties it equals AP. A relevant document that is not retrieved counts 0, "
        "and so does a query without a relevant document (scikit-learn and `tare.lrap`: 1). With "
        "ties=order or ties=expected it also equals AP. Under chance there are no ties.",
    ),
)
