"""Systems: their means with intervals, and how their order changes under another measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tare.report.charts.drawing import altair, by, data, number, shown, sized
from tare.report.theme import named

__all__ = ["mean_intervals", "rank_slopes"]

ROW = 26  # pixels a system


def mean_intervals(
    rows: Sequence[Mapping[str, Any]],
    *,
    measure: str,
    interval: str,
    band: tuple[float, float] | None = None,
) -> Any:
    """One dot with its interval per system, best first; a tick at the expected score, if it is known.

    `band` is shaded: the range of the means of random rankers.

    rows: system, mean, low, high, chance (or None), best (whether it is tied with the best). The
    systems that differ from the best are pale (Rankel 2016, fig. 4.1).
    """
    alt = altair()
    given = data({**row, "place": place} for place, row in enumerate(rows))
    up = alt.Y("system:N", sort=by("place"), title=None, axis=alt.Axis(grid=True, ticks=False))
    scale = alt.Scale(zero=False, nice=True)
    colour = alt.condition("datum.best", alt.value(named("accent")), alt.value(named("quiet")))
    tips = [shown("system", "system"), number("mean", measure), number("low", f"{interval} from"),
            number("high", "to"), number("chance", "chance")]  # fmt: skip
    bars = alt.Chart(given).mark_rule(strokeWidth=2.5)
    bars = bars.encode(y=up, x=alt.X("low:Q", title=measure, scale=scale, axis=alt.Axis(tickCount=8)), x2="high:Q", color=colour, tooltip=tips)  # fmt: skip
    dots = alt.Chart(given).mark_circle(size=95, opacity=1)
    dots = dots.encode(y=up, x=alt.X("mean:Q", scale=scale), color=colour, tooltip=tips)
    layers = [bars, dots]
    if band is not None:
        ends = alt.Chart(data([{"from": band[0], "to": band[1]}]))
        shade = ends.mark_rect(color=named("c2"), opacity=0.15)
        layers.insert(0, shade.encode(x=alt.X("from:Q", scale=scale), x2="to:Q"))
    if any(row["chance"] is not None for row in rows):
        ticks = alt.Chart(given).mark_tick(thickness=2, size=14, color=named("c2"))
        layers.append(ticks.encode(y=up, x=alt.X("chance:Q", scale=scale), tooltip=tips))
    return sized(alt.layer(*layers), height=max(60, ROW * len(rows)))


def rank_slopes(rows: Sequence[Mapping[str, Any]], *, left: str, right: str) -> Any:
    """A line a system from its rank under one measure to its rank under the other.

    rows: system, before, after (ranks, 1 is best). Lines that move are coloured.
    """
    alt = altair()
    points = [
        {**row, "side": side, "rank": row[key], "moved": row["before"] != row["after"]}
        for row in rows
        for side, key in ((left, "before"), (right, "after"))
    ]
    most = max(max(float(row["before"]), float(row["after"])) for row in rows)
    given = data(points)
    across = alt.X(
        "side:N", sort=[left, right], title=None,
        scale=alt.Scale(padding=0.5), axis=alt.Axis(labelAngle=0, orient="top", labelFontSize=12, domain=False, ticks=False),
    )  # fmt: skip
    up = alt.Y("rank:Q", axis=None, scale=alt.Scale(domain=[0.5, most + 0.5], reverse=True, nice=False, zero=False))  # fmt: skip
    colour = alt.condition("datum.moved", alt.value(named("c2")), alt.value(named("quiet")))
    tips = [shown("system", "system"), number("before", f"rank by {left}", "d"), number("after", f"rank by {right}", "d")]  # fmt: skip
    base = alt.Chart(given).encode(x=across, y=up, detail="system:N", color=colour, tooltip=tips)
    labels = [
        alt.Chart(given)
        .transform_filter(alt.datum.side == side)
        .transform_calculate(label=text)
        .mark_text(align=align, dx=dx, color=named("ink"), limit=110)
        .encode(x=across, y=up, text="label:N")
        for side, align, dx, text in (
            (left, "right", -12, "datum.rank + '  ' + datum.system"),
            (right, "left", 12, "datum.rank + '  ' + datum.system"),
        )
    ]
    lines = base.mark_line(strokeWidth=2.2, opacity=0.9)
    dots = base.mark_circle(size=70, opacity=1)
    return sized(alt.layer(lines, dots, *labels), height=max(120, ROW * len(rows)))
