"""Where the documents that groups of assessors judged stand in a ranking."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare.data.assessor_groups import AssessorGroups
from tare.data.judged import Judged
from tare.errors import MeasureError
from tare.measures.definition import Moments
from tare.measures.measure import Measure

__all__ = ["NoChance", "groups_of", "ranks_of"]


def groups_of(judged: Judged, measure: Measure) -> AssessorGroups:
    """The judgements a measure of several assessors is made of."""
    if not isinstance(judged.judgements, AssessorGroups):
        raise MeasureError(
            f"{measure} needs the judgements of each assessor ('query group document level'); read "
            "them with tare.read_assessor_groups."
        )
    if judged.policies.ties == "expected":
        raise MeasureError(f"ties='expected' is not offered for {measure}.")
    return judged.judgements


def ranks_of(judged: Judged, query: int) -> dict[int, int]:
    """The rank of each judged document that was retrieved, by the document's number."""
    first, last = judged.arrays["offsets"][query : query + 2]
    ranks, codes = judged.arrays["ranks"][first:last], judged.arrays["codes"][first:last]
    near = ranks <= judged.retrieved[query]
    return dict(zip(codes[near].tolist(), ranks[near].tolist(), strict=True))


class NoChance:
    """These measures are not read net of chance: what stands for the pool is open."""

    def moments(
        self,
        judged: Judged,
        measure: Measure,
        tied: dict[str, NDArray[Any]],
        sampling: Any,
        *,
        variance: bool,
        worst: bool,
    ) -> Moments:
        """Refuses."""
        raise self._refused(measure)

    def tails(
        self,
        judged: Judged,
        measure: Measure,
        tied: dict[str, NDArray[Any]],
        sampling: Any,
        observed: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Refuses."""
        raise self._refused(measure)

    def _refused(self, measure: Measure) -> MeasureError:
        return MeasureError(
            f"{measure} has no expected value here. nPrf has, for preferences; for grades, score "
            "each assessor's own qrels."
        )
