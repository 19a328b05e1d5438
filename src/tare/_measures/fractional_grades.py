"""Grades between 0 and 1, which binary measures count as not relevant by default."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tare._data.findings import Finding
from tare._data.qrels import Qrels
from tare._measures.measure import Measure

__all__ = ["fractional_grades"]


def fractional_grades(qrels: Qrels, measures: Iterable[Measure]) -> list[Finding]:
    """Return a finding if grades between 0 and 1 are below the `rel` of a measure."""
    between = qrels.levels[(qrels.levels > 0) & (qrels.levels < 1)]
    if not len(between):
        return []
    affected = []
    for measure in measures:
        inner = measure.innermost
        has_rel = any(parameter.name == "rel" for parameter in inner.definition.parameters)
        if has_rel and inner["rel"] is not None and float(inner["rel"]) > between[0]:
            affected.append(measure)
    if not affected:
        return []
    lowest = min(float(measure.innermost["rel"]) for measure in affected)
    grades = qrels.levels[qrels.pool]
    count = int(np.sum((grades > 0) & (grades < min(lowest, 1.0))))
    name = affected[0].innermost.name
    return [
        Finding(
            "fractional grades",
            f"{qrels.name}: {count:,} judgements have a grade between 0 and 1 and are not relevant for "
            f"{', '.join(map(str, affected[:5]))}. rel= sets the lowest relevant grade, as in "
            f"{name}(rel={between[0]:g}).",
            count,
        )
    ]
