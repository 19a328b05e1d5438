"""The measures of a score table as a report tells of them: each with what chance makes of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._measures.scores import Scores
from tare.chance._kinds import Kinds

__all__ = ["Subject", "chance_of", "kinds_of_scores", "subjects"]

WRAPPERS = {"E": "expected", "Ideal": "ideal", "Net": "net"}


@dataclass(frozen=True)
class Subject:
    """A measure of the table, and the columns of its tare (E), its ideal and its net score, if any."""

    measure: str
    expected: str | None = None
    ideal: str | None = None
    net: str | None = None


def subjects(scores: Scores) -> tuple[Subject, ...]:
    """The measures of a report: those that are not the chance of another, in the order of the table."""
    companions: dict[str, dict[str, str]] = {}
    told: list[str] = []
    for measure in scores.measures:
        of = None if measure.inner is None else measure.inner.text
        place = WRAPPERS.get(measure.name) if of in scores.measure_names else None
        if of is not None and place is not None and place not in companions.get(of, {}):
            companions.setdefault(of, {})[place] = measure.text
        else:
            told.append(measure.text)
    return tuple(Subject(name, **companions.get(name, {})) for name in told)


def chance_of(
    scores: Scores, subject: Subject
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Score and expected value by system and query, as shares of the ideal; None without chance.

    NaN where the ideal is 0: such a query says nothing about a system.
    """
    if subject.expected is None:
        return None
    scored, expected = scores.matrix(subject.measure), scores.matrix(subject.expected)
    if subject.ideal is None:
        return scored, expected
    ideal = scores.matrix(subject.ideal)
    ideal = np.where(ideal > 0, ideal, np.nan)
    return scored / ideal, expected / ideal


def kinds_of_scores(scores: Scores, subject: Subject) -> Kinds | None:
    """The kinds of queries, from the scores of one measure; nothing where chance is not known."""
    found = chance_of(scores, subject)
    if found is None:
        return None
    share, chance = found
    seen = ~np.isnan(share).any(axis=0) & ~np.isnan(chance).any(axis=0)
    kept = np.flatnonzero(seen)
    if len(kept) < 3:
        return None
    measure = next(m for m in scores.measures if m == subject.measure)
    return Kinds(
        (measure,),
        tuple(scores.items[k] for k in kept),
        share[:, kept].mean(axis=0),
        chance[:, kept].mean(axis=0),
        max(1, round(0.1 * len(kept))),
        0.3,
        0.7,
        0.2,
        tuple(scores.items[k] for k in np.flatnonzero(~seen)),
    )
