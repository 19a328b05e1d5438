"""What the owner of a study sees: agreement so far and its growth, assessors to check, pace, and systems in their current order."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tare._data.ratings import Ratings
from tare._judging.decisions import passes
from tare._judging.outcomes import Outcomes
from tare._judging.state import RecordedAnswer
from tare._measures.evaluate_rankings import evaluate
from tare._result import Result, Rows
from tare._tables import Column, Table, p_stated
from tare.errors import MismatchError
from tare.stats._agreement import alpha_of_units, coded, value_disagreements
from tare.stats._classical_tests import sign_p, wilson_interval
from tare.stats._intervals import mean_intervals
from tare.studies._agreement import agreement, level_of
from tare.studies._self_consistency import self_consistency

__all__ = [
    "AssessorQuality",
    "Forecast",
    "GrownAgreement",
    "Pace",
    "Quality",
    "Standing",
    "StandingRow",
    "agreement_so_far",
    "forecast",
    "pace",
    "quality",
    "standings",
]


# Quality: agreement so far, and assessors whose answers should be checked.


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

    def answer(self) -> str:
        """Return how many judgements and tasks are done."""
        return (
            f"{self.title}: {self.judged:,} of {self.wanted:,} judgements, "
            f"{self.complete:,} of {self.tasks:,} tasks complete."
        )

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
            self.answer(),
            *([f"Krippendorff: {alphas}."] if alphas else []),
        ]
        return Table.of(columns, rows, title="Assessors", notes=notes)

    def rows(self) -> Rows:
        """Return the quality of each assessor as rows, with one column per number of the table."""
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


# Growth: Krippendorff's α with its interval after more and more answers.


GROWTH_POINTS = 10
DRAWS = 500
MAX_DIMENSIONS = 4
MIN_UNITS = 5  # with two answers, before α is shown


@dataclass(frozen=True)
class GrownAgreement:
    """α of one dimension after `answers` answers, with a 95 % interval over units."""

    dimension: str
    answers: tuple[int, ...]
    alpha: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def agreement_so_far(outcomes: Outcomes) -> list[GrownAgreement]:
    """Return how α and its interval developed; dimensions without an α are left out."""
    rows = [r for r in outcomes.rows() if r["value"] is not None and r["role"] == "fresh"]
    made = []
    for name in list(dict.fromkeys(r["dimension"] for r in rows))[:MAX_DIMENSIONS]:
        given = [(r["unit"], r["coder"], r["value"]) for r in rows if r["dimension"] == name]
        points = [_after(given[:count]) for count in _counts(len(given))]
        known = [point for point in points if point is not None]
        if known:
            answers, alpha, low, high = zip(*known, strict=True)
            made.append(GrownAgreement(name, answers, alpha, low, high))
    return made


def _counts(total: int) -> list[int]:
    """Return at most ten numbers of answers at which agreement is computed, the same ones while the study grows."""
    step = 10
    while total / step > GROWTH_POINTS:
        step *= 2
    return sorted({*range(step, total + 1, step), total}) if total else []


def _after(given: list[tuple[str, str, object]]) -> tuple[int, float, float, float] | None:
    try:
        found = agreement(Ratings.of(given), draws=DRAWS, threads=1)
    except MismatchError:  # one assessor, or no unit with two answers
        return None
    if found.units < MIN_UNITS or found.low is None or found.high is None:
        return None
    return len(given), found.alpha, found.low, found.high


# Pace: the answers of a study over time, and the day on which it is expected to be complete.


DAY = 86_400.0
WINDOW = 14  # days that a forecast rests on, at most
MIN_DAYS = 3  # days without which there is no forecast
MAX_DAYS = 1000
SIMULATIONS = 2000
PACE_POINTS = 60  # of the curve


@dataclass(frozen=True)
class Forecast:
    """The day on which the last answer is expected, as a time, with a 90 % range."""

    day: float
    early: float
    late: float
    days: int  # that it rests on
    answers: int  # in these days


@dataclass(frozen=True)
class Pace:
    """The pace of a study: the number of answers at some times, and what remains.

    `problem` says why there is no forecast. `hours` is the work that remains at the median time.
    """

    times: tuple[float, ...]
    counts: tuple[int, ...]
    wanted: int
    remaining: int
    hours: float | None
    forecast: Forecast | None
    problem: str


def pace(outcomes: Outcomes, wanted: int, seconds: float | None, now: float) -> Pace:
    """Return how the answers came in, and when the study is expected to be complete.

    wanted: the number of answers. seconds: the median time of an answer, if known.
    """
    times = sorted(judged.at for judged in outcomes.judged if judged.lease.role == "fresh")
    remaining = max(0, wanted - len(times))
    found, problem = forecast(times, remaining, now) if remaining else (None, "")
    kept = np.unique(np.linspace(0, len(times) - 1, min(PACE_POINTS, len(times))).astype(int))
    return Pace(
        tuple(times[k] for k in kept),
        tuple(int(k) + 1 for k in kept),
        wanted,
        remaining,
        None if seconds is None else remaining * seconds / 3600,
        found,
        problem,
    )


def forecast(times: Sequence[float], remaining: int, now: float) -> tuple[Forecast | None, str]:
    """Return when the remaining answers are expected, or why this cannot be said.

    Every coming day is drawn at random from the last whole days before now, at most 14 of them, as
    often as needed. Days are periods of 24 hours that end now.

    >>> forecast([0.0, 86400.0, 180000.0], 10, now=200000.0)[1]
    'The forecast starts after 3 full days of answers.'
    """
    days = min(WINDOW, int((now - times[0]) // DAY)) if times else 0
    if days < MIN_DAYS:
        return None, f"The forecast starts after {MIN_DAYS} full days of answers."
    ages = (now - np.asarray(times)) // DAY
    counts = np.bincount(ages[(ages >= 0) & (ages < days)].astype(int), minlength=days)
    if not counts.sum():
        return None, f"There is no forecast, because there was no answer in the last {days} days."
    if remaining / counts.mean() > MAX_DAYS:
        return None, f"At the pace of the last {days} days, more than {MAX_DAYS:,} days remain."
    ends = _simulated_ends(counts, remaining)
    early, middle, late = np.quantile(ends, [0.05, 0.5, 0.95])
    return (
        Forecast(
            now + float(middle) * DAY,
            now + float(early) * DAY,
            now + float(late) * DAY,
            days,
            int(counts.sum()),
        ),
        "",
    )


def _simulated_ends(counts: np.ndarray, remaining: int) -> np.ndarray:
    """Return after how many days each simulated continuation has the remaining answers."""
    random = np.random.Generator(np.random.Philox(0))
    ends = np.zeros(SIMULATIONS)
    left = np.full(SIMULATIONS, float(remaining))
    day = 0
    while (left > 0).any() and day < 10 * MAX_DAYS:
        made = random.choice(counts, SIMULATIONS).astype(float)
        share = np.where(made > 0, np.clip(left / np.maximum(made, 1), 0, 1), 1.0)
        ends += np.where(left > 0, share, 0.0)
        left -= made
        day += 1
    return ends


# Standing: the systems or documents of a study in their current order, with intervals.


MAX_ROWS = 20
MAX_MEASURES = 4
MIN_COMPARISONS = 3
MEASURE = "nDCG@10"
OF_SYSTEMS = ("ratings", "headtohead", "scus")


@dataclass(frozen=True)
class StandingRow:
    """A system or document: its mean or share, a 95 % interval, and what it rests on."""

    name: str
    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Standing:
    """The current order of systems or documents in a study, best first; `note` says what the numbers are."""

    title: str
    rows: tuple[StandingRow, ...]
    note: str


def standings(outcomes: Outcomes) -> list[Standing]:
    """Return the current order by each measure; empty if the study ranks nothing yet."""
    design = outcomes.study.design
    if not outcomes.answered:
        return []
    if design.kind in OF_SYSTEMS:
        return _of_scores(outcomes)
    if design.kind == "grades":
        return _of_rankings(outcomes)
    return _of_preferences(outcomes) if design.compares else []


def _of_means(title: str, values: Mapping[str, Mapping[str, float]], note: str) -> list[Standing]:
    """Return systems by their mean over items, with intervals over items."""
    rows = []
    for name, own in values.items():
        numbers = np.array(list(own.values()), dtype=float)
        low, high = mean_intervals([numbers], method="t")[0] if len(numbers) > 1 else (np.nan,) * 2
        rows.append(StandingRow(name, float(numbers.mean()), float(low), float(high), len(numbers)))
    rows.sort(key=lambda row: (-row.value, row.name))
    if len(rows) > MAX_ROWS:
        note = f"{note} The first {MAX_ROWS} of {len(rows)} systems are shown."
    return [Standing(title, tuple(rows[:MAX_ROWS]), note)] if rows else []


def _of_scores(outcomes: Outcomes) -> list[Standing]:
    found: dict[str, dict[str, dict[str, float]]] = {}
    for system, item, measure, value in outcomes.scores().iter_rows():
        found.setdefault(measure, {}).setdefault(system, {})[item] = float(value)
    note = "Means over the items judged so far, with 95 % t intervals over items."
    if len(found) > MAX_MEASURES:
        note = f"{note} {MAX_MEASURES} of {len(found)} measures are shown."
    return [
        standing
        for measure in list(found)[:MAX_MEASURES]
        for standing in _of_means(measure, found[measure], note)
    ]


def _of_rankings(outcomes: Outcomes) -> list[Standing]:
    """Return the systems whose documents are graded, on the queries that are complete."""
    study, state = outcomes.study, outcomes.state
    waiting = {task for task, _ in state.leased}
    complete = {task.query for task in study.tasks} - {
        task.query for task in study.tasks if not state.slots[task.id].full or task.id in waiting
    }
    grades = {q: dict(own) for q, own in outcomes.qrels().by_query() if q in complete}
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for query, systems in study.rankings.items():
        for system, documents in systems.items() if query in grades else ():
            own = {document: -float(rank) for rank, document in enumerate(documents)}
            runs.setdefault(system, {})[query] = own
    if not grades or not runs:
        return []
    scores = evaluate(grades, runs, MEASURE)
    values = {
        system: {q: float(v) for q, v in zip(scores.items, line, strict=True) if v == v}
        for system, line in zip(scores.systems, scores.matrix(MEASURE), strict=True)
    }
    note = f"Means of {MEASURE} over the {len(grades)} queries whose documents are all judged, with 95 % t intervals over queries."
    return _of_means(MEASURE, values, note)


def _of_preferences(outcomes: Outcomes) -> list[Standing]:
    """Return the documents or systems in order of the share of comparisons they won; equal answers are left out."""
    won: dict[tuple[str, str], list[int]] = {}
    for judgement in outcomes.preferences().judgements:
        if judgement.preferred is not None:
            for name in (judgement.left, judgement.right):
                counts = won.setdefault((judgement.query, name), [0, 0])
                counts[0] += judgement.preferred == name
                counts[1] += 1
    rows = []
    for (query, name), (wins, total) in won.items():
        if total >= MIN_COMPARISONS:
            low, high = wilson_interval(wins, total)
            rows.append(StandingRow(f"{query}: {name}", wins / total, low, high, total))
    rows.sort(key=lambda row: (-row.low, row.name))
    note = f"Share of decided comparisons won, with 95 % Wilson intervals; the {MAX_ROWS} documents with the highest lower end, of those with at least {MIN_COMPARISONS} comparisons. Answers of one assessor depend on each other, so the intervals are rather too narrow."
    return [Standing("Documents", tuple(rows[:MAX_ROWS]), note)] if rows else []
