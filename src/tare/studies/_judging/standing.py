"""Standing: the systems or documents of a study in their current order, with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tare._measures.evaluate_rankings import evaluate
from tare.stats._classical_tests import wilson_interval
from tare.stats._intervals import mean_intervals
from tare.studies._judging.outcomes import Outcomes

__all__ = ["Standing", "StandingRow", "standings"]

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
    """Rows in their current order, best first; `note` says what the numbers are."""

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
    """Return what was compared by the share of comparisons it won; equal answers are left out."""
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
