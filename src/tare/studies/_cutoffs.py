"""Families of measures: nDCG@5 and nDCG@10 are the family nDCG at two cutoffs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tare._measures.measure import Measure
from tare._measures.names import column_measure, column_measures
from tare._measures.scores import Scores
from tare._signature import Signature

__all__ = ["by_family", "family_of", "over_cutoffs"]

Name = TypeVar("Name", str, Measure)


def family_of(measure: str | Measure) -> tuple[str, int | float | None]:
    """Return the family of a measure, which is its name without its cutoff, and the cutoff.

    >>> family_of("V2(nDCG@10)"), family_of("coherence")
    (('V2(nDCG)', 10), ('coherence', None))
    """
    column = column_measure(measure)
    if not column.registered:  # such as human ratings
        return column.text, None
    made, cutoff = _without(column)
    return made.text, cutoff


def _without(measure: Measure) -> tuple[Measure, int | float | None]:
    if measure.inner is None:
        return Measure(measure.definition, measure.parameters, part=measure.part), measure.cutoff
    inner, cutoff = _without(measure.inner)
    made = Measure(measure.definition, measure.parameters, measure.cutoff, inner, measure.part)
    return made, cutoff


def by_family(measures: Iterable[Name]) -> dict[str, list[Name]]:
    """Return the measures of each family, which differ in the cutoff, in the given order."""
    found: dict[str, list[Name]] = {}
    for measure in measures:
        found.setdefault(family_of(measure)[0], []).append(measure)
    return found


def over_cutoffs(scores: Scores) -> Scores:
    """Return one column per family of measures: the mean over its cutoffs, missing if any of them is."""
    families = by_family(scores.measures)
    columns: list[NDArray[np.float64]] = []
    signatures: list[Signature] = []
    for family, measures in families.items():
        places = [scores.measures.index(m) for m in measures]
        columns.append(scores.values[:, :, places].mean(axis=2))
        facts: dict[str, Any] = dict(scores.signatures[places[0]].facts)
        cutoffs = [family_of(m)[1] for m in measures]
        if len(cutoffs) > 1:
            facts["cutoffs"] = ",".join(f"{c:g}" if c is not None else "all" for c in cutoffs)
        signatures.append(Signature.of(family, facts))
    return replace(
        scores,
        measures=column_measures(families),
        values=np.stack(columns, axis=2),
        signatures=tuple(signatures),
        columns={},
    )
