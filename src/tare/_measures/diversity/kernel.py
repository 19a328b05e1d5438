"""Kernels of diversity measures: their values, and their moments under chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare import _kernels as kernels
from tare._data.judged import Judged
from tare._data.subtopics import Subtopics
from tare._measures.diversity.parameters import GREEDY
from tare._measures.evaluation import Evaluation, Sampling
from tare._measures.measure import Measure
from tare._measures.moments import Moments
from tare._measures.ranking.parameters import refuse_too_large
from tare.errors import MeasureError

__all__ = ["DiversityChance", "KernelOf", "kernel", "values_by"]

Array = NDArray[np.float64]
KernelOf = Callable[[Measure], kernels.DiversityKernel]


def kernel(
    measure: Measure,
    kind: str,
    *,
    weights: str = "logarithmic",
    scale: str = "none",
) -> kernels.DiversityKernel:
    """Return the kernel of a measure, with the parameters of its definition."""
    known = {p.name for p in measure.definition.parameters}

    def of(name: str, otherwise: float) -> float:
        return float(measure[name]) if name in known else otherwise

    return kernels.DiversityKernel(
        kind,
        weights,
        scale,
        "ideal" in known and measure["ideal"] == "exact",
        int(measure.cutoff or 0),
        of("rel", 1.0),
        of("alpha", 0.5),
        of("beta", 0.5),
        of("gamma", 0.5),
        "gain" in known and measure["gain"] == "exp2",
    )


def values_by(kernel_of: KernelOf) -> Callable[[Evaluation, Measure], Array]:
    """Return the function that computes the values of a measure by its kernel."""

    def derive(evaluation: Evaluation, measure: Measure) -> Array:
        values, errors = _call("values", evaluation.judged, measure, kernel_of, evaluation.sampling)
        evaluation.set_errors(measure, errors)
        return values

    return derive


@dataclass(frozen=True)
class DiversityChance:
    """Moments of a diversity measure: closed forms, greedy bounds, sampled variances."""

    kernel_of: KernelOf

    def moments(
        self,
        judged: Judged,
        measure: Measure,
        tied: kernels.Rankings,
        sampling: Sampling,
        *,
        variance: bool,
        worst: bool,
    ) -> Moments:
        """Return mean, bounds and, on request, variance over all orders of each pool."""

        def found(what: Any) -> tuple[Array, Array]:
            return _call(what, judged, measure, self.kernel_of, sampling, tied)

        spread = found("variances") if variance else (None, None)
        return Moments(
            *found("expected"),
            upper=found("greedy")[0],
            variance=spread[0],
            variance_error=spread[1],
            worst=found("worst")[0] if worst else None,
            greedy=measure.definition.upper == GREEDY,
        )

    def tails(
        self,
        judged: Judged,
        measure: Measure,
        tied: kernels.Rankings,
        sampling: Sampling,
        observed: Array,
    ) -> tuple[Array, Array]:
        """Return the share of orders that score at least `observed`, and its standard error."""
        return _call("tails", judged, measure, self.kernel_of, sampling, tied, observed)


def _call(
    what: Any,
    judged: Judged,
    measure: Measure,
    kernel_of: KernelOf,
    sampling: Sampling,
    rankings: kernels.Rankings | None = None,
    observed: Array | None = None,
) -> tuple[Array, Array]:
    subtopics = judged.judgements
    if not isinstance(subtopics, Subtopics):
        raise MeasureError(
            f"{measure} needs judgements by subtopic ('query subtopic document grade'); read them "
            "with tare.read_subtopics."
        )
    if "gain" in {p.name for p in measure.definition.parameters}:
        largest = subtopics.arrays.cell_grades.max(initial=0.0)
        refuse_too_large(measure, np.array([largest]), exponential=measure["gain"] == "exp2")
    key = str(measure)
    values, errors, divisors = kernels.evaluate_diversity(
        what,
        judged.rankings if rankings is None else rankings,
        judged.streams,
        subtopics.arrays,
        kernel_of(measure),
        observed=observed,
        divisors=subtopics.divisors.get(key),
        most_orders=sampling.most_orders,
        samples=sampling.samples,
        seed=sampling.seed,
    )
    subtopics.divisors[key] = divisors  # the ideals are the same for every run
    return values, errors
