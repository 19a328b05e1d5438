"""Curves: one number against another, with a band for the error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tare.report._charts.encoding import (
    Rows,
    altair,
    full_width,
    inline_data,
    number_tooltip,
    text_tooltip,
)
from tare.report._theme import CATEGORIES, theme_colour

__all__ = ["asl_curves", "curves"]

MAX_POINTS = 200  # per curve; a screen cannot show more


def asl_curves(p_values: Mapping[str, Sequence[float]], *, alpha: float = 0.05) -> Any:
    """Draw achieved significance levels: all p-values in descending order, one line per measure.

    The sooner a line falls below α, the more pairs are significantly different by that measure (Sakai
    2006).
    """
    rows = []
    for measure, given in p_values.items():
        ordered = sorted((float(p) for p in given), reverse=True)
        step = max(1, len(ordered) // MAX_POINTS)
        chosen = sorted({*range(0, len(ordered), step), len(ordered) - 1})
        rows += [{"series": measure, "x": (k + 1) / len(ordered), "y": ordered[k]} for k in chosen]
    return curves(
        rows,
        x="share of pairs, largest p first",
        y="p-value",
        level=alpha,
        domain=(0, 1),
        points=False,
    )


def curves(
    rows: Rows,
    *,
    x: str,
    y: str,
    log: bool = False,
    level: float | None = None,
    domain: tuple[float, float] | None = None,
    points: bool = True,
) -> Any:
    """Draw y against x as one line per series, with a band from low to high if rows have them.

    Each row has series, x, y and optionally low and high. `level` draws a horizontal line, such as α.
    """
    alt = altair()
    series = list(dict.fromkeys(str(row["series"]) for row in rows))
    scale = alt.Scale(type="log", nice=False) if log else alt.Scale(zero=False, nice=False)
    whole = all(float(row["x"]).is_integer() for row in rows)
    axis = alt.Axis(
        tickCount=8, **({"tickMinStep": 1, "format": ",d"} if whole and not log else {})
    )
    across = alt.X("x:Q", title=x, scale=scale, axis=axis)
    up = alt.Y(
        "y:Q", title=y, scale=alt.Scale(domain=list(domain)) if domain else alt.Scale(zero=False)
    )
    colours = [theme_colour(CATEGORIES[k % len(CATEGORIES)]) for k in range(len(series))]
    legend = None if len(series) == 1 else alt.Legend(title=None)
    colour = alt.Color(
        "series:N", sort=series, scale=alt.Scale(domain=series, range=colours), legend=legend
    )
    dash = alt.value([1, 0])
    if len(series) > len(CATEGORIES):
        dash = alt.StrokeDash("series:N", legend=None)
    tips = [
        text_tooltip("series", "series"),
        number_tooltip("x", x, ".4~g"),
        number_tooltip("y", y),
    ]
    base = alt.Chart(inline_data(rows))
    layers = []
    if any(row.get("low") is not None for row in rows):
        band = base.mark_area(opacity=0.16).encode(
            x=across, y=alt.Y("low:Q", title=y), y2="high:Q", color=colour
        )
        layers.append(band)
    layers.append(
        base.mark_line().encode(x=across, y=up, color=colour, strokeDash=dash, tooltip=tips)
    )
    if points:
        layers.append(
            base.mark_circle(size=45, opacity=1).encode(x=across, y=up, color=colour, tooltip=tips)
        )
    if level is not None:
        rule = alt.Chart(inline_data([{"level": level}])).mark_rule(
            color=theme_colour("soft"), strokeDash=[4, 4]
        )
        layers.append(rule.encode(y="level:Q"))
    return full_width(alt.layer(*layers), height=300)
