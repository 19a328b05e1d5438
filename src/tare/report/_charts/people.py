"""Measures beside people: the scatter with the human–machine gap, and correlations with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tare.report._charts.drawing import altair, by, data, number, row_height, shown, sized, wrapped
from tare.report._theme import CATEGORIES, named

__all__ = ["correlation_intervals", "human_machine_gap"]

ROW = 26
MACHINE, PERSON = "machine", "person"


def human_machine_gap(rows: Sequence[Mapping[str, Any]], *, automatic: str, human: str) -> Any:
    """One dot a system, people marked; the line is fitted through the machines alone.

    rows: system, automatic, human, person (whether it is one). The gap is how far people lie above
    what the line foretells (Rankel 2016, figs 5.1 and 5.6).
    """
    alt = altair()
    given = [{**row, "who": PERSON if row["person"] else MACHINE} for row in rows]
    across = alt.X("automatic:Q", title=automatic, scale=alt.Scale(zero=False))
    up = alt.Y("human:Q", title=human, scale=alt.Scale(zero=False))
    who = [w for w in (MACHINE, PERSON) if any(row["who"] == w for row in given)]
    colours = {MACHINE: named("c1"), PERSON: named("c2")}
    colour = alt.Color("who:N", title=None, scale=alt.Scale(domain=who, range=[colours[w] for w in who]))  # fmt: skip
    shape = alt.Shape("who:N", title=None, scale=alt.Scale(domain=who, range=[{MACHINE: "circle", PERSON: "triangle-up"}[w] for w in who]))  # fmt: skip
    tips = [shown("system", "system"), number("automatic", automatic), number("human", human)]
    layers = []
    machines = np.array([(r["automatic"], r["human"]) for r in given if r["who"] == MACHINE])
    if len(machines) > 1 and np.ptp(machines[:, 0]) > 0:
        slope, start = np.polyfit(machines[:, 0], machines[:, 1], 1)
        ends = [min(float(r["automatic"]) for r in given), max(float(r["automatic"]) for r in given)]  # fmt: skip
        line = [{"x": x, "y": float(start + slope * x)} for x in ends]
        fit = alt.Chart(data(line)).mark_line(color=named("soft"), strokeDash=[5, 4])
        layers.append(fit.encode(x="x:Q", y="y:Q"))
        gaps = [
            {"x": r["automatic"], "y": float(start + slope * r["automatic"]), "y2": r["human"],
             "gap": float(r["human"] - start - slope * r["automatic"]), "system": r["system"]}
            for r in given if r["who"] == PERSON
        ]  # fmt: skip
        if gaps:
            drop = alt.Chart(data(gaps)).mark_rule(color=named("c2"), opacity=0.55)
            layers.append(drop.encode(x="x:Q", y="y:Q", y2="y2:Q", tooltip=[shown("system", "system"), number("gap", "gap", "+.3f")]))  # fmt: skip
    dots = alt.Chart(data(given)).mark_point(filled=True, size=80, opacity=0.9)
    layers.append(dots.encode(x=across, y=up, color=colour, shape=shape, tooltip=tips))
    return sized(alt.layer(*layers), height=380)


def correlation_intervals(rows: Sequence[Mapping[str, Any]], *, title: str) -> Any:
    """The correlation of each measure with people, by group of systems.

    rows: label, group, value, low, high (or None) (Rankel 2016, figs 5.2 to 5.4, 5.7 to 5.9).
    """
    alt = altair()
    groups = list(dict.fromkeys(str(row["group"]) for row in rows))
    labels = list(dict.fromkeys(str(row["label"]) for row in rows))
    place = {label: k for k, label in enumerate(labels)}
    given = data({**row, "place": place[str(row["label"])]} for row in rows)
    up = alt.Y("label:N", sort=by("place"), title=None, axis=alt.Axis(grid=True, ticks=False, **wrapped()))  # fmt: skip
    offset = alt.YOffset("group:N", sort=groups)
    colours = [named(CATEGORIES[k % len(CATEGORIES)]) for k in range(len(groups))]
    colour = alt.Color("group:N", title=None, sort=groups, legend=None if len(groups) == 1 else alt.Legend(), scale=alt.Scale(domain=groups, range=colours))  # fmt: skip
    tips = [shown("label", "measure"), shown("group", "systems"), number("value", title), number("low", "from"), number("high", "to")]  # fmt: skip
    lines = alt.Chart(given).mark_rule(strokeWidth=2.2)
    lines = lines.encode(y=up, yOffset=offset, x=alt.X("low:Q", title=title, axis=alt.Axis(tickCount=8)), x2="high:Q", color=colour, tooltip=tips)  # fmt: skip
    dots = alt.Chart(given).mark_circle(size=70, opacity=1)
    dots = dots.encode(y=up, yOffset=offset, x="value:Q", color=colour, tooltip=tips)
    zero = alt.Chart(data([{"x": 0}])).mark_rule(color=named("soft"), strokeDash=[3, 3])
    layers = alt.layer(zero.encode(x="x:Q"), lines, dots)
    return sized(
        layers, height=max(80, row_height(labels, ROW + 8 * (len(groups) - 1)) * len(labels))
    )
