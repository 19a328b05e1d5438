"""Heat maps: correlations of measures, and the whole score matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tare.report._charts.drawing import altair, by, data, number, row_height, shown, sized, wrapped
from tare.report._theme import named

__all__ = ["correlation_heatmap", "score_matrix"]

# Colours that read the same on light and on dark paper; letters on them are dark or white.
DIVERGING = ["#a8430b", "#e79a62", "#f3ece3", "#74aed3", "#14588f"]
RISING = ["#ebdcc4", "#9fc9d6", "#3f8fa8", "#0b4f5e"]

GAP = " "  # the name of the row between machines and people
MISSING = "missing"
CROSS = "M-0.5,-0.5L0.5,0.5M0.5,-0.5L-0.5,0.5"
STRIP = 8  # pixels of the strip of attributes


def correlation_heatmap(
    rows: Sequence[Mapping[str, Any]], *, title: str = "τ", order: Sequence[str] | None = None
) -> Any:
    """A cell a pair of measures, coloured and lettered by its correlation.

    rows: first, second, value.
    """
    alt = altair()
    across = list(order or dict.fromkeys(str(row["first"]) for row in rows))
    down = list(order or dict.fromkeys(str(row["second"]) for row in rows))
    x = alt.X("first:N", sort=by("column"), title=None, axis=alt.Axis(labelAngle=-45, labelLimit=190, grid=False, ticks=False, domain=False))  # fmt: skip
    y = alt.Y("second:N", sort=by("line"), title=None, axis=alt.Axis(grid=False, ticks=False, domain=False, **wrapped()))  # fmt: skip
    scale = alt.Scale(
        domain=[-1, -0.5, 0, 0.5, 1], range=DIVERGING, type="linear", clamp=True, interpolate="rgb"
    )
    tips = [shown("first", "one"), shown("second", "other"), number("value", title)]
    columns = {name: place for place, name in enumerate(across)}
    lines = {name: place for place, name in enumerate(down)}
    base = alt.Chart(
        data({**row, "column": columns[row["first"]], "line": lines[row["second"]]} for row in rows)
    )
    cells = base.mark_rect(cornerRadius=2, stroke=named("card"), strokeWidth=1.5)
    lettered = len(across) <= 14
    legend = None if lettered else alt.Legend(title=title, gradientLength=140)
    cells = cells.encode(x=x, y=y, color=alt.Color("value:Q", scale=scale, legend=legend), tooltip=tips)  # fmt: skip
    light = alt.condition("abs(datum.value) > 0.72", alt.value("#ffffff"), alt.value("#1d2329"))
    text = base.transform_filter("datum.value !== null").mark_text(fontSize=11).encode(x=x, y=y, text=alt.Text("value:Q", format=".2f"), color=light, tooltip=tips)  # fmt: skip
    layers = [cells, text] if lettered else [cells]
    return sized(alt.layer(*layers), height=max(120, row_height(down, 36) * len(down)))


def score_matrix(
    rows: Sequence[Mapping[str, Any]],
    *,
    measure: str,
    systems: Sequence[str],
    items: Sequence[str],
    what: str = "queries",
    attribute: str = "attribute",
) -> Any:
    """Items × systems as colours: missing cells crossed, people below a gap, attributes in a strip.

    rows: system, item, value (None where missing), and human, attribute (or None). The reader orders
    the items by score (as they are given), by name, or by attribute (Rankel 2016, figs 3.1, 4.2 to
    4.5). `attribute` is what the attribute is called.
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
    # A row without a name keeps people apart from machines.
    shown_rows = [*machines, *([GAP] if people and machines else []), *(s for s in systems if s in people)]  # fmt: skip
    height = max(60, row_height(systems, min(18, 900 // max(1, len(shown_rows)))) * len(shown_rows))
    axis = alt.Axis(labels=False, ticks=False, grid=False, domain=False, titlePadding=STRIP + 14 if grouped else 8)  # fmt: skip
    x = alt.X("column:O", title=what, axis=axis)
    y = alt.Y("system:N", title=None, scale=alt.Scale(domain=shown_rows), axis=alt.Axis(grid=False, ticks=False, domain=False, **wrapped()))  # fmt: skip
    tips = [shown("system", "system"), shown("item", "item"), number("value", measure)]
    tips += [shown("attribute", attribute)] if grouped else []
    known = [row for row in rows if row["value"] is not None]
    values = [float(row["value"]) for row in known]
    low, high = min(values, default=0.0), max(values, default=1.0)
    domain = [low + (high - low) * k / (len(RISING) - 1) for k in range(len(RISING))]
    scale = alt.Scale(domain=domain, range=RISING, type="linear", interpolate="rgb")
    colour = alt.Color("value:Q", title=measure, scale=scale, legend=alt.Legend(gradientLength=140, orient="top"))  # fmt: skip
    cells = alt.Chart(data(map(placed, known))).transform_calculate(**column).mark_rect()
    layers = [cells.encode(x=x, y=y, color=colour, tooltip=tips).add_params(order)]
    missing = [{**placed(row), "state": MISSING} for row in rows if row["value"] is None]
    if missing:
        crosses = alt.Chart(data(missing)).transform_calculate(**column)
        crosses = crosses.mark_point(
            filled=False, size=70, strokeWidth=1, opacity=1, color=named("quiet")
        )
        sign = alt.Shape("state:N", title=None, scale=alt.Scale(domain=[MISSING], range=[CROSS]), legend=alt.Legend(orient="top", symbolStrokeWidth=1.2))  # fmt: skip
        layers.append(crosses.encode(x=x, y=y, shape=sign, tooltip=[*tips[:2], shown("state", "")]))
    if people and machines:
        word = alt.Chart(data([{"system": GAP, "word": "people"}]))
        word = word.mark_text(align="left", fontStyle="italic", color=named("soft"), baseline="middle")  # fmt: skip
        layers.append(word.encode(y=y, x=alt.value(2), text="word:N"))
    if grouped:
        strip = [{"item": i, "attribute": str(kinds.get(i)), "value": None} for i in items]
        beside = alt.Chart(data(map(placed, strip))).transform_calculate(**column)
        beside = beside.mark_rect(height=STRIP).encode(
            x=x, y=alt.value(height + STRIP), tooltip=[shown("item", "item"), shown("attribute", attribute)],
            fill=alt.Fill("attribute:N", title=attribute, legend=alt.Legend(orient="bottom")),
        )  # fmt: skip
        layers.append(beside)
    whole = alt.layer(*layers).resolve_scale(color="independent", fill="independent", shape="independent")  # fmt: skip
    return sized(whole, height=height)
