"""Nugget measures under chance: the mean score of given answers to other topics.

An answer to another topic is held against the nuggets of this one. All systems are pooled, so that
chance is the same for every system.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding, listed
from tare._measures.aggregation import room_of
from tare._measures.measure import Measure
from tare.errors import MeasureError, MismatchError

if TYPE_CHECKING:
    from tare._measures.answers import AnswerEvaluation

__all__ = ["AnswerChances", "answer_chances", "answer_p_values"]

Values = NDArray[np.float64]


@dataclass(frozen=True)
class AnswerChances:
    """A measure under chance, one value per system and topic; the same for every system."""

    measure: Measure
    expected: Values
    expected_error: Values
    variance: Values
    upper: Values
    worst: Values

    @property
    def room(self) -> Values:
        """Upper bound minus expected value; 0 if the two differ only by rounding."""
        return room_of(self.expected, self.upper)

    @property
    def defined(self) -> NDArray[np.bool_]:
        """Whether chance is known."""
        return ~np.isnan(self.expected)


def answer_chances(
    evaluation: AnswerEvaluation, measure: Measure, *, expected: bool = True
) -> AnswerChances:
    """Return the inner measure of `measure` under chance, and record facts and findings."""
    inner = measure.inner
    assert inner is not None
    _refuse_options(measure)
    evaluation.values(inner)  # raises if the data lack what the measure needs
    drawn = _drawn(evaluation, measure) if expected else []
    means = [float(np.mean(own)) if len(own) else np.nan for own in drawn]
    spread = [float(np.var(own)) if len(own) else np.nan for own in drawn]
    systems = len(evaluation.systems)
    unknown = [np.nan] * len(evaluation.items)
    found = AnswerChances(
        inner,
        np.tile(np.array(means or unknown, dtype=np.float64), systems),
        np.zeros(evaluation.size),
        np.tile(np.array(spread or unknown, dtype=np.float64), systems),
        np.ones(evaluation.size),
        np.zeros(evaluation.size),
    )
    facts = dict(evaluation.facts(inner))
    if expected:
        sizes = [len(own) for own in drawn]
        facts |= {"chance": "other-topics", "drawn": sum(sizes)}
        evaluation.set_facts(measure, facts, _findings(evaluation, measure, sizes))
    else:
        evaluation.set_facts(measure, facts)
    return found


def answer_p_values(evaluation: AnswerEvaluation, measure: Measure, observed: Values) -> Values:
    """Return (b + 1)/(B + 1), b of the B answers to other topics scoring at least as high."""
    drawn = _drawn(evaluation, measure)
    out = np.full(len(observed), np.nan)
    for place, value in enumerate(observed):
        own = drawn[place % len(evaluation.items)]
        if len(own) and not np.isnan(value):
            out[place] = (np.sum(own >= value - 1e-12) + 1) / (len(own) + 1)
    return out


def _drawn(evaluation: AnswerEvaluation, measure: Measure) -> list[Values]:
    """Return for each topic the scores of the answers to other topics."""
    from tare._measures.answers import SCORES

    inner = measure.inner
    assert inner is not None
    score = SCORES.get(inner.name)
    if score is None:
        raise MeasureError(
            f"{measure}: {inner} has no score under chance, because {inner.definition.without_net}."
        )
    answers = evaluation.answers
    if not answers.elsewhere:
        raise MismatchError(
            f"{measure}: the chance of {inner} is the mean score of answers to other topics, held against "
            f"the nuggets of this one, and {answers.name} has no such assignments. Give them (elsewhere=, "
            f"--elsewhere FILE, or rows with the column answer_to), or use {inner} itself."
        )
    by_item: dict[str, dict[tuple[str, str], list[float]]] = {item: {} for item in evaluation.items}
    for key, own in answers.elsewhere.items():
        if key.item in by_item:
            value = evaluation.score_one(inner, score, key, own)
            if not np.isnan(value):
                by_item[key.item].setdefault((key.system, key.about), []).append(value)
    return [np.array([np.mean(v) for v in own.values()]) for own in by_item.values()]


def _refuse_options(measure: Measure) -> None:
    """Refuse parameters that belong to rankings or to texts."""
    given = [
        name for name, _ in measure.parameters if name in ("pool", "length", "expected", "upper")
    ]
    if given:
        raise MeasureError(
            f"{measure}: {given[0]} does not apply to answers. Chance is the mean score of given answers to "
            "other topics, and the upper bound is 1."
        )


def _findings(evaluation: AnswerEvaluation, measure: Measure, sizes: list[int]) -> list[Finding]:
    items = evaluation.items
    known = [size for size in sizes if size]
    found = []
    if not known:
        raise MismatchError(
            f"{evaluation.answers.name}: {measure} is not defined, because no topic with answers has "
            "assignments of answers to other topics. Are the ids of topics the same in both?"
        )
    without = [item for item, size in zip(items, sizes, strict=True) if not size]
    if without:
        message = (
            f"{len(without):,} of {len(items):,} topics have no answers to other topics; they are left out of "
            "net scores."
        )
        found.append(Finding("no chance", message, len(without), examples=listed(without)))
    message = f"chance is the mean of {min(known):,} to {max(known):,} answers to other topics, per topic."
    found.append(Finding("chance of answers", message, severity="note"))
    return found
