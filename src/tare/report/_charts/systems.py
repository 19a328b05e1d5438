"""Systems: their means with intervals, and how their order changes under another measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tare.report._charts.drawing import (
    altair,
    by,
    data,
    number,
    row_height,
    shown,
    sized,
    wrapped,
    wrapping,
)
from tare.report._theme import named

__all__ = ["mean_intervals", "rank_slopes"]

ROW = 26  # pixels per system
TIED, BELOW = "tied with the best", "significantly worse"
CHANCE = "chance"
SLOPE_LETTERS = 16  # of a line of a name beside a slope
MOVED, STAYED = "another rank", "the same rank"


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
    given = data(
        {**row, "place": place, "state": TIED if row["best"] else BELOW, "by chance": CHANCE}
        for place, row in enumerate(rows)
    )
    up = alt.Y("system:N", sort=by("place"), title=None, axis=alt.Axis(grid=True, ticks=False, **wrapped()))  # fmt: skip
    scale = alt.Scale(zero=False, nice=True)
    ticked = any(row["chance"] is not None for row in rows)
    colours = {TIED: named("accent"), BELOW: named("quiet"), CHANCE: named("c2")}
    shown_ = [name for name in colours if name != CHANCE or ticked]
    colour = alt.Color("state:N", title=None, scale=alt.Scale(domain=shown_, range=[colours[n] for n in shown_]))  # fmt: skip
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
    if ticked:
        ticks = alt.Chart(given).mark_tick(thickness=2, size=14, opacity=1)
        ticks = ticks.encode(y=up, x=alt.X("chance:Q", scale=scale), color=alt.Color("by chance:N"), tooltip=tips)  # fmt: skip
        layers.append(ticks)
    row = row_height((str(r["system"]) for r in rows), ROW)
    return sized(alt.layer(*layers), height=max(60, row * len(rows)))


def rank_slopes(rows: Sequence[Mapping[str, Any]], *, left: str, right: str) -> Any:
    """A line a system from its rank under one measure to its rank under the other.

    rows: system, before, after (ranks, 1 is best). Lines that move are coloured.
    """
    alt = altair()
    points = [
        {
            **row,
            "side": side,
            "rank": row[key],
            "state": STAYED if row["before"] == row["after"] else MOVED,
        }
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
    states = [MOVED, STAYED]
    colour = alt.Color("state:N", title=None, scale=alt.Scale(domain=states, range=[named("c2"), named("quiet")]), legend=alt.Legend(orient="bottom"))  # fmt: skip
    tips = [shown("system", "system"), number("before", f"rank by {left}", "d"), number("after", f"rank by {right}", "d")]  # fmt: skip
    base = alt.Chart(given).encode(x=across, y=up, detail="system:N", color=colour, tooltip=tips)
    labels = [
        alt.Chart(given)
        .transform_filter(alt.datum.side == side)
        .transform_calculate(label=wrapping("datum.rank + '  ' + datum.system", SLOPE_LETTERS))
        .mark_text(align=align, dx=dx, color=named("ink"), limit=150, lineBreak="\n", lineHeight=12)
        .encode(x=across, y=up, text="label:N")
        for side, align, dx in ((left, "right", -12), (right, "left", 12))
    ]
    lines = base.mark_line(strokeWidth=2.2, opacity=0.9)
    dots = base.mark_circle(size=70, opacity=1)
    row = row_height((f"10  {r['system']}" for r in rows), ROW, SLOPE_LETTERS)
    return sized(alt.layer(lines, dots, *labels), height=max(120, row * len(rows)))
