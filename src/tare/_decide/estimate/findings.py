"""What a reader should know about the labels behind an estimate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tare._data.findings import Finding
from tare._decide.ppi.estimators import Estimator

__all__ = ["FEW", "estimate_findings"]

FEW = 10  # queries with human labels


def estimate_findings(estimators: Sequence[Estimator], design: str) -> list[Finding]:
    """Return findings about the number of labels and the worth of the judge."""
    found = []
    sample = estimators[0].sample
    if sample.n < FEW:
        message = f"only {sample.n} queries have human labels; intervals from fewer than {FEW} are not reliable."
        found.append(Finding("few human labels", message, sample.n))
    if design == "queries" and sample.size < 2:
        message = (
            "people labelled every query of the judge, so the estimates use people's labels only."
            if sample.size == 0
            else "the judge labelled one query more than people, which is too few to use its labels."
        )
        found.append(Finding("no other queries", message))
        return found
    for estimator in estimators:
        if estimator.method == "rogan-gladen":
            found += _rogan_gladen(estimator)
        elif estimator.weight is None and float(estimator.fit.weight) == 0:
            message = (
                f"{estimator.measure}: λ = 0. The judge's labels do not predict people's here; they are worth "
                "nothing, and the estimates use people's labels only."
            )
            found.append(Finding("worthless judge", message))
    return found


def _rogan_gladen(estimator: Estimator) -> list[Finding]:
    counts = estimator.counts
    assert counts is not None
    made = [
        Finding(
            "sensitivity and specificity",
            f"{estimator.measure}: the judge has sensitivity {counts.sensitivity:.3f} and specificity "
            f"{counts.specificity:.3f} on the documents that people labelled.",
            severity="note",
        )
    ]
    outside = int(np.sum((estimator.fit.value < 0) | (estimator.fit.value > 1)))
    if outside:
        message = f"{estimator.measure}: {outside:,} estimates are outside 0 to 1"
        made.append(Finding("outside the scale", message, outside))
    return made
