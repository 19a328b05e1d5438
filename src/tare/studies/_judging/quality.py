"""Quality: agreement so far, and assessors whose answers should be checked."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from tare._data.ratings import Ratings
from tare._result import Result, Rows
from tare._tables import Column, Table, p_stated
from tare.errors import MismatchError
from tare.stats import self_consistency
from tare.stats._agreement import alpha_of_units, coded, level_of, value_disagreements
from tare.stats._classical_tests import sign_p
from tare.studies._judging.answers import passes
from tare.studies._judging.outcomes import Outcomes
from tare.studies._judging.state import RecordedAnswer

__all__ = ["AssessorQuality", "Quality", "quality"]

FAST_FACTOR = 1 / 3  # share of the median time of all assessors
MIN_ANSWERS = 10  # answers needed before an assessor is flagged for speed or agreement
SIDE_ALPHA = (
    0.05  # level of the exact binomial test for a preferred side; 6 of 6 is the least it can find
)


@dataclass(frozen=True)
class AssessorQuality:
    """Figures about one assessor; `flags` are reasons to check their answers."""

    assessor: str
    judgements: int
    cannot: int
    seconds: float | None
    left: float | None
    gold: tuple[int, int]
    repeats: tuple[int, int]
    disagreement: float | None
    flags: tuple[str, ...]


@dataclass(frozen=True, repr=False)
class Quality(Result):
    """The progress of a study, α per dimension, and figures about its assessors."""

    title: str
    judged: int
    wanted: int
    tasks: int
    complete: int
    alpha: dict[str, float | None]
    seconds: float | None
    assessors: tuple[AssessorQuality, ...]
    rows_key: ClassVar[str] = "assessors"

    def table(self) -> Table:
        """Return a table with one row per assessor."""
        columns = [
            Column("assessor", align="left"),
            Column("judgements"),
            Column("cannot"),
            Column("median s", digits=1),
            Column("left", digits=2),
            Column("gold", parts=("gold right", "gold asked"), between="/"),
            Column("repeats same", parts=("repeats same", "repeats asked"), between="/"),
            Column("disagreement", digits=2),
            Column("flagged", align="left"),
        ]
        rows = [
            (
                a.assessor,
                a.judgements,
                a.cannot,
                a.seconds,
                a.left,
                _share(a.gold),
                _share(a.repeats),
                a.disagreement,
                "; ".join(a.flags),
            )
            for a in self.assessors
        ]
        alphas = ", ".join(
            f"α{f' of {name}' if name else ''} {'undefined' if a is None else f'{a:.3f}'}"
            for name, a in self.alpha.items()
        )
        notes = [
            f"{self.title}: {self.judged:,} of {self.wanted:,} judgements, "
            f"{self.complete:,} of {self.tasks:,} tasks complete.",
            *([f"Krippendorff: {alphas}."] if alphas else []),
        ]
        return Table.of(columns, rows, title="Assessors", notes=notes)

    def rows(self) -> Rows:
        """Return one row per assessor, with one column per number of the table."""
        names, rows = self.table().plain()
        return [dict(zip(names, row, strict=True)) for row in rows]

    def facts(self) -> dict[str, Any]:
        """Return the figures about the whole study."""
        names = ("title", "judged", "wanted", "tasks", "complete", "alpha", "seconds")
        return {name: getattr(self, name) for name in names}


def quality(outcomes: Outcomes) -> Quality:
    """Compute progress and quality from all answers so far."""
    state, study = outcomes.state, outcomes.study
    median = _median_seconds(outcomes.judged)
    alpha, by_coder = _agreement(outcomes)
    same = _consistency(outcomes)
    made = []
    for who in state.assessors.values():
        if who.joined or who.history:
            numbers = _figures(
                outcomes, who.history, same.get(who.id, (0, 0)), by_coder.get(who.id)
            )
            made.append(_with_flags(outcomes, who.id, numbers, median))
    wanted = len(study.tasks) * state.overlap
    if state.budget is not None:
        wanted = min(wanted, state.budget)
    complete = sum(slots.full for slots in state.slots.values())
    leased = {task for task, _ in state.leased}
    complete -= sum(state.slots[task].full for task in leased)
    return Quality(
        study.design.title,
        state.judged,
        wanted,
        len(study.tasks),
        complete,
        alpha,
        median,
        tuple(made),
    )


def _median_seconds(history: Iterable[RecordedAnswer]) -> float | None:
    """Return the median time per answer, over answers with a known time."""
    known = [j.seconds for j in history if j.seconds is not None]
    return statistics.median(known) if known else None


def _share(counts: tuple[int, int]) -> tuple[int, int] | None:
    return counts if counts[1] else None


def _agreement(outcomes: Outcomes) -> tuple[dict[str, float | None], dict[str, float]]:
    found: dict[str, float | None] = {}
    coders: dict[str, list[float]] = {}
    rows = [r for r in outcomes.rows() if r["value"] is not None and r["role"] == "fresh"]
    for name in dict.fromkeys(r["dimension"] for r in rows):
        given = Ratings.of(
            (r["unit"], r["coder"], r["value"]) for r in rows if r["dimension"] == name
        )
        level = level_of(given, "auto")
        try:
            codes, places, _ = coded(given.unit, given.values, level, given.labels)
        except MismatchError:  # no unit has two answers yet
            found[name] = None
            continue
        alpha = alpha_of_units(given.unit, given.values, level, given.labels)
        found[name] = None if alpha != alpha else alpha
        apart = value_disagreements(codes, level)
        expected = apart.mean() / (1 - alpha) if alpha < 1 else 0.0  # D_e, as α = 1 − D_o/D_e
        for coder, value in zip(given.coder[places], apart, strict=True):
            if expected > 0:
                coders.setdefault(given.coders[coder], []).append(float(value / expected))
    return found, {coder: statistics.mean(values) for coder, values in coders.items()}


def _consistency(outcomes: Outcomes) -> dict[str, tuple[int, int]]:
    repeated = {(j.assessor, j.lease.task) for j in outcomes.judged if j.lease.role == "repeat"}
    rows = []
    for judged in outcomes.judged:
        if (judged.assessor, judged.lease.task) in repeated:
            task = outcomes.study.by_id[judged.lease.task]
            answer = _answer_label(outcomes, judged)
            rows.append((task.id, judged.assessor, answer))
    if not rows:
        return {}
    found = self_consistency(Ratings.of(rows))
    return {a: (round(found.same[a] * n), n) for a, n in found.pairs.items()}


def _answer_label(outcomes: Outcomes, judged: RecordedAnswer) -> str:
    """Return an answer as one string that does not depend on the side."""
    task = outcomes.study.by_id[judged.lease.task]
    if outcomes.study.design.compares:
        first = int(judged.lease.swapped)
        sides = {"left": task.shown[first], "right": task.shown[1 - first]}
        choice = str(judged.answer["choice"])
        return f"={sides.get(choice, choice)}"
    return "=" + repr(sorted(judged.answer.items(), key=lambda kv: kv[0]))


def _figures(
    outcomes: Outcomes,
    history: list[RecordedAnswer],
    same: tuple[int, int],
    disagreement: float | None,
) -> dict[str, Any]:
    design, study = outcomes.study.design, outcomes.study
    gold = [j for j in history if j.lease.role == "gold"]
    right = sum(passes(design, study.by_id[j.lease.task], j.answer, j.lease.swapped) for j in gold)
    sides = [j.answer.get("choice") for j in history if j.answer.get("choice") in ("left", "right")]
    return {
        "judgements": len(history),
        "cannot": sum(j.answer.get("choice") == "cannot" for j in history),
        "seconds": _median_seconds(history),
        "left": sides.count("left") / len(sides) if sides else None,
        "sides": (sides.count("left"), len(sides)),
        "gold": (right, len(gold)),
        "repeats": same,
        "disagreement": disagreement,
    }


def _with_flags(
    outcomes: Outcomes, assessor: str, numbers: Mapping[str, Any], median: float | None
) -> AssessorQuality:
    flags = []
    right, gold = numbers["gold"]
    if gold and right / gold < outcomes.study.design.gold_minimum:
        flags.append(f"gold {right}/{gold}")
    enough = numbers["judgements"] >= MIN_ANSWERS
    fast = median and numbers["seconds"] is not None and numbers["seconds"] < FAST_FACTOR * median
    if enough and fast:
        flags.append("much faster than others")
    left, sides = numbers["sides"]
    if sides:
        p = float(sign_p(left, sides - left))
        if p < SIDE_ALPHA:
            side, chosen = ("left", left) if 2 * left > sides else ("right", sides - left)
            flags.append(f"chose {side} {chosen} of {sides} times ({p_stated(p)})")
    if enough and numbers["disagreement"] is not None and numbers["disagreement"] >= 1:
        flags.append("agrees no better than chance")
    same, pairs = numbers["repeats"]
    if pairs >= 5 and same / pairs < 0.6:
        flags.append("inconsistent answers to repeated tasks")
    kept = {k: v for k, v in numbers.items() if k != "sides"}
    return AssessorQuality(assessor=assessor, flags=tuple(flags), **kept)
