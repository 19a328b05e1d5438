"""Two orders of the same systems, and groups of documents beside one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tare.report._charts.drawing import altair, by, data, number, row_height, shown, sized, wrapped
from tare.report._theme import CATEGORIES, named

__all__ = ["grouped_bars", "overlaid_orders", "simultaneous_intervals"]

MOST_LABELS = 40  # names that fit beneath bars
MOST_NAMES = 60  # names that fit beside intervals, one below the other


def overlaid_orders(
    rows: Sequence[Mapping[str, Any]], *, first: str, second: str, tau: float | None = None
) -> Any:
    """Systems ordered by one measure, the other drawn over it, τ in the corner.

    rows: system, first, second (Chandar and Carterette 2013, figs 2, 4 and 5).
    """
    alt = altair()
    ordered = sorted(rows, key=lambda row: -float(row["first"]))
    given = data(
        {"system": row["system"], "place": place, "measure": name, "value": row[key]}
        for place, row in enumerate(ordered)
        for key, name in (("first", first), ("second", second))
    )
    x = alt.X("system:N", sort=by("place"), title=f"systems, by {first}", axis=alt.Axis(labels=len(rows) <= 30, labelAngle=-60, labelLimit=170, grid=False, ticks=False))  # fmt: skip
    y = alt.Y("value:Q", title="mean", scale=alt.Scale(zero=False))
    colour = alt.Color("measure:N", title=None, sort=[first, second], scale=alt.Scale(domain=[first, second], range=[named("c1"), named("c2")]))  # fmt: skip
    tips = [shown("system", "system"), shown("measure", "measure"), number("value", "mean")]
    base = alt.Chart(given).encode(x=x, y=y, color=colour, tooltip=tips)
    layers = [base.mark_line(strokeWidth=1.5), base.mark_circle(size=55, opacity=1)]
    if tau is not None:
        words = alt.Chart(data([{"t": f"τ = {tau:.2f}".replace("-", "−")}]))
        words = words.mark_text(align="right", baseline="top", fontSize=14, fontWeight=600, dx=-6, dy=6)  # fmt: skip
        layers.append(words.encode(text="t:N", x=alt.value("width"), y=alt.value(0)))
    return sized(alt.layer(*layers), height=300)


def grouped_bars(
    rows: Sequence[Mapping[str, Any]],
    *,
    x: str,
    y: str,
    groups: Sequence[str] | None = None,
    beside: bool = True,
) -> Any:
    """Bars side by side, one colour a group, with whiskers where rows have a deviation.

    rows: label, group, value, and deviation (or none). For documents by how much their order
    matters, and the mean similarity of tokens to documents (Feng 2023, figs 8.2 and 8.3). Without
    `beside` a label has one bar, coloured by its group.
    """
    alt = altair()
    names = list(groups or dict.fromkeys(str(row["group"]) for row in rows))
    labels = list(dict.fromkeys(str(row["label"]) for row in rows))
    place = {label: k for k, label in enumerate(labels)}
    given = data(
        {
            **row,
            "place": place[str(row["label"])],
            "low": None if row.get("deviation") is None else row["value"] - row["deviation"],
            "high": None if row.get("deviation") is None else row["value"] + row["deviation"],
        }
        for row in rows
    )
    across = alt.X("label:N", sort=by("place"), title=x, axis=alt.Axis(labelAngle=0 if len(labels) < 8 else -50, labelLimit=110, grid=False, labels=len(labels) <= MOST_LABELS, ticks=len(labels) <= MOST_LABELS))  # fmt: skip
    offset = {"xOffset": alt.XOffset("group:N", sort=names)} if beside else {}
    colours = [named(CATEGORIES[k % len(CATEGORIES)]) for k in range(len(names))]
    colour = alt.Color("group:N", title=None, sort=names, legend=None if len(names) == 1 else alt.Legend(), scale=alt.Scale(domain=names, range=colours))  # fmt: skip
    spread = any(row.get("deviation") is not None for row in rows)
    tips = [shown("label", x), shown("group", "group"), number("value", y)]
    tips += [number("deviation", "deviation")] if spread else []
    bars = alt.Chart(given).mark_bar().encode(x=across, y=alt.Y("value:Q", title=y), **offset, color=colour, tooltip=tips)  # fmt: skip
    layers = [bars]
    if spread:
        whiskers = alt.Chart(given).mark_rule(color=named("ink"))
        layers.append(whiskers.encode(x=across, y=alt.Y("low:Q", title=y), y2="high:Q", **offset))  # fmt: skip
    return sized(alt.layer(*layers), height=280)


def simultaneous_intervals(
    rows: Sequence[Mapping[str, Any]],
    *,
    title: str,
    needed: float | None = None,
    chosen: str | None = None,
) -> Any:
    """Means with comparison intervals; those that differ from a chosen one are coloured.

    rows: name, mean, and half (half the width of the interval); without it half of `needed`, the
    difference that is significant for any two. Two that do not overlap differ significantly; the
    reader chooses the one to compare with (Rankel 2016, fig. 4.1).
    """
    alt = altair()
    ordered = sorted(rows, key=lambda row: -float(row["mean"]))
    names = [str(row["name"]) for row in ordered]
    halves = [float(row["half"] if needed is None else needed / 2) for row in ordered]
    given = data(
        {**row, "place": k, "half": h, "low": row["mean"] - h, "high": row["mean"] + h}
        for k, (row, h) in enumerate(zip(ordered, halves, strict=True))
    )
    chooser = alt.binding_select(options=names, name="compare with ")
    param = alt.param(name="chosen", value=chosen or names[0], bind=chooser)
    few = len(names) <= MOST_NAMES
    up = alt.Y("name:N", sort=by("place"), title=None, axis=alt.Axis(grid=few, ticks=False, labels=few, **wrapped()))  # fmt: skip
    base = (
        alt.Chart(given)
        .transform_calculate(
            own="datum.name === chosen ? datum.mean : null",
            width="datum.name === chosen ? datum.half : null",
        )
        .transform_joinaggregate(target="max(own)", reach="max(width)")
        .transform_calculate(
            state="datum.name === chosen ? 'chosen' : abs(datum.mean - datum.target) > "
            "datum.half + datum.reach ? 'differs' : 'does not differ'"
        )
    )
    states = ["chosen", "differs", "does not differ"]
    colour = alt.Color("state:N", title=None, scale=alt.Scale(domain=states, range=[named("c1"), named("c2"), named("quiet")]))  # fmt: skip
    tips = [shown("name", "name"), number("mean", title), number("low", "from"), number("high", "to"), shown("state", "")]  # fmt: skip
    lines = base.mark_rule(strokeWidth=2.5).encode(y=up, x=alt.X("low:Q", title=title, scale=alt.Scale(zero=False)), x2="high:Q", color=colour, tooltip=tips)  # fmt: skip
    dots = base.mark_circle(size=85 if few else 20, opacity=1).encode(y=up, x="mean:Q", color=colour, tooltip=tips)  # fmt: skip
    height = max(80, row_height(names, 24) * len(names)) if few else 900
    return sized(alt.layer(lines.add_params(param), dots), height=height)
