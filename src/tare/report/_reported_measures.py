"""The measures that a report covers, each with the columns that describe chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._measures.scores import Scores
from tare.chance._kinds_of_queries import Kinds

__all__ = ["ReportedMeasure", "chance_of", "kinds_of_scores", "reported_measures"]

WRAPPERS = {"E": "expected", "Ideal": "ideal", "Net": "net"}


@dataclass(frozen=True)
class ReportedMeasure:
    """A measure of a score table and, if present, the columns of its expected, ideal and net score."""

    name: str
    expected: str | None = None
    ideal: str | None = None
    net: str | None = None


def reported_measures(scores: Scores) -> tuple[ReportedMeasure, ...]:
    """Return the measures of a table, without the columns that describe chance of another one."""
    companions: dict[str, dict[str, str]] = {}
    names: list[str] = []
    for measure in scores.measures:
        inner = None if measure.inner is None else measure.inner.text
        field = WRAPPERS.get(measure.name) if inner in scores.measure_names else None
        if inner is not None and field is not None and field not in companions.get(inner, {}):
            companions.setdefault(inner, {})[field] = measure.text
        else:
            names.append(measure.text)
    return tuple(ReportedMeasure(name, **companions.get(name, {})) for name in names)


def chance_of(
    scores: Scores, reported: ReportedMeasure
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return score and expected value by system and query, as shares of the ideal.

    Returns None without an expected value. Queries with an ideal of 0 are NaN, because every system
    scores the same on them.
    """
    if reported.expected is None:
        return None
    scored, expected = scores.matrix(reported.name), scores.matrix(reported.expected)
    if reported.ideal is None:
        return scored, expected
    ideal = scores.matrix(reported.ideal)
    ideal = np.where(ideal > 0, ideal, np.nan)
    return scored / ideal, expected / ideal


def kinds_of_scores(scores: Scores, reported: ReportedMeasure) -> Kinds | None:
    """Return the kinds of queries by one measure, or None without an expected value."""
    found = chance_of(scores, reported)
    if found is None:
        return None
    share, chance = found
    defined = ~np.isnan(share).any(axis=0) & ~np.isnan(chance).any(axis=0)
    kept = np.flatnonzero(defined)
    if len(kept) < 3:
        return None
    measure = next(m for m in scores.measures if m == reported.name)
    return Kinds(
        (measure,),
        tuple(scores.items[k] for k in kept),
        share[:, kept].mean(axis=0),
        chance[:, kept].mean(axis=0),
        max(1, round(0.1 * len(kept))),
        0.3,
        0.7,
        0.2,
        tuple(scores.items[k] for k in np.flatnonzero(~defined)),
    )
