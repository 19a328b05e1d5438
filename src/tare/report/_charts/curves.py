"""Curves: one number against another, one line a thing, with a band where there is an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tare.report._charts.drawing import altair, data, number, shown, sized
from tare.report._theme import CATEGORIES, named

__all__ = ["asl_curves", "curves"]

POINTS = 200  # of a curve: more than a screen has room for


def curves(
    rows: Sequence[Mapping[str, Any]],
    *,
    x: str,
    y: str,
    log: bool = False,
    level: float | None = None,
    domain: tuple[float, float] | None = None,
    points: bool = True,
) -> Any:
    """Lines of y against x by series, with bands from low to high where rows have them.

    rows: series, x, y, and low, high (or none). `level` draws a line across, such as α.
    """
    alt = altair()
    series = list(dict.fromkeys(str(row["series"]) for row in rows))
    scale = alt.Scale(type="log", nice=False) if log else alt.Scale(zero=False, nice=False)
    across = alt.X("x:Q", title=x, scale=scale)
    up = alt.Y("y:Q", title=y, scale=alt.Scale(domain=list(domain)) if domain else alt.Scale(zero=False))  # fmt: skip
    colours = [named(CATEGORIES[k % len(CATEGORIES)]) for k in range(len(series))]
    legend = None if len(series) == 1 else alt.Legend(title=None)
    colour = alt.Color("series:N", sort=series, scale=alt.Scale(domain=series, range=colours), legend=legend)  # fmt: skip
    dash = alt.value([1, 0])
    if len(series) > len(CATEGORIES):
        dash = alt.StrokeDash("series:N", legend=None)
    tips = [shown("series", "series"), number("x", x, ".4~g"), number("y", y)]
    base = alt.Chart(data(rows))
    layers = []
    if any(row.get("low") is not None for row in rows):
        band = base.mark_area(opacity=0.16).encode(x=across, y=alt.Y("low:Q", title=y), y2="high:Q", color=colour)  # fmt: skip
        layers.append(band)
    layers.append(base.mark_line().encode(x=across, y=up, color=colour, strokeDash=dash, tooltip=tips))  # fmt: skip
    if points:
        layers.append(base.mark_circle(size=45, opacity=1).encode(x=across, y=up, color=colour, tooltip=tips))  # fmt: skip
    if level is not None:
        rule = alt.Chart(data([{"level": level}])).mark_rule(color=named("soft"), strokeDash=[4, 4])
        layers.append(rule.encode(y="level:Q"))
    return sized(alt.layer(*layers), height=300)


def asl_curves(p_values: Mapping[str, Sequence[float]], *, alpha: float = 0.05) -> Any:
    """Achieved significance levels: the p of all pairs in descending order, one line a measure.

    The sooner a line falls below α, the more pairs the measure tells apart (Sakai 2006).
    """
    rows = []
    for measure, given in p_values.items():
        ordered = sorted((float(p) for p in given), reverse=True)
        step = max(1, len(ordered) // POINTS)
        chosen = sorted({*range(0, len(ordered), step), len(ordered) - 1})
        rows += [{"series": measure, "x": (k + 1) / len(ordered), "y": ordered[k]} for k in chosen]
    return curves(rows, x="share of pairs, by p", y="p", level=alpha, domain=(0, 1), points=False)
