"""The chart of power curves (Rankel 2016, figs 3.2 and 3.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tare.report._blocks import Figure
from tare.report._charts.curves import curves
from tare.stats._power import SIDE_WORDS

__all__ = ["figures", "power_figure"]

NORMAL = 1.96  # of a 95 % interval


def figures(curve: Any) -> dict[str, list[Figure]]:
    """Rejection rates of each test against the mixture, with Monte-Carlo bands."""
    effects = "with" if curve.documents else "without"
    made = power_figure(curve.rows(), curve, effects, name="power", title="Power")
    return {"result": [made]}


def power_figure(
    rows: Iterable[Mapping[str, Any]], about: Any, effects: str, *, name: str, title: str
) -> Figure:
    """Test, mixture t, power and its error, as curves; `about` has the items and alpha."""
    drawn = [
        {
            "series": row["test"],
            "x": row["t"],
            "y": row["power"],
            "low": row["power"] - NORMAL * row["error"],
            "high": row["power"] + NORMAL * row["error"],
        }
        for row in rows
    ]
    chart = curves(drawn, x="mixture t", y="power", level=about.alpha, domain=(0, 1))
    caption = (
        f"How often each test finds a difference on {about.items} items, {effects} document effects: "
        "at t = 0 there is none, at t = 1 the groups differ as in the data; "
        f"{SIDE_WORDS[about.side]}. Bands: 95 % Monte-Carlo."
    )
    return Figure(name, chart, caption, title, 330)
