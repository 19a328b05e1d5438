"""Measures that are the rank of a relevant document, and rankings without one."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tare._choices import Missing
from tare._data.findings import listed
from tare._measures.evaluation import Evaluation
from tare._measures.measure import Measure
from tare.errors import MismatchError

__all__ = ["refuse_unretrieved"]


def refuse_unretrieved(
    evaluation: Evaluation, measures: Iterable[Measure], missing: Missing = "zero"
) -> None:
    """Raise an error if a ranking has no relevant document and a measure is the rank of one.

    Such a ranking has an infinite value. Queries that the run lacks are exempt if they are left out
    (`missing="skip"`).
    """
    judged = evaluation.judged
    for measure in {m.innermost: None for m in measures}:
        if measure.definition.arguments is None:
            continue
        values = evaluation.values(measure)
        if not np.isinf(values).any():
            continue
        if missing != "zero":
            values = np.where(judged.present, values, np.nan)
            evaluation.set_values(measure, values)
        lost = [judged.items[q] for q in np.flatnonzero(np.isinf(values))]
        if lost:
            raise MismatchError(
                f"{judged.system}: {measure} is the rank of a relevant document, but the run retrieves "
                f"none for {len(lost):,} of {len(judged.items):,} queries ({', '.join(listed(lost))}). "
                "Use runs that rank all candidates, or a measure such as RR, which counts these queries "
                "as 0."
            )
