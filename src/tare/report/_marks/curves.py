"""Curves and scatter plots: one number against another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tare.report._encoding import (
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
from tare.report._theme import CATEGORIES, KINDS, theme_colour

__all__ = [
    "asl_curves",
    "curves",
    "differences_by_group",
    "human_machine_gap",
    "score_against_chance",
]


# Curves: one number against another, with a band for the error.


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


# Scatter plots: queries against chance, measures against people, differences by group.


ROW = 30  # pixels per group
ALL_SYSTEMS = "mean of all systems"
MACHINE, PERSON = "machine", "person"


def differences_by_group(rows: Rows, *, title: str) -> Any:
    """Draw one row per group: a tick per difference, and a dot at their mean.

    Each row has group, item and difference. For assessors the difference is manual minus automatic
    pyramid score (Rankel 2016, fig. 6.3).
    """
    alt = altair()
    groups = list(dict.fromkeys(str(row["group"]) for row in rows))
    place = {group: k for k, group in enumerate(groups)}
    given = inline_data(
        {**row, "place": place[str(row["group"])], "state": "one item"} for row in rows
    )
    means = []
    for group in groups:
        own = [float(row["difference"]) for row in rows if str(row["group"]) == group]
        means.append(
            {
                "group": group,
                "place": place[group],
                "mean": sum(own) / len(own),
                "n": len(own),
                "state": "mean",
            }
        )
    up = alt.Y(
        "group:N",
        sort=sort_by("place"),
        title=None,
        axis=alt.Axis(grid=True, ticks=False, **wrapped_labels()),
    )
    states = ["one item", "mean"]
    colour = alt.Color(
        "state:N",
        title=None,
        scale=alt.Scale(domain=states, range=[theme_colour("c1"), theme_colour("c2")]),
    )
    ticks = alt.Chart(given).mark_tick(opacity=0.45, size=16)
    ticks = ticks.encode(
        color=colour,
        x=alt.X("difference:Q", title=title),
        y=up,
        tooltip=[
            text_tooltip("group", "group"),
            text_tooltip("item", "item"),
            number_tooltip("difference", title, "+.3f"),
        ],
    )
    dots = alt.Chart(inline_data(means)).mark_circle(size=110, opacity=1)
    dots = dots.encode(
        color=colour,
        x="mean:Q",
        y=up,
        tooltip=[
            text_tooltip("group", "group"),
            number_tooltip("mean", "mean", "+.3f"),
            number_tooltip("n", "n", "d"),
        ],
    )
    zero = alt.Chart(inline_data([{"x": 0}])).mark_rule(
        color=theme_colour("soft"), strokeDash=[3, 3]
    )
    return full_width(
        alt.layer(zero.encode(x="x:Q"), ticks, dots),
        height=max(80, row_height(groups, ROW) * len(groups)),
    )


def human_machine_gap(rows: Rows, *, automatic: str, human: str) -> Any:
    """Draw one dot per system, people marked, and a line fitted to the machines only.

    Each row has system, automatic, human and person (bool). The gap is the vertical distance of a
    person from the line (Rankel 2016, figs 5.1 and 5.6).
    """
    alt = altair()
    given = [{**row, "who": PERSON if row["person"] else MACHINE} for row in rows]
    across = alt.X("automatic:Q", title=automatic, scale=alt.Scale(zero=False))
    up = alt.Y("human:Q", title=human, scale=alt.Scale(zero=False))
    who = [w for w in (MACHINE, PERSON) if any(row["who"] == w for row in given)]
    colours = {MACHINE: theme_colour("c1"), PERSON: theme_colour("c2")}
    colour = alt.Color(
        "who:N", title=None, scale=alt.Scale(domain=who, range=[colours[w] for w in who])
    )
    shape = alt.Shape(
        "who:N",
        title=None,
        scale=alt.Scale(
            domain=who, range=[{MACHINE: "circle", PERSON: "triangle-up"}[w] for w in who]
        ),
    )
    tips = [
        text_tooltip("system", "system"),
        number_tooltip("automatic", automatic),
        number_tooltip("human", human),
    ]
    layers = []
    machines = np.array([(r["automatic"], r["human"]) for r in given if r["who"] == MACHINE])
    if len(machines) > 1 and np.ptp(machines[:, 0]) > 0:
        slope, start = np.polyfit(machines[:, 0], machines[:, 1], 1)
        ends = [
            min(float(r["automatic"]) for r in given),
            max(float(r["automatic"]) for r in given),
        ]
        line = [{"x": x, "y": float(start + slope * x)} for x in ends]
        fit = alt.Chart(inline_data(line)).mark_line(color=theme_colour("soft"), strokeDash=[5, 4])
        layers.append(fit.encode(x="x:Q", y="y:Q"))
        gaps = [
            {
                "x": r["automatic"],
                "y": float(start + slope * r["automatic"]),
                "y2": r["human"],
                "gap": float(r["human"] - start - slope * r["automatic"]),
                "system": r["system"],
            }
            for r in given
            if r["who"] == PERSON
        ]
        if gaps:
            drop = alt.Chart(inline_data(gaps)).mark_rule(color=theme_colour("c2"), opacity=0.55)
            layers.append(
                drop.encode(
                    x="x:Q",
                    y="y:Q",
                    y2="y2:Q",
                    tooltip=[
                        text_tooltip("system", "system"),
                        number_tooltip("gap", "gap", "+.3f"),
                    ],
                )
            )
    dots = alt.Chart(inline_data(given)).mark_point(filled=True, size=80, opacity=0.9)
    layers.append(dots.encode(x=across, y=up, color=colour, shape=shape, tooltip=tips))
    return full_width(alt.layer(*layers), height=380)


def score_against_chance(
    rows: Rows,
    *,
    measure: str,
    low: float = 0.3,
    high: float = 0.7,
    margin: float = 0.2,
) -> Any:
    """Draw one dot per query: its score against its expected value, coloured by the kind of query.

    Each row has system, item, score, chance and kind; with several systems the reader selects one. On
    the diagonal, a score equals what chance would score (Feng and Karmaker 2023, fig. 1).
    """
    alt = altair()
    systems = list(dict.fromkeys(str(row["system"]) for row in rows))
    lowest = min([0.0, *(float(row["score"]) for row in rows)])
    across = alt.X(
        "chance:Q",
        title="expected value under chance",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(tickCount=6),
    )
    up = alt.Y("score:Q", title=measure, scale=alt.Scale(domain=[lowest, 1]))
    kinds = [kind for kind in KINDS if any(row["kind"] == kind for row in rows)]
    areas = [
        {
            "x": 0,
            "x2": low,
            "y": lowest,
            "y2": low,
            "label": "hard",
            "lx": low - 0.05,
            "ly": lowest,
        },
        {"x": high, "x2": 1, "y": high, "y2": 1, "label": "easy", "lx": high + 0.01, "ly": 0.94},
    ]
    line = [{"x": 0, "y": 0, "y2": margin}, {"x": 1 - margin, "y": 1 - margin, "y2": 1}]
    whole = [{"x": 0, "y": 0}, {"x": 1, "y": 1}]
    shade = alt.Chart(inline_data(areas)).mark_rect(color=theme_colour("quiet"), opacity=0.13)
    shade = shade.encode(x="x:Q", x2="x2:Q", y="y:Q", y2="y2:Q")
    area_labels = alt.Chart(inline_data(areas)).mark_text(
        align="left", baseline="bottom", dy=-4, dx=3, color=theme_colour("soft"), fontStyle="italic"
    )
    area_labels = area_labels.encode(x="lx:Q", y="ly:Q", text="label:N")
    diagonal = alt.Chart(inline_data(whole)).mark_line(color=theme_colour("soft"), strokeWidth=1.5)
    diagonal = diagonal.encode(x="x:Q", y="y:Q")
    raised = alt.Chart(inline_data(line)).mark_line(
        color=theme_colour("quiet"), strokeDash=[4, 4], strokeWidth=1.2
    )
    raised = raised.encode(x="x:Q", y="y2:Q")
    line_names = [
        {"x": 0.61, "y": 0.56, "t": "chance"},
        {"x": 0.34, "y": 0.965, "t": "informative"},
    ]
    line_labels = alt.Chart(inline_data(line_names)).mark_text(
        align="left", color=theme_colour("soft"), fontStyle="italic", dx=4
    )
    line_labels = line_labels.encode(x="x:Q", y="y:Q", text="t:N")
    dots = alt.Chart(inline_data(rows)).mark_circle(size=60, opacity=0.85)
    colour = alt.Color(
        "kind:N",
        title=None,
        scale=alt.Scale(domain=kinds, range=[theme_colour(KINDS[kind]) for kind in kinds]),
    )
    tips = [
        text_tooltip("item", "query"),
        text_tooltip("kind", "kind"),
        number_tooltip("score", measure),
        number_tooltip("chance", "expected by chance"),
    ]
    dots = dots.encode(x=across, y=up, color=colour, tooltip=tips)
    if len(systems) > 1:
        chooser = alt.binding_select(options=systems, name="system ")
        chosen = alt.param(name="system", value=systems[0], bind=chooser)
        dots = dots.add_params(chosen).transform_filter("datum.system === system")
    return full_width(
        alt.layer(shade, diagonal, raised, area_labels, line_labels, dots), height=400
    )
