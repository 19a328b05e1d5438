"""Net: gross − tare = net. The score above chance, as a share of the room above chance.

    Net(A) = (A − E)/(U − E)

A is the score, E its expected value under a uniformly random order of the pool, U its value on the best
order of the pool. One branch: 1 is perfect, 0 is expected at chance, below 0 is worse than chance. Over a
set of queries Net is the ratio of the means, (mean A − mean E)/(mean U − mean E), as Cohen's κ is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tare._measures.measure import Measure
from tare.errors import MeasureError

__all__ = ["has_net", "net", "refuse_without_net"]

Array = NDArray[np.float64]


def net(gain: Array, room: Array) -> Array:
    """(A − E)/(U − E) of each query; undefined (NaN) where there is no room."""
    return np.where(room == 0, np.nan, gain / np.where(room == 0, 1.0, room))


def has_net(measure: Measure) -> bool:
    """Whether chance can be subtracted from a measure.

    >>> from tare._measures.names import parse
    >>> has_net(parse("nDCG@10")), has_net(parse("GMAP"))
    (True, False)
    """
    return _reason(measure) is None


def refuse_without_net(measure: Measure) -> None:
    """Says why a measure has no Net, if it has none."""
    inner = measure.inner
    assert inner is not None
    reason = _reason(inner)
    if reason is not None:
        raise MeasureError(f"{measure}: {inner} has no net score, because {reason}.")


def _reason(measure: Measure) -> str | None:
    definition = measure.definition
    if definition.wraps:
        return "it is made of another measure already"
    if definition.without_net:
        return definition.without_net
    if definition.aggregate == "sum":
        return "it is a count, summed over queries"
    if definition.aggregate == "geometric":
        return "its geometric mean is defined for a set of queries only"
    if definition.family == "text":
        return None if definition.text_chance is not None else "a random text has no score by it"
    if definition.needs == "groups":
        return "what pool several assessors share is not known"
    if definition.arguments is None and definition.chance is None and definition.function is None:
        return "what chance would score is not known"
    return None
