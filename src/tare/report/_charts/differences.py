"""Two systems, query by query; and differences of pairs with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tare.report._charts.drawing import altair, by, data, number, row_height, shown, sized, wrapped
from tare.report._theme import named

__all__ = ["difference_bars", "pair_intervals"]

LABELLED = 30  # bars that still have their query's name beneath
ROW = 24


def difference_bars(rows: Sequence[Mapping[str, Any]], *, measure: str) -> Any:
    """A bar a query, largest difference first; with several pairs the reader chooses one.

    rows: pair, item, difference, first, second (the two scores). Above the line the first system
    is better.
    """
    alt = altair()
    pairs = list(dict.fromkeys(str(row["pair"]) for row in rows))
    most = max(sum(row["pair"] == pair for row in rows) for pair in pairs)
    named_below = most <= LABELLED
    across = alt.X(
        "place:O",
        title="queries, by difference",
        axis=alt.Axis(labels=False, ticks=False, grid=False, domain=False),
        scale=alt.Scale(paddingInner=0.1 if named_below else 0.0),
    )
    if named_below and len(pairs) == 1:
        across = alt.X("item:N", sort=by("place"), title=None,
                       axis=alt.Axis(labelAngle=-60, labelLimit=170, grid=False))  # fmt: skip
    states = ["first system better", "second system better"]
    colour = alt.Color("state:N", title=None, scale=alt.Scale(domain=states, range=[named("c1"), named("c2")]))  # fmt: skip
    tips = [shown("item", "query"), number("difference", "difference", "+.3f"), number("first", "first"), number("second", "second")]  # fmt: skip
    bars = alt.Chart(data({**r, "state": states[0 if r["difference"] > 0 else 1]} for r in rows))
    bars = bars.mark_bar()
    up = alt.Y("difference:Q", title=f"difference in {measure}", axis=alt.Axis(format="+.1f"))
    bars = bars.encode(x=across, y=up, color=colour, tooltip=tips)
    if len(pairs) > 1:
        chooser = alt.binding_select(options=pairs, name="pair ")
        chosen = alt.param(name="pair", value=pairs[0], bind=chooser)
        bars = bars.add_params(chosen).transform_filter("datum.pair === pair")
    zero = alt.Chart(data([{"y": 0}])).mark_rule(color=named("soft")).encode(y="y:Q")
    return sized(alt.layer(bars, zero), height=280)


def pair_intervals(rows: Sequence[Mapping[str, Any]], *, measure: str, interval: str) -> Any:
    """The difference of each pair with its interval; those that leave 0 out are strong.

    rows: pair, difference, low, high, significant, p (Rankel 2016, fig. 4.1: simultaneous where the
    test is Tukey's).
    """
    alt = altair()
    given = data(
        {**row, "place": place, "state": "significant" if row["significant"] else "not significant"}
        for place, row in enumerate(rows)
    )
    up = alt.Y("pair:N", sort=by("place"), title=None, axis=alt.Axis(grid=True, ticks=False, **wrapped()))  # fmt: skip
    states = ["significant", "not significant"]
    colour = alt.Color("state:N", title=None, scale=alt.Scale(domain=states, range=[named("accent"), named("quiet")]))  # fmt: skip
    tips = [shown("pair", "pair"), number("difference", f"difference in {measure}", "+.3f"), number("low", f"{interval} from", "+.3f"), number("high", "to", "+.3f"), shown("p", "p")]  # fmt: skip
    zero = alt.Chart(data([{"x": 0}])).mark_rule(color=named("soft"), strokeDash=[3, 3])
    lines = alt.Chart(given).mark_rule(strokeWidth=2.5)
    lines = lines.encode(y=up, x=alt.X("low:Q", title="difference", axis=alt.Axis(tickCount=5)), x2="high:Q", color=colour, tooltip=tips)  # fmt: skip
    dots = alt.Chart(given).mark_circle(size=80, opacity=1)
    dots = dots.encode(y=up, x="difference:Q", color=colour, tooltip=tips)
    layers = alt.layer(zero.encode(x="x:Q"), lines, dots)
    row = row_height((str(r["pair"]) for r in rows), ROW)
    return sized(layers, height=max(80, row * len(rows)))
