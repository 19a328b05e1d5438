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
    what: str = "queries, hardest first",
) -> Any:
    """Items × systems as colours; a missing cell stays empty, people stand apart, attributes beside.

    rows: system, item, value, and human, attribute (or None) (Rankel 2016, figs 3.1, 4.2 to 4.5).
    """
    alt = altair()
    known = [float(row["value"]) for row in rows if row["value"] is not None]
    low, high = min(known, default=0.0), max(known, default=1.0)
    domain = [low + (high - low) * k / (len(RISING) - 1) for k in range(len(RISING))]
    x = alt.X("item:N", sort=by("column"), title=what, axis=alt.Axis(labels=len(items) <= 40, labelAngle=-60, labelLimit=80, ticks=False, grid=False, domain=False))  # fmt: skip
    y = alt.Y("system:N", sort=list(systems), title=None, axis=alt.Axis(grid=False, ticks=False, domain=False))  # fmt: skip
    tips = [shown("system", "system"), shown("item", "query"), number("value", measure)]
    if any(row.get("attribute") is not None for row in rows):
        tips.append(shown("attribute", "attribute"))
    columns = {name: place for place, name in enumerate(items)}
    known_rows = [
        {**row, "column": columns[row["item"]]} for row in rows if row["value"] is not None
    ]
    cells = alt.Chart(data(known_rows)).mark_rect()
    colour = alt.Color("value:Q", title=measure, scale=alt.Scale(domain=domain, range=RISING, type="linear"), legend=alt.Legend(gradientLength=140, orient="top"))  # fmt: skip
    cells = cells.encode(x=x, y=y, color=colour, tooltip=tips)
    layers = [cells]
    people = list(dict.fromkeys(row["system"] for row in rows if row.get("human")))
    if people:
        marks = alt.Chart(data({"system": name} for name in people))
        layers.append(marks.mark_point(shape="triangle-right", filled=True, size=60, color=named("c2"), opacity=1).encode(y=y, x=alt.value(-6)))  # fmt: skip
    return sized(alt.layer(*layers), height=max(100, min(18, 900 // max(1, len(systems))) * len(systems)))  # fmt: skip
