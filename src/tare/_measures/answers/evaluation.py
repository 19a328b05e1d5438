"""Evaluation of answers: every measure on the answers of all systems at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data.answers import Answers
from tare._data.findings import Finding, listed
from tare._data.nuggets import AnswerKey, Nugget
from tare._measures.answers.options import AnswerOptions
from tare._measures.measure import Measure
from tare.errors import MeasureError, MismatchError

__all__ = ["AnswerEvaluation", "NuggetScore"]

Values = NDArray[np.float64]
NuggetScore = Callable[[Measure, tuple[Nugget, ...], Values], float]
"""The value of a measure, given the nuggets of a topic and the credit of each (NaN: not assigned)."""


class AnswerEvaluation:
    """Values by measure, one per system and topic, system by system."""

    def __init__(self, answers: Answers, options: AnswerOptions) -> None:
        self.answers = answers
        self.options = options
        self.systems, self.items = answers.systems, answers.items
        self.findings: dict[Finding, None] = {}
        self.ratios: dict[Measure, tuple[Values, ...]] = {}  # gross, tare, ideal
        self._values: dict[Measure, Values] = {}
        self._errors: dict[Measure, Values] = {}
        self._facts: dict[Measure, dict[str, object]] = {}
        self._place = {
            (system, item): s * len(self.items) + i
            for s, system in enumerate(self.systems)
            for i, item in enumerate(self.items)
        }

    @property
    def size(self) -> int:
        """The number of values: systems × topics."""
        return len(self.systems) * len(self.items)

    def values(self, measure: Measure) -> Values:
        """Return one value per system and topic; NaN if there is none."""
        if measure not in self._values:
            definition = measure.definition
            if definition.across is not None:
                raise MeasureError(
                    f"{measure} compares systems, so it cannot be inside another measure."
                )
            if definition.derive is None or not (
                definition.family == "answers" or definition.wraps
            ):
                raise MeasureError(f"{measure} is not a measure of answers.")
            self._values[measure] = definition.derive(self, measure)
        return self._values[measure]

    def errors(self, measure: Measure) -> Values:
        """Return standard errors; 0 for exact values."""
        return self._errors.get(measure, np.zeros(self.size))

    def set_errors(self, measure: Measure, errors: Values) -> None:
        """Set the standard errors of a measure derived from chance."""
        self._errors[measure] = errors

    def facts(self, measure: Measure) -> dict[str, object]:
        """Return the facts for the signature of a measure, once it has values."""
        return self._facts.get(measure, {})

    def set_facts(
        self, measure: Measure, facts: dict[str, Any], findings: Iterable[Finding] = ()
    ) -> None:
        """Set the facts of a measure for its signature, and add findings."""
        self._facts[measure] = facts
        self.findings |= dict.fromkeys(findings)

    def refused(self) -> NDArray[np.bool_]:
        """Return which answers are refusals."""
        made = np.zeros(self.size, dtype=bool)
        for pair, refused in self.answers.refused.items():
            if refused and pair in self._place:
                made[self._place[pair]] = True
        return made

    def averaged(self, scored: Iterable[tuple[AnswerKey, float]]) -> Values:
        """Return the mean over assigners per answer; refusals are left out if that is asked for."""
        sums, counts = np.zeros(self.size), np.zeros(self.size)
        for key, value in scored:
            place = self._place[key.system, key.item]
            sums[place] += value
            counts[place] += 1
        made = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return np.where(self.refused(), np.nan, made) if self.options.refusals == "skip" else made

    def _known(self) -> NDArray[np.bool_]:
        """Return which answers exist: assigned, refused, or with a known text."""
        made = np.zeros(self.size, dtype=bool)
        for pair in (*self.answers.pairs, *self.answers.known):
            if pair in self._place:
                made[self._place[pair]] = True
        return made

    def of_nuggets(self, measure: Measure, score: NuggetScore) -> Values:
        """Return the values of a measure of nuggets."""
        if not self.answers.credits:
            raise MismatchError(
                f"{measure} needs assignments of nuggets, and {self.answers.name} has none. Give a table "
                "with system, item, nugget and assignment."
            )
        pairs = [
            (key, self.score_one(measure, score, key, own))
            for key, own in self.answers.credits.items()
            if not self._is_empty_refusal(key, own)
        ]
        made = self.averaged(pairs)
        defined = np.array([self._defined(measure, score, item) for item in self.items], dtype=bool)
        zero = np.isnan(made) & np.tile(defined, len(self.systems))
        lost = np.zeros(self.size, dtype=bool)
        if self.options.refusals == "score":
            lost |= self.refused()
        if self.options.missing == "zero":
            lost |= ~self._known()
        found: list[Finding] = list(self._nugget_findings())
        without = [item for item, there in zip(self.items, defined, strict=True) if not there]
        if without:
            message = f"{measure} is not defined for {len(without):,} topics, which have no nugget that counts."
            found.append(Finding("undefined", message, len(without), examples=listed(without)))
        self.set_facts(measure, self.options.facts(self.answers), found)
        return np.where(zero & lost, 0.0, made)

    def _is_empty_refusal(self, key: AnswerKey, own: dict[str, float | None]) -> bool:
        refused = self.answers.refused.get((key.system, key.item), False)
        return refused and all(credit is None for credit in own.values())

    def _defined(self, measure: Measure, score: NuggetScore, item: str) -> bool:
        nuggets = self.answers.nuggets.get(item, ())
        return not np.isnan(score(measure, nuggets, np.zeros(len(nuggets))))

    def score_one(
        self, measure: Measure, score: NuggetScore, key: AnswerKey, own: dict[str, float | None]
    ) -> float:
        """Return the value of one answer, held against the nuggets of one topic."""
        nuggets = self.answers.nuggets.get(key.item, ())
        given = [own.get(nugget.id) for nugget in nuggets]
        if self.options.unassigned == "zero":
            given = [0.0 if credit is None else credit for credit in given]
        credits = np.array([np.nan if c is None else c for c in given], dtype=np.float64)
        kept = ~np.isnan(credits)
        if nuggets and not kept.any():
            return float("nan")
        chosen = tuple(n for n, keep in zip(nuggets, kept, strict=True) if keep)
        return score(measure, chosen, credits[kept])

    def _nugget_findings(self) -> Iterable[Finding]:
        lacking = [
            f"{key.system} {key.item}"
            for key, own in self.answers.credits.items()
            if not self._is_empty_refusal(key, own)
            and any(own.get(nugget.id) is None for nugget in self.answers.nuggets.get(key.item, ()))
        ]
        if lacking:
            then = {
                "skip": "these are left out, and the value is over the nuggets that were assigned",
                "zero": "these count as not supported",
            }[self.options.unassigned]
            message = f"{len(lacking):,} answers have nuggets without assignment; {then}."
            yield Finding("unassigned nuggets", message, len(lacking), examples=listed(lacking))
