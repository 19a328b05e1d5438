"""Utilities, weights of ranks and greedy ideals of Prf."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data.judged import Judged
from tare._data.preferences import QueryUtilities, Utilities
from tare._measures.measure import Measure
from tare._measures.preference.browsing import rank_weights
from tare._measures.preference.rankings import greedy_order, sums
from tare.errors import MeasureError

__all__ = ["divided", "divisors", "ideal_sum", "utilities_of", "weights_of"]

Array = NDArray[np.float64]


def utilities_of(judged: Judged, measure: Measure) -> Utilities:
    """Return the utilities that a run was joined with."""
    found = getattr(judged.judgements, "utilities", None)
    if not isinstance(found, Utilities):
        raise MeasureError(
            f"{measure} needs preferences ('query document document winner'); read them with "
            "tare.read_preferences."
        )
    return found


def weights_of(measure: Measure) -> Array:
    """Return the weights w_1 … w_K of a measure."""
    return rank_weights(measure["stop"], float(measure["theta"]), int(measure.cutoff or 1))


def divisors(utilities: Utilities, measure: Measure) -> Array:
    """Return the divisors of Prf per query; they are cached, being the same for all systems."""
    if measure.name == "Prf":
        return np.ones(len(utilities.items))
    if measure not in utilities.kept:
        values = [ideal_sum(u, np.arange(len(u.documents)), measure) for u in utilities.by_query]
        utilities.kept[measure] = np.array(values)
    return utilities.kept[measure]


def ideal_sum(
    u: QueryUtilities, pool: NDArray[np.int64], measure: Measure, choose: Any = np.argmax
) -> float:
    """Return the sum of the greedy order of a pool; with `argmin`, of the worst greedy order."""
    alone, after = u.filled
    weights, combine = weights_of(measure), measure["combine"]
    order = greedy_order(pool, alone, after, len(weights), combine, choose)
    return float(sums(order[None, :], alone, after, weights, combine)[0])


def divided(values: Array, by: Array) -> Array:
    """Return values divided by divisors; 0 if the divisor is 0."""
    return np.divide(values, by, out=np.zeros(len(values)), where=by > 0)
