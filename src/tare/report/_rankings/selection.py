"""Which queries of a comparison matter most: large differences, uninformative, failures of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._measures.aggregation import better_end
from tare.errors import OptionError, nearest
from tare.report._context import ReportContext
from tare.report._reported_measures import ReportedMeasure

__all__ = ["ChosenQuery", "QueryGroup", "chosen_queries", "compared_pair"]

NEAR = 0.1  # how close to chance the mean of the systems is on a query called uninformative


@dataclass(frozen=True)
class ChosenQuery:
    """A query that is shown, with its place in the score table."""

    place: int
    item: str


@dataclass(frozen=True)
class QueryGroup:
    """Queries that were chosen for one reason, the clearest case first."""

    title: str
    queries: tuple[ChosenQuery, ...]


def compared_pair(context: ReportContext, wanted: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the one or two systems whose rankings are shown.

    By default the best system and the baseline of the comparison, or the best two systems.
    """
    systems = context.scores.systems
    for name in wanted:
        if name not in systems:
            raise OptionError(f"--drill-pair: {name!r} is not a system.{nearest(name, systems)}")
    if wanted:
        return tuple(dict.fromkeys(wanted))
    best = context.ranking(context.measures[0].name)
    comparison = context.comparison
    given = () if comparison is None else comparison.baseline
    baseline = next((name for name in best if name in given), None)
    if baseline is None:
        return tuple(best[:2])
    return next(((name, baseline) for name in best if name != baseline), (baseline,))


def chosen_queries(
    context: ReportContext, pair: tuple[str, ...], count: int
) -> tuple[QueryGroup, ...]:
    """Return at most `count` queries in groups; the groups take turns, the first one begins.

    Ties are in the order of the score table, so the choice is the same in every call. A query
    belongs to the first group that takes it.
    """
    wanted = _candidates(context, pair)
    taken: dict[int, str] = {}
    queues = {title: list(places) for title, places in wanted.items()}
    while len(taken) < count and any(queues.values()):
        for title, queue in queues.items():
            while queue and queue[0] in taken:
                queue.pop(0)
            if queue and len(taken) < count:
                taken[queue.pop(0)] = title
    items = context.scores.items
    return tuple(
        QueryGroup(
            title, tuple(ChosenQuery(k, items[k]) for k, own in taken.items() if own == title)
        )
        for title in wanted
        if title in taken.values()
    )


def _candidates(context: ReportContext, pair: tuple[str, ...]) -> dict[str, list[int]]:
    """Return the places of all queries that qualify for each group, the clearest case first."""
    scores, reported = context.scores, context.measures[0]
    values = scores.matrix(reported.name)
    sign = -1.0 if better_end(reported.name) == "lower" else 1.0
    found: dict[str, list[int]] = {}
    if len(pair) == 2:
        first, second = (values[scores.systems.index(name)] for name in pair)
        difference = np.nan_to_num(sign * (first - second))
        found[f"{pair[0]} scores better"] = _largest(difference, difference > 0)
        found[f"{pair[1]} scores better"] = _largest(-difference, difference < 0)
    margin = _margin(context, values, sign, reported)
    if reported.expected is not None:
        found["No system scores above a random ranking"] = _largest(-margin, margin <= 0)
        distance = _distance(values, scores.matrix(reported.expected))
        near = f"Uninformative: the mean score of the systems is within {NEAR:g} of that of a random ranking"
        found[near] = _largest(-distance, distance < NEAR)
    elif sign > 0:
        found["All systems score 0"] = _largest(-margin, margin <= 0)
    return found


def _margin(
    context: ReportContext, values: NDArray[np.float64], sign: float, reported: ReportedMeasure
) -> NDArray[np.float64]:
    """Return by how much the best system beats chance on each query; without chance, beats 0."""
    expected = 0.0 if reported.expected is None else context.scores.matrix(reported.expected)
    margins = np.where(np.isnan(values), -np.inf, sign * (values - expected))
    found: NDArray[np.float64] = margins.max(axis=0)
    return np.where(np.isneginf(found), np.inf, found)  # no system has a score


def _distance(values: NDArray[np.float64], expected: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distance of the mean of the systems from chance on each query."""
    there = ~np.isnan(values) & ~np.isnan(expected)
    counts = there.sum(axis=0)
    totals = np.where(there, values - expected, 0.0).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(counts > 0, np.abs(totals / counts), np.inf)


def _largest(key: NDArray[np.float64], among: NDArray[np.bool_]) -> list[int]:
    places = np.flatnonzero(among)
    return [int(k) for k in places[np.argsort(-key[places], kind="stable")]]
