"""The measures of a score table as a report tells of them: each with what chance makes of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare.chance.kinds import Kinds
from tare.errors import MeasureError
from tare.measures.measure import Measure
from tare.measures.names import parse, parse_all
from tare.measures.scores import Scores

__all__ = ["Subject", "kinds_of_scores", "subjects", "with_chance"]

WRAPPERS = {"E": "expected", "U": "upper", "V2": "net"}


@dataclass(frozen=True)
class Subject:
    """A measure of the table, and the columns that hold its expected value, U and V2, if any."""

    measure: str
    expected: str | None = None
    upper: str | None = None
    net: str | None = None


def with_chance(measures: Iterable[str | Measure]) -> tuple[Measure, ...]:
    """The measures, each followed by its expected value, its share of the possible and its V2."""
    made: dict[str, Measure] = {}
    for measure in parse_all(measures):
        made[str(measure)] = measure
        definition = measure.definition
        if measure.inner is not None or not definition.expected or not definition.upper:
            continue
        if definition.aggregate != "mean" or definition.family == "text":
            continue  # chance for texts is a matter of sources: it is told where it is asked for
        wrappers = ("E", "V2") if definition.upper == "1" else ("E", "U", "V2")
        for wrapper in wrappers:
            whole = parse(f"{wrapper}({measure})")
            made.setdefault(str(whole), whole)
    return tuple(made.values())


def _parsed(name: str) -> Measure | None:
    try:
        return parse(name)
    except MeasureError:  # a column that somebody else named
        return None


def subjects(scores: Scores) -> tuple[Subject, ...]:
    """The measures that are told of: those that are not another's chance, in the table's order."""
    companions: dict[str, dict[str, str]] = {}
    told: list[str] = []
    for name in scores.measures:
        measure = _parsed(name)
        of = None if measure is None or measure.inner is None else str(measure.inner)
        place = (
            WRAPPERS.get(measure.name) if measure is not None and of in scores.measures else None
        )
        if of is not None and place is not None and place not in companions.get(of, {}):
            companions.setdefault(of, {})[place] = name
        else:
            told.append(name)
    return tuple(Subject(name, **companions.get(name, {})) for name in told)


def chance_of(scores: Scores, subject: Subject) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:  # fmt: skip
    """(share of the possible by system and query, what chance gets of it), or nothing.

    The upper bound of a query is A/U where somebody scores; where nobody does, it is unknown and
    the query is left out.
    """
    if subject.expected is None:
        return None
    scored, expected = scores.matrix(subject.measure), scores.matrix(subject.expected)
    measure = _parsed(subject.measure)
    one = measure is not None and measure.definition.upper == "1"
    if subject.upper is None:
        return (scored, expected) if one else None
    share = scores.matrix(subject.upper)
    with np.errstate(divide="ignore", invalid="ignore"):
        bound = np.where(share > 0, scored / share, np.nan)
    whole = np.full(bound.shape[1], np.nan)
    some = ~np.isnan(bound).all(axis=0)
    whole[some] = np.nanmax(bound[:, some], axis=0)
    return share, expected / whole


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
    measure: Any = _parsed(subject.measure)
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
