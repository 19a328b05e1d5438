"""The charts of the study of power (Rankel 2016, figs 3.2 and 3.3)."""

from __future__ import annotations

from typing import Any

from tare.report.blocks import Figure
from tare.report.charts.curves import curves
from tare.report.drawings.power import NORMAL

__all__ = ["figures"]


def figures(study: Any) -> dict[str, list[Figure]]:
    """A chart of all tests without document effects, and one with them."""
    made: dict[str, list[Figure]] = {}
    for effects in dict.fromkeys(row["document_effects"] for row in study.curves):
        drawn = [
            {
                "series": row["test"],
                "x": row["t"],
                "y": row["power"],
                "low": row["power"] - NORMAL * row["error"],
                "high": row["power"] + NORMAL * row["error"],
            }
            for row in study.curves
            if row["document_effects"] == effects
        ]
        chart = curves(drawn, x="mixture t", y="power", level=study.alpha, domain=(0, 1))
        caption = (
            f"How often each test finds a difference on {study.items} items, {effects} document "
            "effects: at t = 0 there is none. Bands: 95 % Monte-Carlo."
        )
        title = f"Power {effects} document effects"
        made[f"power {effects}"] = [Figure(title, chart, caption, title, 330)]
    return made
