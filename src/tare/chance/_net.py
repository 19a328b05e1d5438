"""Net: the score above chance, as a share of the room above chance.

    Net(A) = (A − E)/(U − E)

A is the score, E its expected value under a uniformly random order of the pool, U its value on the best
order of the pool. 1 is perfect, 0 is expected at chance, below 0 is worse than chance. Over a set of
queries Net is the ratio of the means, (mean A − mean E)/(mean U − mean E), like Cohen's κ.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tare._measures.measure import Measure
from tare.errors import MeasureError

__all__ = ["NET_MEANING", "has_net", "net", "refuse_without_net"]

Array = NDArray[np.float64]

NET_MEANING = (
    "1 is the ideal, 0 is what chance scores. Net removes chance, not the effect of how many documents "
    "are relevant, of the pool's size or of the cutoff: compare Net between sets only where these are "
    "alike. Which of two systems is better does not change."
)


def net(gain: Array, room: Array) -> Array:
    """Return (A − E)/(U − E) per query; NaN if U = E."""
    return np.where(room == 0, np.nan, gain / np.where(room == 0, 1.0, room))


def has_net(measure: Measure) -> bool:
    """Return whether chance can be subtracted from a measure.

    >>> from tare._measures.names import parse
    >>> has_net(parse("nDCG@10")), has_net(parse("GMAP"))
    (True, False)
    """
    return _reason(measure) is None


def refuse_without_net(measure: Measure) -> None:
    """Raise an error with the reason if the measure has no net score."""
    inner = measure.inner
    assert inner is not None
    reason = _reason(inner)
    if reason is not None:
        raise MeasureError(f"{measure}: {inner} has no net score, because {reason}.")


def _reason(measure: Measure) -> str | None:
    definition = measure.definition
    if definition.wraps:
        return "it is already derived from another measure"
    if definition.without_net:
        return definition.without_net
    if definition.aggregate == "sum":
        return "it is a count that is summed over queries"
    if definition.aggregate == "geometric":
        return "its geometric mean is defined for a set of queries only"
    if definition.family == "text":
        return None if definition.text_chance is not None else "it is not defined for a random text"
    if definition.family == "answers":
        return None  # chance is known from answers to other topics, if the data have them
    if definition.needs == "groups":
        return "the pool that several assessors share is not defined"
    if definition.arguments is None and definition.chance is None and definition.function is None:
        return "its expected value under chance is not known"
    return None
