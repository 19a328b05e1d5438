"""Intervals and bars: means of systems, differences of pairs, correlations, values by group."""

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
from tare.report._theme import CATEGORIES, theme_colour

__all__ = [
    "BEST",
    "BETTER",
    "MAX_LABELS",
    "UNTESTED",
    "WORSE",
    "correlation_intervals",
    "difference_bars",
    "expected_histogram",
    "grouped_bars",
    "mean_intervals",
    "pair_intervals",
    "simultaneous_intervals",
]


# Intervals: means of systems, differences of pairs, and correlations of measures.


ROW = 26  # pixels per row
# How a system compares with the best one.
BEST = "best, or not significantly different"
WORSE = "significantly worse"
BETTER = "significantly better on common items"
UNTESTED = "not tested"
CHANCE = "chance"
MAX_LABELS = 60  # rows with a label; more do not fit


def mean_intervals(
    rows: Rows,
    *,
    measure: str,
    interval: str,
    band: tuple[float, float] | None = None,
) -> Any:
    """Draw the mean of each system with its interval, best first, and a tick at the expected score.

    Each row has system, mean, low, high, chance (or None) and state: one of `BEST`, `WORSE`,
    `BETTER` and `UNTESTED`. `band` is shaded; it is the range of the mean of a random ranker (Rankel 2016, fig. 4.1).
    """
    alt = altair()
    given = inline_data(
        {**row, "place": place, "by chance": CHANCE} for place, row in enumerate(rows)
    )
    up = alt.Y(
        "system:N",
        sort=sort_by("place"),
        title=None,
        axis=alt.Axis(grid=True, ticks=False, **wrapped_labels()),
    )
    scale = alt.Scale(zero=False, nice=True)
    ticked = any(row["chance"] is not None for row in rows)
    # One colour per state; a state that no system has is not in the legend.
    present = {*(str(row["state"]) for row in rows), *([CHANCE] if ticked else [])}
    names = {BEST: "accent", WORSE: "quiet", BETTER: "c3", UNTESTED: "c7", CHANCE: "c2"}
    colours = {state: theme_colour(name) for state, name in names.items() if state in present}
    colour = alt.Color(
        "state:N",
        title=None,
        legend=alt.Legend(columns=1),
        scale=alt.Scale(domain=list(colours), range=list(colours.values())),
    )
    tips = [
        text_tooltip("system", "system"),
        number_tooltip("mean", measure),
        number_tooltip("low", f"{interval}, from"),
        number_tooltip("high", "to"),
        number_tooltip("chance", "expected by chance"),
    ]
    bars = alt.Chart(given).mark_rule(strokeWidth=2.5)
    bars = bars.encode(
        y=up,
        x=alt.X("low:Q", title=measure, scale=scale, axis=alt.Axis(tickCount=8)),
        x2="high:Q",
        color=colour,
        tooltip=tips,
    )
    dots = alt.Chart(given).mark_circle(size=95, opacity=1)
    dots = dots.encode(y=up, x=alt.X("mean:Q", scale=scale), color=colour, tooltip=tips)
    layers = [bars, dots]
    if band is not None:
        ends = alt.Chart(inline_data([{"from": band[0], "to": band[1]}]))
        shade = ends.mark_rect(color=theme_colour("c2"), opacity=0.15)
        layers.insert(0, shade.encode(x=alt.X("from:Q", scale=scale), x2="to:Q"))
    if ticked:
        ticks = alt.Chart(given).mark_tick(thickness=2, size=14, opacity=1)
        ticks = ticks.encode(
            y=up, x=alt.X("chance:Q", scale=scale), color=alt.Color("by chance:N"), tooltip=tips
        )
        layers.append(ticks)
    row = row_height((str(r["system"]) for r in rows), ROW)
    return full_width(alt.layer(*layers), height=max(60, row * len(rows)))


