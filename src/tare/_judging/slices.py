"""A slice of the tasks that people judge: which part is complete, agreement with the model, and the estimate so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tare._data.labels import LabelSet
from tare._decide.estimate import estimate
from tare._decide.estimates import Estimates
from tare._judging.design import BlindSlice, Study, Task
from tare._judging.outcomes import AnswerSet
from tare._judging.state import Lease, RecordedAnswer
from tare._measures.evaluate_rankings import evaluate
from tare._measures.scores import Scores
from tare._result import Rows
from tare.errors import MismatchError, TareError
from tare.studies._judges_labels import LabelAudit, common_pairs
from tare.studies._systems import as_run

if TYPE_CHECKING:
    import polars as pl


__all__ = [
    "FIRST_LOOK",
    "SliceAnswers",
    "SliceFigures",
    "answers_needed",
    "look_at",
    "slice_estimates",
    "slice_figures",
    "widest",
]


# Answers in a slice: which part of it is complete, with inclusion probabilities, as tables for
# `tare estimate`.


PEOPLE, MODEL = "people", "model"


@dataclass(frozen=True)
class SliceAnswers:
    """The answers to the complete part of a slice.

    In every stratum the complete part is the longest beginning, in the order of the draw, whose tasks
    have all their answers, so that it does not depend on which tasks are answered quickly. Units with a
    task that nobody could judge are left out.

    limit: use at most so many units of each stratum, in the order of the draw.
    """

    outcomes: AnswerSet
    limit: int | None = None

    @property
    def slice(self) -> BlindSlice:
        """The slice."""
        found = self.outcomes.study.slice
        if found is None:
            raise MismatchError("this study has no blind slice; its plan has no [judge].")
        return found

    @cached_property
    def _counts(self) -> dict[str, tuple[int, int]]:
        """The number of answers and of judgements of each task of the slice."""
        counts: dict[str, tuple[int, int]] = {}
        for made in self.outcomes.judged:
            if made.lease.role == "fresh":
                answers, judgements = counts.get(made.lease.task, (0, 0))
                judged = made.answer.get("choice") != "cannot"
                counts[made.lease.task] = (answers + 1, judgements + judged)
        return counts

    @cached_property
    def complete(self) -> tuple[int, ...]:
        """The number of complete units of each stratum of the slice, not counting its limit."""
        wanted = self.outcomes.study.design.overlap
        made = []
        for stratum in self.slice.strata:
            n = 0
            while n < len(stratum.units) and all(
                self._counts.get(task, (0, 0))[0] >= wanted for task in stratum.units[n]
            ):
                n += 1
            made.append(n)
        return tuple(made)

    @cached_property
    def used(self) -> tuple[tuple[tuple[str, ...], ...], ...]:
        """The units of each stratum that are complete and that people could judge."""
        return tuple(
            tuple(
                unit
                for unit in stratum.units[: n if self.limit is None else min(n, self.limit)]
                if all(self._counts[task][1] for task in unit)
            )
            for stratum, n in zip(self.slice.strata, self.complete, strict=True)
        )

    @cached_property
    def n(self) -> int:
        """Queries of the slice that are used; or rounds: documents used of every query and stratum, unless it has fewer."""
        if self.slice.draw == "queries":
            return len(self.used[0])
        rounds = [
            n
            for n, stratum in zip(self.complete, self.slice.strata, strict=True)
            if n < len(stratum.units)
        ]
        most = max(len(stratum.units) for stratum in self.slice.strata)
        found = min(rounds, default=most)
        return found if self.limit is None else min(found, self.limit)

    @cached_property
    def dropped(self) -> frozenset[str]:
        """Queries of the slice that are left out because nobody could judge the documents drawn from a stratum."""
        if self.slice.draw == "queries":
            return frozenset()
        strata = zip(self.slice.strata, self.used, self.complete, strict=True)
        return frozenset(s.query for s, used, n in strata if n == len(s.units) and not used)

    @property
    def unjudged(self) -> int:
        """The number of complete units of the slice with a task that nobody could judge."""
        limit = self.limit
        done = sum(n if limit is None else min(n, limit) for n in self.complete)
        return done - sum(map(len, self.used))

    @cached_property
    def inclusion(self) -> dict[str, float]:
        """The inclusion probability of each task in use."""
        return {
            task: len(used) / stratum.size
            for stratum, used in zip(self.slice.strata, self.used, strict=True)
            if stratum.query not in self.dropped
            for unit in used
            for task in unit
        }

    @cached_property
    def people(self) -> AnswerSet:
        """The answers of people to the tasks in use."""
        kept = tuple(
            made
            for made in self.outcomes.judged
            if made.lease.role == "fresh" and made.lease.task in self.inclusion
        )
        return AnswerSet(self.outcomes.study, kept)

    @cached_property
    def model(self) -> AnswerSet:
        """The answers of the model to all tasks."""
        old = self.outcomes.study
        study = Study(old.design, self.slice.frame, rankings=old.rankings)
        made = tuple(
            RecordedAnswer(
                MODEL,
                Lease(0, task.id, "fresh", 0, False, 0, 0),
                "",
                dict(self.slice.answers[task.id]),
                0.0,
            )
            for task in self.slice.frame
            if task.query not in self.dropped
        )
        return AnswerSet(study, made)

    def labels(self, who: str) -> dict[str, LabelSet]:
        """Return the labels of people or of the model by dimension; several assessors are combined."""
        made: dict[str, dict[tuple[str, str], float]] = {}
        for row in self._rows(who):
            pair = (row["query"], _label_key(row))
            made.setdefault(row["dimension"], {})[pair] = row["label"]
        kinds = {"grades": "grades", "ratings": "ratings", "scus": "units"}
        kind = kinds.get(self.outcomes.study.design.kind, "preferences")
        return {name: LabelSet(who, who, kind, values) for name, values in made.items()}

    def table(self, who: str) -> pl.DataFrame:
        """Return one row per label in the slice: of people (with its inclusion probability), or of the model."""
        import polars as pl

        drawn, design, rows = self.slice, self.outcomes.study.design, self._rows(who)
        if design.compares:
            columns = ["query", "left", "right", "preferred", "given"]
        else:
            columns = {
                "grades": ["query", "document", "grade"],
                "ratings": ["item", "system", "dimension", "value"],
                "scus": ["item", "system", "scu", "present"],
            }[design.kind]
        if who == PEOPLE:
            columns.append("query_inclusion" if drawn.draw == "queries" else "inclusion")
        return pl.DataFrame({name: [row[name] for row in rows] for name in columns})

    def scores(self, who: str) -> Scores:
        """Return the scores of systems under people's answers or under the model's."""
        answers = self.people if who == PEOPLE else self.model
        study, measure = self.outcomes.study, self.slice.measure
        if study.design.kind in ("ratings", "headtohead", "scus"):
            found = Scores.load(answers.scores())
            return found.select(measures=[measure]) if measure else found
        rankings: dict[str, dict[str, list[str]]] = {}
        for query, systems in study.rankings.items():
            for system, documents in systems.items():
                rankings.setdefault(system, {})[query] = list(documents)
        runs = [as_run(own, system) for system, own in rankings.items()]
        return evaluate(answers.preferences(), runs, [measure])

    def _rows(self, who: str) -> list[dict[str, Any]]:
        """Return one row per task of the slice and dimension or unit, sorted; answers of several people are combined."""
        answers = self.people if who == PEOPLE else self.model
        by_task: dict[str, list[RecordedAnswer]] = {}
        for made in answers.judged:
            if made.answer.get("choice") != "cannot":
                by_task.setdefault(made.lease.task, []).append(made)
        rows = []
        for key, found in by_task.items():
            task = answers.study.by_id[key]
            ids = {
                "query": task.query,
                "item": task.query,
                "document": task.shown[0],
                "system": task.shown[0],
                "left": task.shown[0],
                "right": task.shown[-1],
                "given": " ".join(task.given),
                "inclusion": self.inclusion.get(key, 1.0),
                "query_inclusion": self.inclusion.get(key, 1.0),
            }
            rows += [ids | row for row in _combined(task, found)]
        names = ("query", "given", "left", "right", "dimension", "scu")
        return sorted(rows, key=lambda row: tuple(row[name] for name in names))


def _combined(task: Task, found: list[RecordedAnswer]) -> Iterable[dict[str, Any]]:
    """Yield the labels of one task: lower medians of numbers, and majorities of choices."""
    first = found[0].answer
    if "grade" in first:
        grade = _lower_median([made.answer["grade"] for made in found])
        yield {"dimension": "", "scu": "", "label": float(grade), "grade": grade}
    elif "ratings" in first:
        for name in first["ratings"]:
            value = float(_lower_median([made.answer["ratings"][name] for made in found]))
            yield {"dimension": name, "scu": "", "label": value, "value": value}
    elif "present" in first:
        for unit in first["present"]:
            present = int(_lower_median([made.answer["present"][unit] for made in found]))
            yield {"dimension": "", "scu": unit, "label": float(present), "present": present}
    else:
        balance = sum(_side(made.answer, made.lease.swapped) for made in found)
        label = (balance > 0) - (balance < 0)
        preferred = {1: task.shown[0], -1: task.shown[-1], 0: "equal"}[label]
        label *= 1 if task.shown[0] < task.shown[-1] else -1
        yield {"dimension": "", "scu": "", "label": float(label), "preferred": preferred}


def _side(answer: Mapping[str, Any], swapped: bool) -> int:
    """Return 1 if the first text of a task won, −1 if the second won, and 0 for a tie."""
    won = {"left": 1, "right": -1}.get(str(answer["choice"]), 0)
    return -won if swapped else won


def _label_key(row: Mapping[str, Any]) -> str:
    """Return the name of what was labelled, as `read_labels` writes it."""
    if "preferred" in row:
        left, right = sorted((row["left"], row["right"]))
        return f"{left} | {right}" + (f" after {row['given']}" if row["given"] else "")
    if "present" in row:
        return f"{row['system']} | {row['scu']}"
    return str(row["document"])


def _lower_median(values: list[Any]) -> Any:
    return sorted(values)[(len(values) - 1) // 2]


# Figures of a slice: agreement of people and model so far, the estimate, and whether it is narrow
# enough.


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
    """Return the width of the widest interval among the estimates of systems in a slice."""
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
    """Look at the interval of a slice, if a look is due; return the number of units, and whether it is narrow enough.

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
