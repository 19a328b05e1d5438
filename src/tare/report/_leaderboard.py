"""Figures of a leaderboard, and its table, from which the page recomputes ranks: critical differences, rank intervals, heat map."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tare._decide.leaderboard_result import Leaderboard, LeftOut, Place
from tare._result import Row
from tare._tables import Column, PColumn, Table
from tare.report._blocks import Block, Figure, FilterableBoard, SortableTable
from tare.report._encoding import Chart, Rows, altair, inline_data, states, tooltips
from tare.report._figures import Figures, drawn, replaced
from tare.report._marks import MAX_LABELS, dots
from tare.report._queries import score_matrix
from tare.report._theme import theme_colour
from tare.stats._flips import least_units

__all__ = [
    "blocks",
    "board_block",
    "critical_differences",
    "figures",
    "joined_groups",
    "rank_interval_chart",
]


# The table of a leaderboard on its page, with the data from which the page recomputes ranks.


DRAWS = 2000  # in the browser, where there are more than MOST patterns
MOST = 10_000
MAX_ROWS = 25


def board_block(result: Leaderboard) -> FilterableBoard:
    """Return the table of a leaderboard, the systems without a rank last, and the data behind it."""
    columns = [
        Column("rank", 0),
        Column("ranks", align="left"),
        Column("system", align="left"),
        Column(result.measure),
        Column("low"),
        Column("high"),
        *([Column("net")] if result.has_net else []),
        PColumn("p to best"),
        Column("tied with best", align="left"),
    ]
    rows: list[tuple[Any, ...]] = [
        _cells(place, result.has_net, place is result.places[0]) for place in result.places
    ]
    blank = (None,) * (len(columns) - 3)
    rows += [(None, "–", left.system, *blank) for left in result.left_out]
    table = Table.of(columns, rows, notes=result.notes())
    return FilterableBoard(SortableTable(table, max_rows=MAX_ROWS), result.datasets, _data(result))


def _cells(place: Place, net: bool, first: bool) -> tuple[Any, ...]:
    return (
        place.rank,
        place.ranks,
        place.system,
        *(_known(x) for x in (place.mean, place.mean_low, place.mean_high)),
        *([_known(place.net)] if net else []),
        None if first else place.p_best,
        None if place.tied is None else "yes" if place.tied else "no",
    )


def _known(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


def _data(result: Leaderboard) -> Row:
    everyone: list[Place | LeftOut] = [*result.places, *result.left_out]
    return {
        "columns": [
            "rank",
            "ranks",
            "system",
            "mean",
            "low",
            "high",
            *(["net"] if result.has_net else []),
            "p",
            "tied",
        ],
        "digits": {"mean": 4, "low": 4, "high": 4, "net": 4, "rank": 0},
        "scores": [list(row.by_dataset) for row in everyone],
        "net": [list(p.net_by_dataset) for p in result.places]
        + [[None] * len(result.datasets)] * len(result.left_out)
        if result.has_net
        else None,
        "cells": [values.tolist() for values in result.cells],
        "spread": [values.tolist() for values in result.spread],
        "bounds": list(result.bounds),
        "over": result.over,
        "unranked": result.unranked,
        "least": least_units(result.alpha),
        "alpha": result.alpha,
        "lower": result.lower_is_better,
        "draws": DRAWS,
        "most": MOST,
        "seed": result.seed,
    }


# Charts of leaderboards: rank intervals, and the critical-difference diagram.


TIED, OTHER = "not significantly different from the first", "significantly worse than the first"


def rank_interval_chart(rows: Rows, *, systems: int, confidence: str) -> Chart:
    """Draw the rank of each system of a leaderboard with its rank interval, best first.

    Each row has system, rank, low, high and tied (with the first system). `systems` is the number of all
    systems, which may be larger than the number of rows.
    """
    last = min(systems, max((int(row["high"]) for row in rows), default=1))
    given = [{**row, "state": TIED if row["tied"] else OTHER} for row in rows]
    present = {row["state"] for row in given}
    colours = {TIED: "accent", OTHER: "quiet"}
    return dots(
        given,
        label="system",
        value="rank",
        title="rank",
        tips=[
            ("system", "system"),
            ("rank", "rank", "d"),
            ("low", f"{confidence}, from", "d"),
            ("high", "to", "d"),
        ],
        colour=states(
            "state",
            {state: c for state, c in colours.items() if state in present},
            columns=1,
            orient="bottom",
        ),
        scale={"domain": [0.5, last + 0.5], "nice": False, "zero": False},
        axis={"tickMinStep": 1, "format": "d", "orient": "top"},
    )


def critical_differences(rows: Rows, groups: Sequence[Sequence[str]], *, measure: str) -> Chart:
    """Draw the critical differences of a leaderboard: means of systems, and bars that join those without a significant difference.

    Each row has system and mean, best first. Each group is a list of systems; its bar goes from its first
    to its last system, with a square at each member. Unlike in the diagram of Demšar (2006), the scale is
    that of the means, not of mean ranks, and the bars are upright, so that long names fit.
    """
    alt = altair()
    values = [float(row["mean"]) for row in rows]
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    places = [high + span * (0.1 + 0.05 * k) for k in range(len(groups))]
    joined = [
        {"x": place, "system": group[0], "last": group[-1], "members": ", ".join(group)}
        for place, group in zip(places, groups, strict=True)
    ]
    members = [
        row | {"system": system}
        for row, group in zip(joined, groups, strict=True)
        for system in group
    ]
    layers = [
        alt.Chart(inline_data(joined)).mark_rule(strokeWidth=2.5).encode(y2="last:N"),
        alt.Chart(inline_data(members)).mark_point(size=38, filled=True, shape="square"),
    ]
    shown = {"color": alt.value(theme_colour("accent")), "opacity": alt.value(1)}
    tips = tooltips([("members", "not different")])
    ends = [low - 0.04 * span, max([high, *places]) + 0.04 * span]
    return dots(
        rows,
        label="system",
        value="mean",
        title=measure,
        tips=[("system", "system"), ("mean", measure, ".4f")],
        ends=None,
        scale={"domain": ends, "nice": False, "zero": False},
        axis={"orient": "top", "grid": False, "values": _ticks(low, high), "format": "~g"},
        above=[layer.encode(x="x:Q", y="system:N", tooltip=tips, **shown) for layer in layers],
    )


def _ticks(low: float, high: float) -> list[float]:
    """Return about five round numbers between two numbers.

    >>> _ticks(0.712, 0.76)
    [0.72, 0.73, 0.74, 0.75, 0.76]
    """
    span = (high - low) or abs(high) or 1.0
    size = 10.0 ** math.floor(math.log10(span / 4))
    step = next(size * k for k in (1, 2, 5, 10) if span / (size * k) <= 6)
    first = math.ceil(low / step - 1e-9)
    return [round(k * step, 12) for k in range(first, math.floor(high / step + 1e-9) + 1)]


# Figures of a leaderboard: critical differences, rank intervals and the heat map by data set.


MAX_DIAGRAM = 20  # systems in the critical-difference diagram
MAX_NAMED = 60  # data sets with a label in the heat map
MAX_MATRIX = 40  # systems in the heat map
MAX_CELLS = 20_000


@drawn.register
def figures(result: Leaderboard) -> Figures:
    """Draw the figures of a leaderboard: the critical differences, the rank intervals and the scores by data set."""
    ranked = [] if result.unranked else [_ranks(result), _diagram(result)]
    made = [*ranked, _matrix(result)]
    return {"result": [figure for figure in made if figure is not None]}


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
    return Figure("rank-intervals", chart, caption, "Rank intervals")


def joined_groups(places: Sequence[Place]) -> list[list[str]]:
    """Return the groups of systems of a leaderboard without a significant difference between any two of them.

    Groups of one system and parts of other groups are left out; the systems of a group are in the order
    of `places`.
    """
    members: dict[str, list[str]] = {}
    for place in places:
        for letter in place.own_letters:
            members.setdefault(letter, []).append(place.system)
    groups = [group for group in members.values() if len(group) > 1]
    sets = [set(group) for group in groups]
    return [
        group
        for k, group in enumerate(groups)
        if not any(sets[k] < other or (sets[k] == other and n < k) for n, other in enumerate(sets))
    ]


def _diagram(result: Leaderboard) -> Figure | None:
    """Draw the diagram of critical differences for the first systems; systems without a mean have no place on the scale."""
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
    return Figure("critical-differences", chart, caption, "Critical differences")


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
    return Figure("by-data-set", chart, caption, "Scores by data set")


@replaced.register
def blocks(result: Leaderboard) -> dict[str, list[Block]]:
    """Return the table of a leaderboard, whose ranks readers can recompute for other data sets."""
    return {"result": [board_block(result)]}
