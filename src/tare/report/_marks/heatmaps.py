"""Heat maps: correlations, scores by system and item, and repeated judgements."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

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
from tare.report._theme import theme_colour

__all__ = ["contingency", "correlation_heatmap", "score_matrix"]


# Colours that work on light and dark backgrounds; text on them is dark or white.
DIVERGING = ["#a8430b", "#e79a62", "#f3ece3", "#74aed3", "#14588f"]
RISING = ["#ebdcc4", "#9fc9d6", "#3f8fa8", "#0b4f5e"]
GAP = " "  # label of the empty row between machines and people
MISSING = "missing"
CROSS = "M-0.5,-0.5L0.5,0.5M0.5,-0.5L-0.5,0.5"
STRIP = 8  # height of the strip of attributes, in pixels


def correlation_heatmap(rows: Rows, *, title: str = "τ", order: Sequence[str] | None = None) -> Any:
    """Draw one cell per pair of measures, coloured and labelled by their correlation.

    Each row has first, second and value.
    """
    alt = altair()
    across = list(order or dict.fromkeys(str(row["first"]) for row in rows))
    down = list(order or dict.fromkeys(str(row["second"]) for row in rows))
    x = alt.X(
        "first:N",
        sort=sort_by("column"),
        title=None,
        axis=alt.Axis(labelAngle=-45, labelLimit=190, grid=False, ticks=False, domain=False),
    )
    y = alt.Y(
        "second:N",
        sort=sort_by("line"),
        title=None,
        axis=alt.Axis(grid=False, ticks=False, domain=False, **wrapped_labels()),
    )
    scale = alt.Scale(
        domain=[-1, -0.5, 0, 0.5, 1], range=DIVERGING, type="linear", clamp=True, interpolate="rgb"
    )
    tips = [
        text_tooltip("first", "first"),
        text_tooltip("second", "second"),
        number_tooltip("value", title),
    ]
    columns = {name: place for place, name in enumerate(across)}
    lines = {name: place for place, name in enumerate(down)}
    base = alt.Chart(
        inline_data(
            {**row, "column": columns[row["first"]], "line": lines[row["second"]]} for row in rows
        )
    )
    cells = base.mark_rect(cornerRadius=2, stroke=theme_colour("card"), strokeWidth=1.5)
    labelled = len(across) <= 14
    legend = None if labelled else alt.Legend(title=title, gradientLength=140)
    cells = cells.encode(
        x=x, y=y, color=alt.Color("value:Q", scale=scale, legend=legend), tooltip=tips
    )
    light = alt.condition("abs(datum.value) > 0.72", alt.value("#ffffff"), alt.value("#1d2329"))
    text = (
        base.transform_filter("datum.value !== null")
        .mark_text(fontSize=11)
        .encode(x=x, y=y, text=alt.Text("value:Q", format=".2f"), color=light, tooltip=tips)
    )
    layers = [cells, text] if labelled else [cells]
    return full_width(alt.layer(*layers), height=max(120, row_height(down, 36) * len(down)))


def score_matrix(
    rows: Rows,
    *,
    measure: str,
    systems: Sequence[str],
    items: Sequence[str],
    what: str = "queries",
    attribute: str = "attribute",
    labels: bool = False,
) -> Any:
    """Draw scores by system and item as colours.

    Each row has system, item and value (None if missing), and optionally human and attribute. Missing
    cells are crossed out, people are below a gap, and attributes are in a strip below the matrix. The
    reader sorts the items by score (as given), by name or by attribute (Rankel 2016, figs 3.1, 4.2 to
    4.5). `attribute` is the name of the attribute. With `labels`, the items are named below the matrix.
    """
    alt = altair()
    kinds = {row["item"]: row.get("attribute") for row in rows}
    grouped = any(value is not None for value in kinds.values())
    orders = {"by score": list(items), "by name": sorted(items)}
    if grouped:
        orders["by attribute"] = sorted(items, key=lambda i: (str(kinds.get(i)), items.index(i)))
    places = {order: {name: k for k, name in enumerate(names)} for order, names in orders.items()}
    fields = {order: order.replace(" ", "_") for order in orders}

    def placed(row: Mapping[str, Any]) -> dict[str, Any]:
        return {**row, **{fields[o]: places[o][row["item"]] for o in orders}}

    cases = "".join(f"order === '{o}' ? datum.{fields[o]} : " for o in list(orders)[1:])
    chooser = alt.binding_select(options=list(orders), name=f"{what} ")
    order = alt.param(name="order", value="by score", bind=chooser)
    column = {"column": f"{cases}datum.by_score"}
    people = {row["system"] for row in rows if row.get("human")}
    machines = [s for s in systems if s not in people]
    # An empty row separates people from machines.
    row_names = [
        *machines,
        *([GAP] if people and machines else []),
        *(s for s in systems if s in people),
    ]
    height = max(60, row_height(systems, min(18, 900 // max(1, len(row_names)))) * len(row_names))
    named = (
        {
            "labelAngle": -90,
            "labelLimit": 120,
            "labelFontSize": 10,
            "labelOverlap": True,
            "labelExpr": _item_label(orders),
        }
        if labels
        else {}
    )
    axis = alt.Axis(
        labels=labels,
        ticks=False,
        grid=False,
        domain=False,
        titlePadding=STRIP + 14 if grouped else 8,
        **named,
    )
    x = alt.X("column:O", title=what, axis=axis)
    y = alt.Y(
        "system:N",
        title=None,
        scale=alt.Scale(domain=row_names),
        axis=alt.Axis(grid=False, ticks=False, domain=False, **wrapped_labels()),
    )
    tips = [
        text_tooltip("system", "system"),
        text_tooltip("item", "item"),
        number_tooltip("value", measure),
    ]
    tips += [text_tooltip("attribute", attribute)] if grouped else []
    known = [row for row in rows if row["value"] is not None]
    values = [float(row["value"]) for row in known]
    low, high = min(values, default=0.0), max(values, default=1.0)
    domain = [low + (high - low) * k / (len(RISING) - 1) for k in range(len(RISING))]
    scale = alt.Scale(domain=domain, range=RISING, type="linear", interpolate="rgb")
    colour = alt.Color(
        "value:Q", title=measure, scale=scale, legend=alt.Legend(gradientLength=140, orient="top")
    )
    cells = alt.Chart(inline_data(map(placed, known))).transform_calculate(**column).mark_rect()
    layers = [cells.encode(x=x, y=y, color=colour, tooltip=tips).add_params(order)]
    missing = [{**placed(row), "state": MISSING} for row in rows if row["value"] is None]
    if missing:
        crosses = alt.Chart(inline_data(missing)).transform_calculate(**column)
        crosses = crosses.mark_point(
            filled=False, size=70, strokeWidth=1, opacity=1, color=theme_colour("quiet")
        )
        sign = alt.Shape(
            "state:N",
            title=None,
            scale=alt.Scale(domain=[MISSING], range=[CROSS]),
            legend=alt.Legend(orient="top", symbolStrokeWidth=1.2),
        )
        layers.append(
            crosses.encode(
                x=x, y=y, shape=sign, tooltip=[*tips[:2], text_tooltip("state", "score")]
            )
        )
    if people and machines:
        label = alt.Chart(inline_data([{"system": GAP, "label": "people"}]))
        label = label.mark_text(
            align="left", fontStyle="italic", color=theme_colour("soft"), baseline="middle"
        )
        layers.append(label.encode(y=y, x=alt.value(2), text="label:N"))
    if grouped:
        strip = [{"item": i, "attribute": str(kinds.get(i)), "value": None} for i in items]
        strip_chart = alt.Chart(inline_data(map(placed, strip))).transform_calculate(**column)
        strip_chart = strip_chart.mark_rect(height=STRIP).encode(
            x=x,
            y=alt.value(height + STRIP),
            tooltip=[text_tooltip("item", "item"), text_tooltip("attribute", attribute)],
            fill=alt.Fill("attribute:N", title=attribute, legend=alt.Legend(orient="bottom")),
        )
        layers.append(strip_chart)
    whole = alt.layer(*layers).resolve_scale(
        color="independent", fill="independent", shape="independent"
    )
    return full_width(whole, height=height)


def _item_label(orders: Mapping[str, Sequence[str]]) -> str:
    """Return a Vega expression for the name of the item in a column, in the order of the reader."""
    lists = {order: json.dumps(list(names)) for order, names in orders.items()}
    first, *rest = lists
    cases = "".join(f"order === '{o}' ? {lists[o]}[datum.value] : " for o in rest)
    return f"{cases}{lists[first]}[datum.value]"


def contingency(rows: Rows, *, columns: int = 3) -> Any:
    """Draw one small matrix per assessor: first judgement against second judgement.

    Each row has assessor, first, second and count (Rankel 2016, figs 6.1 and 6.2). On the diagonal
    the two judgements are equal.
    """
    alt = altair()
    most = max((float(row["count"]) for row in rows), default=1.0)
    domain = [most * k / (len(RISING) - 1) for k in range(len(RISING))]
    base = alt.Chart(inline_data(rows))
    x = alt.X("first:O", title="first judgement", axis=alt.Axis(labelAngle=0, grid=False))
    y = alt.Y("second:O", title="second judgement", sort="descending", axis=alt.Axis(grid=False))
    tips = [
        text_tooltip("assessor", "assessor"),
        text_tooltip("first", "first judgement"),
        text_tooltip("second", "second judgement"),
        number_tooltip("count", "count", "d"),
    ]
    cells = base.mark_rect(stroke=theme_colour("card")).encode(
        x=x,
        y=y,
        tooltip=tips,
        color=alt.Color(
            "count:Q", legend=None, scale=alt.Scale(domain=domain, range=RISING, type="linear")
        ),
    )
    light = alt.condition(f"datum.count > {0.6 * most}", alt.value("#ffffff"), alt.value("#1d2329"))
    text = base.mark_text(fontSize=10).encode(x=x, y=y, text="count:Q", color=light)
    small = alt.layer(cells, text).properties(width=130, height=130)
    return small.facet(
        facet=alt.Facet(
            "assessor:N", title=None, header=alt.Header(labelColor=theme_colour("ink"))
        ),
        columns=columns,
    )
