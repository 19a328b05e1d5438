"""Figures of the item study: simultaneous intervals (Rankel 2016, fig. 4.1)."""

from __future__ import annotations

from tare.report._blocks import Figure
from tare.report._figures import drawn
from tare.report._marks.intervals import MAX_LABELS, simultaneous_intervals
from tare.studies._items import ItemStudy

__all__ = ["figures"]


@drawn.register
def figures(study: ItemStudy) -> dict[str, list[Figure]]:
    """Draw one chart per factor; the reader selects the level to compare with."""
    by_table = {}
    what = study.measure if study.method == "means" else f"mean rank by {study.measure}"
    for factor in study.factors:
        own = [r for r in study.levels if r["factor"] == factor]
        if not own or own[0]["low"] is None:
            continue
        rows = [{"name": r["level"], "mean": r["mean"], "half": r["high"] - r["mean"]} for r in own]
        chart = simultaneous_intervals(rows, title=what, chosen=own[0]["against"])
        caption = (
            f"Simultaneous intervals of the {len(own)} levels of {factor}. Two levels whose intervals do "
            f"not overlap differ significantly (α = {study.alpha:g})."
        )
        height = 26 * len(own) if len(own) <= MAX_LABELS else 900
        by_table[factor] = [
            Figure(f"intervals of {factor}", chart, caption, f"By {factor}", 90 + height)
        ]
    return by_table
