"""Ranks of the documents judged by groups of assessors."""

from __future__ import annotations

from tare._data.assessor_groups import AssessorGroups
from tare._data.judged import Judged
from tare._measures.measure import Measure
from tare.errors import MeasureError

__all__ = ["groups_of", "ranks_of"]


def groups_of(judged: Judged, measure: Measure) -> AssessorGroups:
    """Return the judgements by assessor that a measure needs."""
    if not isinstance(judged.judgements, AssessorGroups):
        raise MeasureError(
            f"{measure} needs the judgements of each assessor ('query group document level'); read "
            "them with tare.read_assessor_groups."
        )
    if judged.policies.ties == "expected":
        raise MeasureError(f"{measure} does not support ties='expected'.")
    return judged.judgements


def ranks_of(judged: Judged, query: int) -> dict[int, int]:
    """Return the rank of each retrieved judged document by its number."""
    first, last = judged.rankings.offsets[query : query + 2]
    ranks, codes = judged.rankings.ranks[first:last], judged.rankings.codes[first:last]
    near = ranks <= judged.retrieved[query]
    return dict(zip(codes[near].tolist(), ranks[near].tolist(), strict=True))
