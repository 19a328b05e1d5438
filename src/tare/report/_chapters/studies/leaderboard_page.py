"""The table of a leaderboard on its page, with the data from which the page recomputes ranks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tare._tables import Column, Table
from tare.report._blocks import FilterableBoard, SortableTable

if TYPE_CHECKING:
    from tare._decide.leaderboard.result import Leaderboard, LeftOut, Place

__all__ = ["board_block"]

DRAWS = 2000  # in the browser
MAX_ROWS = 25
SPREAD_DIGITS = 4


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
        Column("tied with best", align="left"),
        Column("best in draws", 3),
    ]
    rows: list[tuple[Any, ...]] = [_cells(place, result.has_net) for place in result.places]
    blank = (None,) * (len(columns) - 3)
    rows += [(None, "–", left.system, *blank) for left in result.left_out]
    rows = [
        tuple("–" if c is None and k == len(columns) - 2 else c for k, c in enumerate(row))
        for row in rows
    ]
    table = Table.of(columns, rows, notes=result.notes())
    return FilterableBoard(SortableTable(table, max_rows=MAX_ROWS), result.datasets, _data(result))


def _cells(place: Place, net: bool) -> tuple[Any, ...]:
    return (
        place.rank,
        f"{place.low}" if place.low == place.high else f"{place.low}–{place.high}",
        place.system,
        *(_known(x) for x in (place.mean, place.mean_low, place.mean_high)),
        *([_known(place.net)] if net else []),
        "yes" if place.tied else "no",
        place.best,
    )


def _known(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


def _data(result: Leaderboard) -> dict[str, Any]:
    everyone: list[Place | LeftOut] = [*result.places, *result.left_out]
    count = len(everyone)
    return {
        "columns": [
            "rank",
            "ranks",
            "system",
            "mean",
            "low",
            "high",
            *(["net"] if result.has_net else []),
            "tied",
            "best",
        ],
        "digits": {"mean": 4, "low": 4, "high": 4, "net": 4, "best": 3, "rank": 0},
        "scores": [list(row.by_dataset) for row in everyone],
        "net": [list(p.net_by_dataset) for p in result.places]
        + [[None] * len(result.datasets)] * len(result.left_out)
        if result.has_net
        else None,
        "spread": [
            [float(f"{cov[i, j]:.{SPREAD_DIGITS}g}") for i in range(count) for j in range(i + 1)]
            for cov in result.spread
        ],
        "sizes": list(result.sizes),
        "resample": result.resample,
        "alpha": result.alpha,
        "lower": result.lower_is_better,
        "draws": DRAWS,
        "seed": result.seed,
    }
