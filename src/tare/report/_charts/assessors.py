"""Assessors: how far one agrees with himself, and how far his scores lie from automatic ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tare.report._charts.drawing import altair, by, data, number, row_height, shown, sized, wrapped
from tare.report._charts.heatmaps import RISING
from tare.report._theme import named

__all__ = ["contingency", "differences_by_group"]

ROW = 30


def contingency(rows: Sequence[Mapping[str, Any]], *, columns: int = 3) -> Any:
    """What an assessor gave to an item the first and the second time, a small matrix each.

    rows: assessor, first, second, count (Rankel 2016, figs 6.1 and 6.2). On the diagonal the
    assessor agrees with himself.
    """
    alt = altair()
    most = max((float(row["count"]) for row in rows), default=1.0)
    domain = [most * k / (len(RISING) - 1) for k in range(len(RISING))]
    base = alt.Chart(data(rows))
    x = alt.X("first:O", title="first time", axis=alt.Axis(labelAngle=0, grid=False))
    y = alt.Y("second:O", title="second time", sort="descending", axis=alt.Axis(grid=False))
    tips = [shown("assessor", "assessor"), shown("first", "first time"), shown("second", "second time"), number("count", "times", "d")]  # fmt: skip
    cells = base.mark_rect(stroke=named("card")).encode(
        x=x, y=y, tooltip=tips,
        color=alt.Color("count:Q", legend=None, scale=alt.Scale(domain=domain, range=RISING, type="linear")),
    )  # fmt: skip
    light = alt.condition(f"datum.count > {0.6 * most}", alt.value("#ffffff"), alt.value("#1d2329"))
    text = base.mark_text(fontSize=10).encode(x=x, y=y, text="count:Q", color=light)
    small = alt.layer(cells, text).properties(width=130, height=130)
    return small.facet(facet=alt.Facet("assessor:N", title=None, header=alt.Header(labelColor=named("ink"))), columns=columns)  # fmt: skip


def differences_by_group(rows: Sequence[Mapping[str, Any]], *, title: str) -> Any:
    """Every difference as a tick and the mean as a dot, a row a group.

    rows: group, item, difference. For assessors: manual less automatic pyramid (Rankel 2016,
    fig. 6.3).
    """
    alt = altair()
    groups = list(dict.fromkeys(str(row["group"]) for row in rows))
    place = {group: k for k, group in enumerate(groups)}
    given = data({**row, "place": place[str(row["group"])], "state": "one item"} for row in rows)
    means = []
    for group in groups:
        own = [float(row["difference"]) for row in rows if str(row["group"]) == group]
        means.append({"group": group, "place": place[group], "mean": sum(own) / len(own), "n": len(own), "state": "mean"})  # fmt: skip
    up = alt.Y("group:N", sort=by("place"), title=None, axis=alt.Axis(grid=True, ticks=False, **wrapped()))  # fmt: skip
    states = ["one item", "mean"]
    colour = alt.Color("state:N", title=None, scale=alt.Scale(domain=states, range=[named("c1"), named("c2")]))  # fmt: skip
    ticks = alt.Chart(given).mark_tick(opacity=0.45, size=16)
    ticks = ticks.encode(color=colour, x=alt.X("difference:Q", title=title), y=up, tooltip=[shown("group", "group"), shown("item", "item"), number("difference", title, "+.3f")])  # fmt: skip
    dots = alt.Chart(data(means)).mark_circle(size=110, opacity=1)
    dots = dots.encode(color=colour, x="mean:Q", y=up, tooltip=[shown("group", "group"), number("mean", "mean", "+.3f"), number("n", "n", "d")])  # fmt: skip
    zero = alt.Chart(data([{"x": 0}])).mark_rule(color=named("soft"), strokeDash=[3, 3])
    return sized(
        alt.layer(zero.encode(x="x:Q"), ticks, dots),
        height=max(80, row_height(groups, ROW) * len(groups)),
    )
