"""Figures of a slice: agreement of people and model so far, the estimate, and whether it is narrow enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tare._decide.estimate import estimate
from tare._decide.estimates import Estimates
from tare._result import Rows
from tare.errors import TareError
from tare.studies._judges_labels import LabelAudit, common_pairs
from tare.studies._judging.blind_slice import BlindSlice
from tare.studies._judging.outcomes import AnswerSet
from tare.studies._judging.slice_answers import MODEL, PEOPLE, SliceAnswers
from tare.studies._systems import as_run

__all__ = [
    "FIRST_LOOK",
    "SliceFigures",
    "answers_needed",
    "look_at",
    "slice_estimates",
    "slice_figures",
    "widest",
]

FIRST_LOOK = 30  # queries; an earlier look lets the intervals miss the truth too often
STEP = 10  # queries between two looks
FIRST_ROUND = 2  # documents of every query before the first look
DRAWS = 2000


@dataclass(frozen=True)
class SliceFigures:
    """What the owner sees: progress in the slice, agreement with the model, and estimates.

    `agreement` has one row per dimension. `problem` says why there are no estimates.
    """

    draw: str
    n: int
    wanted: int
    size: int
    unjudged: int
    agreement: Rows
    estimates: Estimates | None
    problem: str
    width: float | None
    widest: float | None


def slice_figures(outcomes: AnswerSet) -> SliceFigures:
    """Compute the figures from all answers so far."""
    answers = SliceAnswers(outcomes)
    strata = answers.slice.strata
    found, problem = None, ""
    try:
        found = slice_estimates(answers)
        if found is not None:
            found.rows()
    except TareError as error:
        problem = str(error)
    return SliceFigures(
        answers.slice.draw,
        answers.n,
        max(len(stratum.units) for stratum in strata),
        max(stratum.size for stratum in strata),
        answers.unjudged,
        _agreement(answers),
        found,
        problem,
        answers.slice.width,
        None if found is None else widest(found),
    )


def _agreement(answers: SliceAnswers) -> Rows:
    """Return κ, leniency and the share of equal labels with intervals, as `tare study judges`."""
    audit = LabelAudit(DRAWS, 0.95, 0)
    rows: Rows = []
    design = answers.outcomes.study.design

    def scale(name: str) -> set[float]:
        if design.kind == "grades":
            return {float(value) for value, _ in design.grades}
        return {
            float(v) for d in design.dimensions if d.name == name for v in range(d.low, d.high + 1)
        }

    model = answers.labels(MODEL)
    for name, labels in answers.labels(PEOPLE).items():
        pairs = common_pairs(labels, model[name], same=set(model[name].levels) <= scale(name))
        row: dict[str, Any] = audit.agreement(pairs)[0]
        if row["scale"] != "same":
            row |= audit.ranks(pairs, 1)
        rows.append({"dimension": name} | row)
    return rows


def slice_estimates(answers: SliceAnswers) -> Estimates | None:
    """Return the estimates of the complete part of a slice; None if no measure can be estimated."""
    study, slice_ = answers.outcomes.study, answers.slice
    if study.design.kind not in ("grades", "preference", "conditional"):
        return estimate(answers.scores(PEOPLE), answers.scores(MODEL))
    if not slice_.measure:
        return None
    if study.design.kind != "grades":
        return estimate(answers.scores(PEOPLE), answers.scores(MODEL))
    rankings: dict[str, dict[str, list[str]]] = {}
    for query, systems in study.rankings.items():
        for system, documents in systems.items():
            rankings.setdefault(system, {})[query] = list(documents)
    runs = [as_run(own, system) for system, own in rankings.items()]
    design: Any = "queries" if slice_.draw == "queries" else "documents"
    return estimate(
        answers.table(PEOPLE), answers.table(MODEL), runs, slice_.measure, design=design
    )


def widest(estimates: Estimates) -> float:
    """Return the width of the widest interval of a system."""
    return max(float(row["high"] - row["low"]) for row in estimates.rows())


def answers_needed(drawn: BlindSlice, overlap: int, after: int = 0) -> int | None:
    """Return how many answers the next look after `after` needs at least; None if there is no further look."""
    step, first = (STEP, FIRST_LOOK) if drawn.draw == "queries" else (1, FIRST_ROUND)
    look = max(first, after - after % step + step)
    if look > max(len(stratum.units) for stratum in drawn.strata):
        return None
    tasks = sum(len(unit) for stratum in drawn.strata for unit in stratum.units[:look])
    return tasks * overlap


def look_at(outcomes: AnswerSet, after: int = 0) -> tuple[int, bool]:
    """Look at the interval, if a look is due; return the number of units, and whether it is narrow enough.

    queries: at 30, 40, 50, … queries in the order of the draw. documents and stratified: after each round
    of one document of every query, from the second on, if there are at least 30 queries. `after` is the
    last look. A look uses exactly its units, also if more are complete.
    """
    answers = SliceAnswers(outcomes)
    drawn = answers.slice
    look = _due(answers)
    if look <= after or drawn.width is None:
        return after, False
    try:
        found = slice_estimates(SliceAnswers(outcomes, look))
    except TareError:
        return look, False
    return look, found is not None and widest(found) <= drawn.width


def _due(answers: SliceAnswers) -> int:
    if answers.slice.draw == "queries":
        done = answers.complete[0]
        return done - done % STEP if done >= FIRST_LOOK else 0
    several = len({stratum.query for stratum in answers.slice.strata}) >= FIRST_LOOK
    return answers.n if several and answers.n >= FIRST_ROUND else 0
