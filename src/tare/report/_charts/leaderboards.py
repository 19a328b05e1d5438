"""Charts of leaderboards: rank intervals, and the critical-difference diagram."""

from __future__ import annotations

import math
from collections.abc import Sequence
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
    wrapped_labels,
)
from tare.report._theme import theme_colour

__all__ = ["critical_differences", "rank_interval_chart"]

ROW = 22  # pixels per system
TIED, OTHER = "not significantly different from the first", "significantly worse than the first"


def rank_interval_chart(rows: Rows, *, systems: int, confidence: str) -> Any:
    """Draw the rank of each system with its rank interval, best first.

    Each row has system, rank, low, high and tied (with the first system). `systems` is the number of all
    systems, which may be larger than the number of rows.
    """
    alt = altair()
    given = inline_data(
        {**row, "place": place, "state": TIED if row["tied"] else OTHER}
        for place, row in enumerate(rows)
    )
    last = min(systems, max((int(row["high"]) for row in rows), default=1))
    up = alt.Y(
        "system:N",
        sort=sort_by("place"),
        title=None,
        axis=alt.Axis(grid=True, ticks=False, **wrapped_labels()),
    )
    scale = alt.Scale(domain=[0.5, last + 0.5], nice=False, zero=False)
    axis = alt.Axis(tickMinStep=1, format="d", tickCount=8, orient="top")
    present = [s for s in (TIED, OTHER) if any((s == TIED) == bool(row["tied"]) for row in rows)]
    colours = {TIED: theme_colour("accent"), OTHER: theme_colour("quiet")}
    colour = alt.Color(
        "state:N",
        title=None,
        legend=alt.Legend(columns=1, orient="bottom"),
        scale=alt.Scale(domain=present, range=[colours[s] for s in present]),
    )
    tips = [
        text_tooltip("system", "system"),
        number_tooltip("rank", "rank", "d"),
        number_tooltip("low", f"{confidence}, from", "d"),
        number_tooltip("high", "to", "d"),
    ]
    base = alt.Chart(given)
    bars = base.mark_rule(strokeWidth=5, strokeCap="round", opacity=0.45).encode(
        y=up,
        x=alt.X("low:Q", title="rank", scale=scale, axis=axis),
        x2="high:Q",
        color=colour,
        tooltip=tips,
    )
    dots = base.mark_circle(size=70, opacity=1).encode(
        y=up, x=alt.X("rank:Q", scale=scale), color=colour, tooltip=tips
    )
    row = row_height((str(r["system"]) for r in rows), ROW)
    return full_width(alt.layer(bars, dots), height=max(80, row * len(rows)))


def critical_differences(rows: Rows, groups: Sequence[Sequence[str]], *, measure: str) -> Any:
    """Draw the means of systems, and bars that join systems without a significant difference.

    Each row has system and mean, best first. Each group is a list of systems; its bar goes from its first
    to its last system, with a dot at each member. Unlike in the diagram of Demšar (2006), the scale is
    that of the means, not of mean ranks, and the bars are upright, so that long names fit.
    """
    alt = altair()
    names = [str(row["system"]) for row in rows]
    values = [float(row["mean"]) for row in rows]
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    places = [high + span * (0.1 + 0.05 * k) for k in range(len(groups))]
    scale = alt.Scale(
        domain=[low - 0.04 * span, max([high, *places]) + 0.04 * span], nice=False, zero=False
    )
    axis = alt.Axis(orient="top", grid=False, values=_ticks(low, high), format="~g")
    x = alt.X("mean:Q", title=measure, scale=scale, axis=axis)
    y = alt.Y(
        "system:N",
        title=None,
        scale=alt.Scale(domain=names),
        axis=alt.Axis(grid=True, ticks=False, **wrapped_labels()),
    )
    tips = [text_tooltip("system", "system"), number_tooltip("mean", measure, ".4f")]
    ends = [
        {"x": place, "system": group[0], "last": group[-1], "members": ", ".join(group)}
        for place, group in zip(places, groups, strict=True)
    ]
    members = [
        {"x": place, "system": system, "members": ", ".join(group)}
        for place, group in zip(places, groups, strict=True)
        for system in group
    ]
    along = alt.X("x:Q", scale=scale, title=measure)
    accent, shared = theme_colour("accent"), [text_tooltip("members", "not different")]
    layers = [
        alt.Chart(inline_data(rows))
        .mark_circle(size=80, opacity=1, color=theme_colour("c1"))
        .encode(x=x, y=y, tooltip=tips),
        alt.Chart(inline_data(ends))
        .mark_rule(strokeWidth=2.5, color=accent)
        .encode(x=along, y=y, y2="last:N", tooltip=shared),
        alt.Chart(inline_data(members))
        .mark_point(size=38, filled=True, opacity=1, shape="square", color=accent)
        .encode(x=along, y=y, tooltip=shared),
    ]
    row = row_height(names, ROW)
    return full_width(alt.layer(*layers), height=max(80, row * len(names)))


def _ticks(low: float, high: float) -> list[float]:
    """Return about five round numbers between two numbers.

    >>> _ticks(0.712, 0.76)
    [0.72, 0.73, 0.74, 0.75, 0.76]
    """
    span = (high - low) or abs(high) or 1.0
    size = 10.0 ** math.floor(math.log10(span / 4))
    step = next(size * k for k in (1, 2, 5, 10) if span / (size * k) <= 6)
    first = math.ceil(low / step - 1e-9)
    return [round(k * step, 12) for k in range(first, math.floor(high / step + 1e-9) + 1)]
