"""The charts of the study of power (Rankel 2016, figs 3.2 and 3.3)."""

from __future__ import annotations

from typing import Any

from tare.report.blocks import Figure
from tare.report.charts.curves import curves

__all__ = ["figures"]

NORMAL = 1.96  # of a 95 % interval


def figures(study: Any) -> dict[str, list[Figure]]:
    """Rejection rates of each test against the mixture, without and with document effects."""
    made: dict[str, list[Figure]] = {}
    for effects in dict.fromkeys(r["document_effects"] for r in study.curves):
        drawn = [
            {
                "series": r["test"],
                "x": r["t"],
                "y": r["power"],
                "low": r["power"] - NORMAL * r["error"],
                "high": r["power"] + NORMAL * r["error"],
            }
            for r in study.curves
            if r["document_effects"] == effects
        ]
        chart = curves(drawn, x="mixture t", y="power", level=study.alpha, domain=(0, 1))
        caption = (
            f"How often each test finds a difference on {study.items} items, {effects} document "
            "effects: at t = 0 there is none, at t = 1 the groups differ as in the data. Bands: 95 % "
            "Monte-Carlo."
        )
        title = f"Power {effects} document effects"
        made[f"power {effects}"] = [Figure(f"power {effects}", chart, caption, title, 330)]
    return made
