"""Systems under the assignments of people and of models: answers scored by their nuggets."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from tare._data import frames
from tare._data.answers import Answers, read_answers
from tare._data.labels import SEPARATOR, LabelSet
from tare._data.nuggets import AnswerKey, Nugget
from tare._measures.answers import evaluate_answers
from tare._measures.measure import Measure
from tare._measures.names import parse_all
from tare.errors import MismatchError
from tare.studies._judges.systems import ScoredSystems

__all__ = ["assigned_systems", "measures_answers"]

Pair = tuple[str, str]  # topic, and system with nugget


def measures_answers(measures: Sequence[str | Measure]) -> bool:
    """Return whether all measures are measures of answers."""
    return all(m.innermost.definition.family == "answers" for m in parse_all(measures))


def assigned_systems(
    human: LabelSet,
    judges: Sequence[LabelSet],
    measures: Sequence[str | Measure],
    sources: Iterable[Any],
    nuggets: Any = None,
) -> ScoredSystems:
    """Score the answers of each system by the assignments of each label set.

    All are scored on the nuggets that everybody assigned. The importance of nuggets is that of `nuggets`,
    or else that of the sources of the labels.
    """
    if human.kind != "units":
        raise MismatchError(
            f"measures of answers need assignments of nuggets; the labels of {human.name} are {human.kind}."
        )
    common = set(human.values)
    for judge in judges:
        common &= set(judge.values)
    if not common:
        raise MismatchError("no nugget of an answer was assigned by people and by all judges.")
    known = _importance(sources, nuggets)
    first, *others = (
        evaluate_answers(_answers(labels, common, known), measures, unassigned="skip")
        for labels in (human, *judges)
    )
    if len(first.systems) < 2:
        raise MismatchError(
            f"{human.name}: answers of {len(first.systems)} system; judges are compared on 2 or more."
        )
    tables = {judge.name: table for judge, table in zip(judges, others, strict=True)}
    return ScoredSystems(first, tables, [str(m) for m in parse_all(measures)])


def _importance(sources: Iterable[Any], nuggets: Any) -> dict[tuple[str, str], Nugget]:
    """Return the nuggets that are known with their importance, by topic and id."""
    found: dict[tuple[str, str], Nugget] = {}
    for source in sources:
        if isinstance(source, str | os.PathLike) or frames.is_frame(source):
            given = read_answers(source, nuggets=nuggets)
            found |= {(item, n.id): n for item, own in given.nuggets.items() for n in own}
    return found


def _answers(labels: LabelSet, common: set[Pair], known: dict[tuple[str, str], Nugget]) -> Answers:
    """Return the assigned answers of a label set, on the common pairs."""
    credits: dict[AnswerKey, dict[str, float | None]] = {}
    nuggets: dict[str, dict[str, Nugget]] = {}
    for item, pair in sorted(common):
        system, _, name = pair.partition(SEPARATOR)
        credits.setdefault(AnswerKey(system, item, "", item), {})[name] = labels.values[item, pair]
        nuggets.setdefault(item, {})[name] = known.get((item, name), Nugget(name, name))
    return Answers(
        labels.name, {item: tuple(own.values()) for item, own in nuggets.items()}, credits
    )
