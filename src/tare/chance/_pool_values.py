"""Values of a measure on rankings of the pool: random, best and worst, and as published."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tare import _kernels as kernels
from tare._data.judged import Judged
from tare._data.pools import Pool
from tare._measures.measure import Measure
from tare._measures.one_system import Sampling, kernel_of
from tare.chance._functions import value_of_order
from tare.errors import MeasureError

__all__ = ["extreme_values", "independent_values", "kernel_values", "published_upper"]

Array = NDArray[np.float64]
# Measures of unjudged documents are largest if the judged documents come last.
WORST_FIRST = ("Unjudged", "RBPresidual")


def kernel_values(
    judged: Judged,
    measure: Measure,
    arrays: kernels.Rankings,
    sampling: Sampling,
    what: Literal["values", "variances", "thirds", "tails"],
    observed: Array | None = None,
) -> tuple[Array, Array]:
    """Return what the core computes for one measure on rankings of the pool, and standard errors."""
    levels = judged.qrels.levels
    deepest = int(min(arrays.retrieved.max(initial=0), 1 << 14))
    values, errors = kernels.evaluate(
        arrays,
        judged.qrels.pool_offsets,
        judged.qrels.pool,
        judged.streams,
        [kernel_of(measure, levels, deepest)],
        what=what,
        observed=observed,
        most_orders=sampling.most_orders,
        samples=sampling.samples,
        seed=sampling.seed,
    )
    return values[0], errors[0]


def extreme_values(judged: Judged, measure: Measure, pool: Pool, *, best: bool) -> Array:
    """Return the value of the best or the worst ranking of each pool, computed on that ranking."""
    levels = judged.qrels.levels
    gain = levels
    if measure.definition.arguments is not None:
        given = measure.definition.arguments(measure, levels).gain
        gain = gain if given is None else given
    arrays = pool.ordered(judged, gain, best_first=best != (measure.name in WORST_FIRST))
    if measure.definition.function is not None:
        return value_of_order(judged, measure, arrays)
    return kernel_values(judged, measure, arrays, Sampling(), "values")[0]


def independent_values(judged: Judged, measure: Measure, tied: kernels.Rankings) -> Array:
    """Return the published approximation k(R/n)² of the expected SP@k, and k(R/n)²/R for AP.

    It treats Prec(i) and rel_i as independent. As published, k is the cutoff even if the pool has
    fewer documents, so the value may exceed the upper bound. Without a cutoff k is n.
    """
    if measure.name not in ("SP", "AP"):
        raise MeasureError(
            f"expected=independent is the published approximation for SP and AP; {measure} has "
            "none. expected=exact works for every measure."
        )
    relevant = (judged.qrels.levels >= measure["rel"])[tied.codes]
    offsets = tied.offsets
    total = np.concatenate([[0], np.cumsum(relevant)])
    r = (total[offsets[1:]] - total[offsets[:-1]]).astype(np.float64)
    n = tied.retrieved.astype(np.float64)
    k = n if measure.cutoff is None else float(measure.cutoff)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = k * (r / n) ** 2
        return np.where(r > 0, value / r, 0.0) if measure.name == "AP" else value


def published_upper(measure: Measure, best: Array) -> Array:
    """Return the published upper bound of SP@k, the constant k: a precision of 1 at every rank."""
    if measure.name != "SP" or measure.cutoff is None:
        raise MeasureError(
            f"upper=published is the constant k of SP@k; {measure} has none. upper=ideal is the "
            "value of the perfect ranking."
        )
    return np.where(best > 0, float(measure.cutoff), 0.0)
