"""The share of judged documents at the cutoff of each measure, which saved score tables contain.

If the share falls between two tables, the judgements describe the rankings less well than before: for
example because documents were split again and have new ids.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._measures.names import parse

if TYPE_CHECKING:
    from tare._measures.measure import Measure
    from tare._measures.scores import Scores

__all__ = ["judged_shares"]


def judged_shares(scores: Scores) -> dict[Measure, NDArray[np.float64]]:
    """Return the judged share of each ranking measure, systems × items.

    A table that was just computed computes them from its rankings; a table that was loaded has those
    of its file. Measures that are not about ranked documents have none.
    """
    if scores.rescoring is None:
        return dict(scores.judged)
    share_of = {
        measure: _share_measure(measure)
        for measure in scores.measures
        if measure.innermost.definition.family == "ranking"
    }
    if not share_of or not scores.rescoring.rankings:
        return {}
    made = scores.rescoring.score(tuple(dict.fromkeys(share_of.values())))
    made = made.select(systems=scores.systems, items=scores.items)
    return {measure: made.matrix(share) for measure, share in share_of.items()}


def _share_measure(measure: Measure) -> Measure:
    """Return Judged at the cutoff of a measure, or of the whole ranking."""
    cutoff = measure.innermost.cutoff
    return parse("Judged" if cutoff is None or cutoff != int(cutoff) else f"Judged@{int(cutoff)}")
