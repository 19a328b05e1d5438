"""Bars: differences by query, values by group, and a histogram of expected values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tare.report._charts.encoding import (
    Rows,
    altair,
    full_width,
    inline_data,
    number_tooltip,
    sort_by,
    text_tooltip,
)
from tare.report._theme import CATEGORIES, theme_colour

__all__ = ["difference_bars", "expected_histogram", "grouped_bars"]

BINS = 20
MAX_NAMED_BARS = 30  # bars that are labelled with their query
MAX_LABELS = 40  # labels that fit below the bars


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
            labels=len(labels) <= MAX_LABELS,
            ticks=len(labels) <= MAX_LABELS,
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
