"""Heat maps: correlations of measures, and the whole score matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tare.report.charts.drawing import altair, by, data, number, shown, sized
from tare.report.theme import named

__all__ = ["correlation_heatmap", "score_matrix"]

# Colours that read the same on light and on dark paper; letters on them are dark or white.
DIVERGING = ["#a8430b", "#e79a62", "#f3ece3", "#74aed3", "#14588f"]
RISING = ["#f3ece3", "#9fc9d6", "#3f8fa8", "#0b4f5e"]


def correlation_heatmap(
    rows: Sequence[Mapping[str, Any]], *, title: str = "τ", order: Sequence[str] | None = None
) -> Any:
    """A cell a pair of measures, coloured and lettered by its correlation.

    rows: first, second, value.
    """
    alt = altair()
    across = list(order or dict.fromkeys(str(row["first"]) for row in rows))
    down = list(order or dict.fromkeys(str(row["second"]) for row in rows))
    x = alt.X("first:N", sort=by("column"), title=None, axis=alt.Axis(labelAngle=-45, labelLimit=120, grid=False, ticks=False, domain=False))  # fmt: skip
    y = alt.Y("second:N", sort=by("line"), title=None, axis=alt.Axis(labelLimit=130, grid=False, ticks=False, domain=False))  # fmt: skip
    scale = alt.Scale(domain=[-1, -0.5, 0, 0.5, 1], range=DIVERGING, type="linear", clamp=True)
    tips = [shown("first", "one"), shown("second", "other"), number("value", title)]
    columns = {name: place for place, name in enumerate(across)}
    lines = {name: place for place, name in enumerate(down)}
    base = alt.Chart(
        data({**row, "column": columns[row["first"]], "line": lines[row["second"]]} for row in rows)
    )
    cells = base.mark_rect(cornerRadius=2, stroke=named("card"), strokeWidth=1.5)
    cells = cells.encode(x=x, y=y, color=alt.Color("value:Q", scale=scale, legend=None), tooltip=tips)  # fmt: skip
    light = alt.condition("abs(datum.value) > 0.72", alt.value("#ffffff"), alt.value("#1d2329"))
    text = base.transform_filter("datum.value !== null").mark_text(fontSize=11).encode(x=x, y=y, text=alt.Text("value:Q", format=".2f"), color=light, tooltip=tips)  # fmt: skip
    layers = [cells, text] if len(across) <= 14 else [cells]
    return sized(alt.layer(*layers), height=max(120, 36 * len(down)))


def score_matrix(
    rows: Sequence[Mapping[str, Any]],
    *,
    measure: str,
    systems: Sequence[str],
    items: Sequence[str],
    what: str = "queries",
) -> Any:
    """Items × systems as colours; a missing cell stays empty, people stand apart, attributes beside.

    rows: system, item, value, and human, attribute (or None). The reader orders the items by score
    (as they are given), by name, or by attribute (Rankel 2016, figs 3.1, 4.2 to 4.5).
    """
    alt = altair()
    known = [row for row in rows if row["value"] is not None]
    attribute = {row["item"]: row.get("attribute") for row in rows}
    grouped = any(value is not None for value in attribute.values())
    orders = {"by score": list(items), "by name": sorted(items)}
    if grouped:
        orders["by attribute"] = sorted(
            items, key=lambda i: (str(attribute.get(i)), items.index(i))
        )
    places = {order: {name: k for k, name in enumerate(names)} for order, names in orders.items()}
    fields = {order: order.replace(" ", "_") for order in orders}

    def placed(row: Mapping[str, Any]) -> dict[str, Any]:
        return {**row, **{fields[o]: places[o][row["item"]] for o in orders}}

    cases = "".join(f"order === '{o}' ? datum.{fields[o]} : " for o in list(orders)[1:])
    chooser = alt.binding_select(options=list(orders), name=f"{what} ")
    order = alt.param(name="order", value="by score", bind=chooser)
    column = {"column": f"{cases}datum.by_score"}
    values = [float(row["value"]) for row in known]
    low, high = min(values, default=0.0), max(values, default=1.0)
    domain = [low + (high - low) * k / (len(RISING) - 1) for k in range(len(RISING))]
    x = alt.X("column:O", title=what, axis=alt.Axis(labels=False, ticks=False, grid=False, domain=False))  # fmt: skip
    y = alt.Y("system:N", sort=list(systems), title=None, axis=alt.Axis(grid=False, ticks=False, domain=False))  # fmt: skip
    tips = [shown("system", "system"), shown("item", "item"), number("value", measure)]
    tips += [shown("attribute", "attribute")] if grouped else []
    cells = alt.Chart(data(map(placed, known))).transform_calculate(**column).mark_rect()
    colour = alt.Color("value:Q", title=measure, scale=alt.Scale(domain=domain, range=RISING, type="linear"), legend=alt.Legend(gradientLength=140, orient="top"))  # fmt: skip
    layers = [cells.encode(x=x, y=y, color=colour, tooltip=tips).add_params(order)]
    people = list(dict.fromkeys(row["system"] for row in rows if row.get("human")))
    if people:
        marks = alt.Chart(data({"system": name} for name in people))
        marks = marks.mark_point(shape="triangle-right", filled=True, size=60, color=named("c2"), opacity=1)  # fmt: skip
        layers.append(marks.encode(y=y, x=alt.value(-6)))
    height = max(60, min(18, 900 // max(1, len(systems))) * len(systems))
    if grouped:
        strip = [{"item": i, "attribute": str(attribute.get(i)), "value": None} for i in items]
        beside = alt.Chart(data(map(placed, strip))).transform_calculate(**column)
        beside = beside.mark_rect(height=8).encode(
            x=x, y=alt.value(height + 8), tooltip=[shown("item", "item"), shown("attribute", "attribute")],
            fill=alt.Fill("attribute:N", title="attribute", legend=alt.Legend(orient="bottom")),
        )  # fmt: skip
        layers.append(beside)
    return sized(alt.layer(*layers).resolve_scale(color="independent", fill="independent"), height=height)  # fmt: skip