def pair_intervals(rows: Rows, *, measure: str, interval: str) -> Any:
    """Draw the difference of each pair with its interval; significant differences are highlighted.

    Each row has pair, difference, low, high, significant and p (Rankel 2016, fig. 4.1; simultaneous
    intervals if the test is Tukey's).
    """
    alt = altair()
    given = inline_data(
        {**row, "place": place, "state": "significant" if row["significant"] else "not significant"}
        for place, row in enumerate(rows)
    )
    up = alt.Y(
        "pair:N",
        sort=sort_by("place"),
        title=None,
        axis=alt.Axis(grid=True, ticks=False, **wrapped_labels(wide=52)),
    )
    states = ["significant", "not significant"]
    colour = alt.Color(
        "state:N",
        title=None,
        scale=alt.Scale(domain=states, range=[theme_colour("accent"), theme_colour("quiet")]),
    )
    tips = [
        text_tooltip("pair", "pair"),
        number_tooltip("difference", f"difference in {measure}", "+.3f"),
        number_tooltip("low", f"{interval}, from", "+.3f"),
        number_tooltip("high", "to", "+.3f"),
        text_tooltip("p", "p-value"),
    ]
    zero = alt.Chart(inline_data([{"x": 0}])).mark_rule(
        color=theme_colour("soft"), strokeDash=[3, 3]
    )
    lines = alt.Chart(given).mark_rule(strokeWidth=2.5)
    lines = lines.encode(
        y=up,
        x=alt.X("low:Q", title="difference", axis=alt.Axis(tickCount=5)),
        x2="high:Q",
        color=colour,
        tooltip=tips,
    )
    dots = alt.Chart(given).mark_circle(size=80, opacity=1)
    dots = dots.encode(y=up, x="difference:Q", color=colour, tooltip=tips)
    layers = alt.layer(zero.encode(x="x:Q"), lines, dots)
    row = row_height((str(r["pair"]) for r in rows), ROW)
    return full_width(layers, height=max(80, row * len(rows)))


def simultaneous_intervals(
    rows: Rows,
    *,
    title: str,
    needed: float | None = None,
    chosen: str | None = None,
) -> Any:
    """Draw means with comparison intervals, coloured by whether they differ from a selected one.

    Each row has name, mean and half (half the width of the interval). With `needed`, the smallest
    significant difference of any pair, half is `needed / 2`. Two intervals that do not overlap differ
    significantly; the reader selects the one to compare with (Rankel 2016, fig. 4.1).
    """
    alt = altair()
    ordered = sorted(rows, key=lambda row: -float(row["mean"]))
    names = [str(row["name"]) for row in ordered]
    halves = [float(row["half"] if needed is None else needed / 2) for row in ordered]
    given = inline_data(
        {**row, "place": k, "half": h, "low": row["mean"] - h, "high": row["mean"] + h}
        for k, (row, h) in enumerate(zip(ordered, halves, strict=True))
    )
    chooser = alt.binding_select(options=names, name="compare with ")
    param = alt.param(name="chosen", value=chosen or names[0], bind=chooser)
    few = len(names) <= MAX_LABELS
    up = alt.Y(
        "name:N",
        sort=sort_by("place"),
        title=None,
        axis=alt.Axis(grid=few, ticks=False, labels=few, **wrapped_labels()),
    )
    base = (
        alt.Chart(given)
        .transform_calculate(
            own="datum.name === chosen ? datum.mean : null",
            width="datum.name === chosen ? datum.half : null",
        )
        .transform_joinaggregate(target="max(own)", reach="max(width)")
        .transform_calculate(
            state="datum.name === chosen ? 'selected' : abs(datum.mean - datum.target) > "
            "datum.half + datum.reach ? 'significantly different' : 'not significantly different'"
        )
    )
    states = ["selected", "significantly different", "not significantly different"]
    colour = alt.Color(
        "state:N",
        title=None,
        legend=alt.Legend(columns=1),
        scale=alt.Scale(
            domain=states, range=[theme_colour("c1"), theme_colour("c2"), theme_colour("quiet")]
        ),
    )
    tips = [
        text_tooltip("name", "name"),
        number_tooltip("mean", title),
        number_tooltip("low", "from"),
        number_tooltip("high", "to"),
        text_tooltip("state", "comparison"),
    ]
    lines = base.mark_rule(strokeWidth=2.5).encode(
        y=up,
        x=alt.X("low:Q", title=title, scale=alt.Scale(zero=False)),
        x2="high:Q",
        color=colour,
        tooltip=tips,
    )
    dots = base.mark_circle(size=85 if few else 20, opacity=1).encode(
        y=up, x="mean:Q", color=colour, tooltip=tips
    )
    height = max(80, row_height(names, 24) * len(names)) if few else 900
    return full_width(alt.layer(lines.add_params(param), dots), height=height)


