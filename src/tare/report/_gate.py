"""Figures of a gate: the difference of each query that changed, one figure per measure."""

from __future__ import annotations

from tare._decide.gate_result import Gate, GateRow
from tare._measures.aggregation import better_end
from tare.report._blocks import Figure
from tare.report._figures import Figures, drawn
from tare.report._pairs import difference_bars

__all__ = ["figures"]


SIDES = ("candidate", "baseline")
MOST = 300  # bars of a figure; with more changes, those at both ends are drawn


@drawn.register
def figures(result: Gate) -> Figures:
    """Draw the queries that changed in a gate; nothing for estimates, which have no value of each query."""
    drawn = [_figure(row) for row in result.measures if row.changed and len(row.items)]
    return {"result": drawn}


def _figure(row: GateRow) -> Figure:
    ordered = row.changes()
    if len(ordered) > MOST:
        ordered = ordered[: MOST // 2] + ordered[-MOST // 2 :]
    place = {item: k for k, item in enumerate(row.items)}
    rows = [
        {"item": item} | {side: float(row.scores[k][place[item]]) for k, side in enumerate(SIDES)}
        for item, _ in ordered
    ]
    chart = difference_bars(
        rows, measure=row.measure, systems=SIDES, pair=("candidate", "baseline"), most=MOST
    )
    side = "below" if better_end(row.measure) == "lower" else "above"
    text = (
        f"{row.measure}: one bar per query that changed, the candidate (first system) minus the baseline "
        f"(second system); {side} zero, the candidate is better. {row.lost:,} lost and {row.gained:,} gained."
    )
    return Figure(f"gate-{row.measure}", chart, text, f"Changed queries: {row.measure}")
