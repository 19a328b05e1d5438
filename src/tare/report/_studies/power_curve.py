"""Figures of power curves (Rankel 2016, figs 3.2 and 3.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tare.report._blocks import Figure
from tare.report._marks.curves import curves
from tare.stats._power import SIDE_WORDS

if TYPE_CHECKING:
    from tare._decide.power import PowerStudy
    from tare.stats._power import PowerCurve

__all__ = ["figures", "power_figure"]


Z_95 = 1.96  # half-width of a 95 % interval, in standard errors


def figures(curve: PowerCurve) -> dict[str, list[Figure]]:
    """Draw the power of each test against the mixture, with Monte Carlo error bands."""
    effects = "with" if curve.documents else "without"
    figure = power_figure(curve.rows(), curve, effects, name="power", title="Power")
    return {"result": [figure]}


def power_figure(
    rows: Iterable[Mapping[str, Any]],
    about: PowerCurve | PowerStudy,
    effects: str,
    *,
    name: str,
    title: str,
) -> Figure:
    """Draw rows of test, t, power and error; `about` has items, alpha and side."""
    drawn = [
        {
            "series": row["test"],
            "x": row["t"],
            "y": row["power"],
            "low": row["power"] - Z_95 * row["error"],
            "high": row["power"] + Z_95 * row["error"],
        }
        for row in rows
    ]
    chart = curves(drawn, x="mixture t", y="power", level=about.alpha, domain=(0, 1))
    caption = (
        f"How often each test finds a difference on {about.items} items, {effects} document effects. "
        "At t = 0 there is no difference; at t = 1 the groups differ as in the data. "
        f"Alternative: {SIDE_WORDS[about.side]}. Bands are 95 % Monte Carlo intervals."
    )
    return Figure(name, chart, caption, title, 330)