def correlation_intervals(
    rows: Rows, *, title: str, words: tuple[str, str] = ("measure", "systems")
) -> Any:
    """Draw the correlation of each measure with human judgements, by group of systems.

    Each row has label, group, value, low and high (or None) (Rankel 2016, figs 5.2 to 5.4, 5.7 to 5.9).
    `words` say what label and group are.
    """
    alt = altair()
    groups = list(dict.fromkeys(str(row["group"]) for row in rows))
    labels = list(dict.fromkeys(str(row["label"]) for row in rows))
    place = {label: k for k, label in enumerate(labels)}
    given = inline_data({**row, "place": place[str(row["label"])]} for row in rows)
    up = alt.Y(
        "label:N",
        sort=sort_by("place"),
        title=None,
        axis=alt.Axis(grid=True, ticks=False, **wrapped_labels()),
    )
    offset = alt.YOffset("group:N", sort=groups)
    colours = [theme_colour(CATEGORIES[k % len(CATEGORIES)]) for k in range(len(groups))]
    colour = alt.Color(
        "group:N",
        title=None,
        sort=groups,
        legend=None if len(groups) == 1 else alt.Legend(),
        scale=alt.Scale(domain=groups, range=colours),
    )
    tips = [
        text_tooltip("label", words[0]),
        text_tooltip("group", words[1]),
        number_tooltip("value", title),
        number_tooltip("low", "from"),
        number_tooltip("high", "to"),
    ]
    lines = alt.Chart(given).mark_rule(strokeWidth=2.2)
    lines = lines.encode(
        y=up,
        yOffset=offset,
        x=alt.X("low:Q", title=title, axis=alt.Axis(tickCount=8)),
        x2="high:Q",
        color=colour,
        tooltip=tips,
    )
    dots = alt.Chart(given).mark_circle(size=70, opacity=1)
    dots = dots.encode(y=up, yOffset=offset, x="value:Q", color=colour, tooltip=tips)
    zero = alt.Chart(inline_data([{"x": 0}])).mark_rule(
        color=theme_colour("soft"), strokeDash=[3, 3]
    )
    layers = alt.layer(zero.encode(x="x:Q"), lines, dots)
    return full_width(
        layers, height=max(80, row_height(labels, ROW + 8 * (len(groups) - 1)) * len(labels))
    )


# Bars: differences by query, values by group, and a histogram of expected values.


BINS = 20
MAX_NAMED_BARS = 30  # bars that are labelled with their query
MAX_BAR_LABELS = 40  # labels that fit below the bars


def difference_bars(
    rows: Rows, *, measure: str, systems: Sequence[str], pair: tuple[str, str], most: int = 300
) -> Any:
    """Draw one bar per query: the difference of two systems, largest first.

    Each row has item and the score of each system under its name (None if missing). With more than
    two systems, the reader selects the first and the second one, beginning with `pair`. With more
    than `most` queries, both ends are drawn, which have the largest differences.
    """
    alt = altair()
    place = {system: k for k, system in enumerate(systems)}
    # Fields are numbered, because the name of a system can contain any character.
    given = inline_data(
        {"item": row["item"]} | {f"s{k}": row[system] for system, k in place.items()}
        for row in rows
    )
    labelled = len(rows) <= MAX_NAMED_BARS
    across = alt.X(
        "place:O",
        title="queries, sorted by difference",
        axis=alt.Axis(labels=False, ticks=False, grid=False, domain=False),
        scale=alt.Scale(paddingInner=0.0),
    )
    if labelled:
        across = alt.X(
            "item:N",
            sort=sort_by("place"),
            title=None,
            axis=alt.Axis(labelAngle=-60, labelLimit=170, grid=False),
        )
    states = ["first system higher", "second system higher"]
    colour = alt.Color(
        "state:N",
        title=None,
        scale=alt.Scale(domain=states, range=[theme_colour("c1"), theme_colour("c2")]),
    )
    tips = [
        text_tooltip("item", "query"),
        number_tooltip("difference", "difference", "+.3f"),
        number_tooltip("first", "first system"),
        number_tooltip("second", "second system"),
    ]
    first, second = place[pair[0]], place[pair[1]]
    bars = alt.Chart(given)
    if len(systems) > 2:
        options = {"options": list(place.values()), "labels": list(place)}
        chosen = [
            alt.param(
                name="first_system",
                value=first,
                bind=alt.binding_select(**options, name="first system "),
            ),
            alt.param(
                name="second_system",
                value=second,
                bind=alt.binding_select(**options, name="second system "),
            ),
        ]
        bars = bars.add_params(*chosen)
        fields = ("datum['s' + first_system]", "datum['s' + second_system]")
    else:
        fields = (f"datum.s{first}", f"datum.s{second}")
    bars = (
        bars.mark_bar()
        .transform_calculate(first=fields[0], second=fields[1])
        .transform_filter("isValid(datum.first) && isValid(datum.second)")
        .transform_calculate(difference="datum.first - datum.second")
        .transform_calculate(state=f"datum.difference > 0 ? '{states[0]}' : '{states[1]}'")
        .transform_window(
            place="row_number()", sort=[alt.SortField("difference", order="descending")]
        )
        .transform_joinaggregate(drawn="count()")
        .transform_filter(
            f"datum.place <= {most // 2} || datum.place > datum.drawn - {most - most // 2}"
        )
    )
    up = alt.Y("difference:Q", title=f"difference in {measure}", axis=alt.Axis(format="+.1f"))
    bars = bars.encode(x=across, y=up, color=colour, tooltip=tips)
    zero = alt.Chart(inline_data([{"y": 0}])).mark_rule(color=theme_colour("soft")).encode(y="y:Q")
    return full_width(alt.layer(bars, zero), height=280)


