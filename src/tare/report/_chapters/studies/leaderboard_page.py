"""The table of a leaderboard on its page, with the data from which the page recomputes ranks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tare._tables import Column, PColumn, Table
from tare.report._blocks import FilterableBoard, SortableTable
from tare.stats._flips import least_units

if TYPE_CHECKING:
    from tare._decide.leaderboard_result import Leaderboard, LeftOut, Place

__all__ = ["board_block"]

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


def _data(result: Leaderboard) -> dict[str, Any]:
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
