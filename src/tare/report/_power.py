"""Figures of power: of a curve, and of a power study without and with document effects (Rankel 2016, figs 3.2 and 3.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tare._decide.power import PowerStudy
from tare.report._blocks import Figure
from tare.report._figures import Figures, drawn
from tare.report._marks import curves
from tare.stats._power import SIDE_WORDS, PowerCurve

__all__ = ["curve_figures", "study_figures"]


@drawn.register
def study_figures(study: PowerStudy) -> Figures:
    """Draw the power of each test against the mixture, without and with document effects."""
    by_table: Figures = {}
    for effects in dict.fromkeys(r["document_effects"] for r in study.curves):
        rows = [r for r in study.curves if r["document_effects"] == effects]
        name, title = f"power {effects}", f"Power {effects} document effects"
        by_table[name] = [_figure(rows, study, effects, name=name, title=title)]
    return by_table


Z_95 = 1.96  # half-width of a 95 % interval, in standard errors


@drawn.register
def curve_figures(curve: PowerCurve) -> Figures:
    """Draw the power of each test against the mixture, with Monte Carlo error bands."""
    effects = "with" if curve.documents else "without"
    figure = _figure(curve.rows(), curve, effects, name="power", title="Power")
    return {"result": [figure]}


def _figure(
    rows: Iterable[Mapping[str, Any]],
    about: PowerCurve | PowerStudy,
    effects: str,
    *,
    name: str,
    title: str,
) -> Figure:
    """Draw the power of tests from rows of test, t, power and error; `about` has items, alpha and side."""
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
    return Figure(name, chart, caption, title)
