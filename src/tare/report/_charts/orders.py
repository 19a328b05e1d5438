"""Orders of systems by two measures: rank slopes, and one order over the other."""

from __future__ import annotations

from typing import Any

from tare.report._charts.encoding import (
    Rows,
    altair,
    full_width,
    inline_data,
    number_tooltip,
    row_height,
    sort_by,
    text_tooltip,
    wrap_expression,
)
from tare.report._theme import theme_colour

__all__ = ["overlaid_orders", "rank_slopes"]

ROW = 26  # pixels per system
SLOPE_LETTERS = 16  # letters per line of a label
MOVED, UNCHANGED = "rank changes", "same rank"


def overlaid_orders(rows: Rows, *, first: str, second: str, tau: float | None = None) -> Any:
    """Draw systems sorted by one measure, with a second measure on top and τ in the corner.

    Each row has system, first and second (Chandar and Carterette 2013, figs 2, 4 and 5).
    """
    alt = altair()
    ordered = sorted(rows, key=lambda row: -float(row["first"]))
    given = inline_data(
        {"system": row["system"], "place": place, "measure": name, "value": row[key]}
        for place, row in enumerate(ordered)
        for key, name in (("first", first), ("second", second))
    )
    x = alt.X(
        "system:N",
        sort=sort_by("place"),
        title=f"systems, sorted by {first}",
        axis=alt.Axis(
            labels=len(rows) <= 30, labelAngle=-60, labelLimit=170, grid=False, ticks=False
        ),
    )
    y = alt.Y("value:Q", title="mean", scale=alt.Scale(zero=False))
    colour = alt.Color(
        "measure:N",
        title=None,
        sort=[first, second],
        scale=alt.Scale(domain=[first, second], range=[theme_colour("c1"), theme_colour("c2")]),
    )
    tips = [
        text_tooltip("system", "system"),
        text_tooltip("measure", "measure"),
        number_tooltip("value", "mean"),
    ]
    base = alt.Chart(given).encode(x=x, y=y, color=colour, tooltip=tips)
    layers = [base.mark_line(strokeWidth=1.5), base.mark_circle(size=55, opacity=1)]
    if tau is not None:
        corner = alt.Chart(inline_data([{"t": f"τ = {tau:.2f}".replace("-", "−")}]))
        corner = corner.mark_text(
            align="right", baseline="top", fontSize=14, fontWeight=600, dx=-6, dy=6
        )
        layers.append(corner.encode(text="t:N", x=alt.value("width"), y=alt.value(0)))
    return full_width(alt.layer(*layers), height=300)


def rank_slopes(rows: Rows, *, left: str, right: str) -> Any:
    """Draw one line per system from its rank by one measure to its rank by the other.

    Each row has system, before and after (ranks; 1 is best). Lines that change rank are coloured.
    """
    alt = altair()
    points = [
        {
            **row,
            "side": side,
            "rank": row[key],
            "state": UNCHANGED if row["before"] == row["after"] else MOVED,
        }
        for row in rows
        for side, key in ((left, "before"), (right, "after"))
    ]
    most = max(max(float(row["before"]), float(row["after"])) for row in rows)
    given = inline_data(points)
    across = alt.X(
        "side:N",
        sort=[left, right],
        title=None,
        scale=alt.Scale(padding=0.5),
        axis=alt.Axis(labelAngle=0, orient="top", labelFontSize=12, domain=False, ticks=False),
    )
    up = alt.Y(
        "rank:Q",
        axis=None,
        scale=alt.Scale(domain=[0.5, most + 0.5], reverse=True, nice=False, zero=False),
    )
    states = [MOVED, UNCHANGED]
    colour = alt.Color(
        "state:N",
        title=None,
        scale=alt.Scale(domain=states, range=[theme_colour("c2"), theme_colour("quiet")]),
        legend=alt.Legend(orient="bottom"),
    )
    tips = [
        text_tooltip("system", "system"),
        number_tooltip("before", f"rank by {left}", "d"),
        number_tooltip("after", f"rank by {right}", "d"),
    ]
    base = alt.Chart(given).encode(x=across, y=up, detail="system:N", color=colour, tooltip=tips)
    labels = [
        alt.Chart(given)
        .transform_filter(alt.datum.side == side)
        .transform_calculate(
            label=wrap_expression("datum.rank + '  ' + datum.system", SLOPE_LETTERS)
        )
        .mark_text(
            align=align, dx=dx, color=theme_colour("ink"), limit=150, lineBreak="\n", lineHeight=12
        )
        .encode(x=across, y=up, text="label:N")
        for side, align, dx in ((left, "right", -12), (right, "left", 12))
    ]
    lines = base.mark_line(strokeWidth=2.2, opacity=0.9)
    dots = base.mark_circle(size=70, opacity=1)
    row = row_height((f"10  {r['system']}" for r in rows), ROW, SLOPE_LETTERS)
    return full_width(alt.layer(lines, dots, *labels), height=max(120, row * len(rows)))