def expected_histogram(values: Mapping[str, Sequence[float]]) -> Any:
    """Draw the number of queries by expected value; with several measures the reader selects one.

    `values` has the expected values of the queries by measure (Feng and Karmaker 2023, figs 2 and 3).
    """
    alt = altair()
    rows = []
    for measure, found in values.items():
        known = np.asarray(found, dtype=np.float64)
        known = known[np.isfinite(known)]
        counts, edges = np.histogram(np.clip(known, 0, 1), bins=BINS, range=(0, 1))
        rows += [
            {"measure": measure, "from": float(a), "to": float(b), "queries": int(n)}
            for n, a, b in zip(counts, edges[:-1], edges[1:], strict=True)
        ]
    bars = alt.Chart(inline_data(rows)).mark_bar(
        color=theme_colour("c1"), stroke=theme_colour("card")
    )
    bars = bars.encode(
        x=alt.X("from:Q", bin="binned", title="expected value under chance"),
        x2="to:Q",
        y=alt.Y("queries:Q", title="queries", axis=alt.Axis(tickMinStep=1)),
        tooltip=[
            number_tooltip("from", "from", ".2f"),
            number_tooltip("to", "to", ".2f"),
            number_tooltip("queries", "queries", "d"),
        ],
    )
    if len(values) > 1:
        chooser = alt.binding_select(options=list(values), name="measure ")
        chosen = alt.param(name="measure", value=next(iter(values)), bind=chooser)
        bars = bars.add_params(chosen).transform_filter("datum.measure === measure")
    return full_width(bars, height=220)


def grouped_bars(
    rows: Rows,
    *,
    x: str,
    y: str,
    groups: Sequence[str] | None = None,
    side_by_side: bool = True,
) -> Any:
    """Draw bars with one colour per group, and whiskers if rows have a standard deviation.

    Each row has label, group, value and optionally deviation (Feng 2023, figs 8.2 and 8.3). Without
    `side_by_side`, each label has one bar in the colour of its group.
    """
    alt = altair()
    names = list(groups or dict.fromkeys(str(row["group"]) for row in rows))
    labels = list(dict.fromkeys(str(row["label"]) for row in rows))
    place = {label: k for k, label in enumerate(labels)}
    given = inline_data(
        {
            **row,
            "place": place[str(row["label"])],
            "low": None if row.get("deviation") is None else row["value"] - row["deviation"],
            "high": None if row.get("deviation") is None else row["value"] + row["deviation"],
        }
        for row in rows
    )
    across = alt.X(
        "label:N",
        sort=sort_by("place"),
        title=x,
        axis=alt.Axis(
            labelAngle=0 if len(labels) < 8 else -50,
            labelLimit=110,
            grid=False,
            labels=len(labels) <= MAX_BAR_LABELS,
            ticks=len(labels) <= MAX_BAR_LABELS,
        ),
    )
    offset = {"xOffset": alt.XOffset("group:N", sort=names)} if side_by_side else {}
    colours = [theme_colour(CATEGORIES[k % len(CATEGORIES)]) for k in range(len(names))]
    colour = alt.Color(
        "group:N",
        title=None,
        sort=names,
        legend=None if len(names) == 1 else alt.Legend(),
        scale=alt.Scale(domain=names, range=colours),
    )
    spread = any(row.get("deviation") is not None for row in rows)
    tips = [text_tooltip("label", x), text_tooltip("group", "group"), number_tooltip("value", y)]
    tips += [number_tooltip("deviation", "standard deviation")] if spread else []
    bars = (
        alt.Chart(given)
        .mark_bar()
        .encode(x=across, y=alt.Y("value:Q", title=y), **offset, color=colour, tooltip=tips)
    )
    layers = [bars]
    if spread:
        whiskers = alt.Chart(given).mark_rule(color=theme_colour("ink"))
        layers.append(whiskers.encode(x=across, y=alt.Y("low:Q", title=y), y2="high:Q", **offset))
    return full_width(alt.layer(*layers), height=280)
