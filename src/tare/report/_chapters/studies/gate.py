"""Figures of a gate: the difference from the baseline at each look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tare.report._blocks import Figure
from tare.report._charts.curves import curves

if TYPE_CHECKING:
    from tare._decide.gate.history import GateHistory
    from tare._decide.gate.result import Gate

__all__ = ["figures", "findings"]


def figures(result: Gate | GateHistory) -> dict[str, list[Figure]]:
    """Draw the differences of a history with their bounds, one figure per measure."""
    looks: dict[str, list[dict[str, object]]] = {}
    for row in result.rows():
        drawn = {
            "series": row["measure"],
            "x": row.get("look", 1),
            "y": row["difference"],
            "low": row["low"],
            "high": row["high"],
        }
        looks.setdefault(str(row["measure"]), []).append(drawn)
    if max((len(rows) for rows in looks.values()), default=0) < 2:
        return {"result": []}  # a single look is in the table
    margins = {str(row["measure"]): float(row["margin"]) for row in result.rows()}
    return {"result": [_figure(name, rows, margins[name]) for name, rows in looks.items()]}


def _figure(measure: str, rows: list[dict[str, object]], margin: float) -> Figure:
    chart = curves(rows, x="look", y=f"difference of {measure}", level=-margin)
    caption = (
        f"{measure}: candidate − baseline at each look. The band is between the one-sided bounds, whose "
        "level is corrected for the number of looks. The line is the negative margin: a candidate passes "
        "if its band is above the line."
    )
    return Figure(f"history-{measure}", chart, caption, f"History of {measure}", 330)


def findings(result: Gate | GateHistory) -> list[str]:
    """Return the verdict of each measure, or of the last look, as sentences."""
    rows = result.rows()
    last = max((row.get("look", 1) for row in rows), default=1)
    return [
        f"{row['measure']}: {row['verdict']} (difference {row['difference']:+.4f}, bounds "
        f"{row['low']:+.4f} to {row['high']:+.4f}, margin {row['margin']:g})."
        for row in rows
        if row.get("look", 1) == last
    ]
