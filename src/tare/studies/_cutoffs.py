"""Families of measures: nDCG@5 and nDCG@10 are the family nDCG at two cutoffs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._measures.measure import Measure
from tare._measures.names import parse
from tare._measures.scores import Scores
from tare._signature import Signature
from tare.errors import MeasureError

__all__ = ["by_family", "family_of", "over_cutoffs"]


def family_of(measure: str) -> tuple[str, int | float | None]:
    """Return the name of a measure without its cutoff, and the cutoff.

    >>> family_of("V2(nDCG@10)"), family_of("coherence")
    (('V2(nDCG)', 10), ('coherence', None))
    """
    try:
        made, cutoff = _without(parse(measure))
    except MeasureError:  # not a measure of tare, such as a human rating
        return measure, None
    return str(made), cutoff


def _without(measure: Measure) -> tuple[Measure, int | float | None]:
    if measure.inner is None:
        return replace(measure, cutoff=None), measure.cutoff
    inner, cutoff = _without(measure.inner)
    return replace(measure, inner=inner), cutoff


def by_family(measures: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the measures of each family, in the given order."""
    found: dict[str, list[str]] = {}
    for measure in measures:
        found.setdefault(family_of(measure)[0], []).append(measure)
    return found


def over_cutoffs(scores: Scores) -> Scores:
    """Return one column per family: the mean over its cutoffs, missing if any of them is."""
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
        measures=tuple(families),
        values=np.stack(columns, axis=2),
        signatures=tuple(signatures),
        errors=None,
    )
