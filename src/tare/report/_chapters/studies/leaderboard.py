"""Figures of a leaderboard: critical differences, rank intervals and the heat map by data set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tare.report._blocks import Block, Figure
from tare.report._chapters.studies.leaderboard_page import board_block
from tare.report._charts.heatmaps import score_matrix
from tare.report._charts.intervals import MAX_LABELS
from tare.report._charts.leaderboards import critical_differences, rank_interval_chart

if TYPE_CHECKING:
    from tare._decide.leaderboard_result import Leaderboard, LeftOut, Place

__all__ = ["blocks", "figures", "findings", "joined_groups"]

MAX_DIAGRAM = 20  # systems in the critical-difference diagram
MAX_NAMED = 60  # data sets with a label in the heat map
MAX_MATRIX = 40  # systems in the heat map
MAX_CELLS = 20_000


def figures(result: Leaderboard) -> dict[str, list[Figure]]:
    """Draw the critical differences, the rank intervals and the scores by data set."""
    ranked = [] if result.unranked else [_ranks(result), _diagram(result)]
    made = [*ranked, _matrix(result)]
    return {"result": [figure for figure in made if figure is not None]}


def findings(result: Leaderboard) -> list[str]:
    """Return who is first, and how many neighbours in the ranking differ significantly."""
    if result.unranked:
        return [result.scope()]
    pairs = list(zip(result.places, result.places[1:], strict=False))
    apart = sum(not set(_letters(a)) & set(_letters(b)) for a, b in pairs)
    return [
        result.notes()[1],
        f"{apart:,} of {len(pairs):,} {'pair' if len(pairs) == 1 else 'pairs'} of neighbours in the ranking "
        f"{'differs' if apart == 1 else 'differ'} significantly.",
        result.scope(),
    ]


def _letters(place: Place) -> list[str]:
    return place.letters.split(",") if "," in place.letters else list(place.letters)


def _shown(result: Leaderboard, most: int) -> str:
    count = len(result.places)
    return "" if count <= most else f" The chart shows the first {most} of {count:,} systems."


def _ranks(result: Leaderboard) -> Figure:
    rows = [
        {"system": p.system, "rank": p.rank, "low": p.low, "high": p.high, "tied": p.tied}
        for p in result.places[:MAX_LABELS]
    ]
    level = f"{100 * (1 - result.alpha):g} %"
    confidence = f"{level} interval"
    chart = rank_interval_chart(rows, systems=len(result.places), confidence=confidence)
    caption = (
        "The rank of each system (dot) and all ranks that the test of all pairs does not exclude (bar), "
        f"at {level} for all systems together.{_shown(result, MAX_LABELS)}"
    )
    return Figure("rank-intervals", chart, caption, "Rank intervals", 60 + 22 * len(rows))


def joined_groups(places: Sequence[Place]) -> list[list[str]]:
    """Return the groups of systems without a significant difference between any two of them.

    Groups of one system and parts of other groups are left out; the systems of a group are in the order
    of `places`.
    """
    members: dict[str, list[str]] = {}
    for place in places:
        for letter in _letters(place):
            members.setdefault(letter, []).append(place.system)
    groups = [group for group in members.values() if len(group) > 1]
    sets = [set(group) for group in groups]
    return [
        group
        for k, group in enumerate(groups)
        if not any(sets[k] < other or (sets[k] == other and n < k) for n, other in enumerate(sets))
    ]


def _diagram(result: Leaderboard) -> Figure | None:
    """Draw the first systems; systems without a mean have no place on the scale."""
    places = [p for p in result.places if not math.isnan(p.mean)][:MAX_DIAGRAM]
    if len(places) < 2:
        return None
    rows = [{"system": p.system, "mean": p.mean} for p in places]
    chart = critical_differences(rows, joined_groups(places), measure=result.measure)
    caption = (
        "Critical-difference diagram: the mean of each system (circle), and bars that join systems without "
        "a significant difference. Two systems differ significantly if no bar has a square at both."
        f"{_shown(result, MAX_DIAGRAM)}"
    )
    return Figure(
        "critical-differences", chart, caption, "Critical differences", 60 + 24 * len(rows)
    )


def _matrix(result: Leaderboard) -> Figure | None:
    most = min(MAX_MATRIX, max(2, MAX_CELLS // len(result.datasets)))
    more = result.left_out[: max(0, most - len(result.places))]
    shown: list[Place | LeftOut] = [*result.places[:most], *more]
    rows = [
        {
            "system": place.system,
            "item": name,
            "value": None if math.isnan(value) or name in place.missing else value,
        }
        for place in shown
        for name, value in zip(result.datasets, place.by_dataset, strict=True)
    ]
    if len(result.datasets) < 2:
        return None
    systems = list(dict.fromkeys(str(row["system"]) for row in rows))
    means = {
        name: sum(p.by_dataset[k] for p in result.places if not math.isnan(p.by_dataset[k]))
        for k, name in enumerate(result.datasets)
    }
    chart = score_matrix(
        rows,
        measure=result.measure,
        systems=systems,
        items=sorted(result.datasets, key=lambda name: (-means[name], name)),
        what="data sets",
        labels=len(result.datasets) <= MAX_NAMED,
    )
    caption = (
        f"Mean {result.measure} of each system on each data set. Missing scores are crossed out."
        f"{_shown(result, most)}"
    )
    return Figure("by-data-set", chart, caption, "Scores by data set", 120 + 18 * len(systems))


def blocks(result: Leaderboard) -> dict[str, list[Block]]:
    """Return the table whose ranks readers can recompute for other data sets."""
    return {"result": [board_block(result)]}
