"""The charts of the study of items: simultaneous intervals (Rankel 2016, fig. 4.1)."""

from __future__ import annotations

from typing import Any

from tare.report._blocks import Figure
from tare.report._charts.orders import MOST_NAMES, simultaneous_intervals

__all__ = ["figures"]


def figures(study: Any) -> dict[str, list[Figure]]:
    """One chart per factor, the level that the others are compared with in blue."""
    made = {}
    what = study.measure if study.method == "means" else f"mean rank by {study.measure}"
    for factor in study.factors:
        own = [r for r in study.levels if r["factor"] == factor]
        if not own:
            continue
        rows = [{"name": r["level"], "mean": r["mean"], "half": r["high"] - r["mean"]} for r in own]
        chart = simultaneous_intervals(rows, title=what, chosen=own[0]["against"])
        caption = (
            f"Simultaneous intervals of {len(own)} levels of {factor}: two that do not overlap differ "
            f"significantly at {study.alpha:g}."
        )
        height = 24 * len(own) if len(own) <= MOST_NAMES else 900
        made[factor] = [
            Figure(f"intervals of {factor}", chart, caption, f"By {factor}", 90 + height)
        ]
    return made
