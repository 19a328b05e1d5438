"""Scores beside what chance would score: the scatter of queries and the histogram of expectations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tare.report._charts.drawing import altair, data, number, shown, sized
from tare.report._theme import KINDS, named

__all__ = ["expected_histogram", "score_against_chance"]

BINS = 20
EVERYONE = "mean of all systems"


def score_against_chance(
    rows: Sequence[Mapping[str, Any]],
    *,
    measure: str,
    low: float = 0.3,
    high: float = 0.7,
    margin: float = 0.2,
) -> Any:
    """One dot a query: its score against its expected value, with the kinds of queries.

    rows: system, item, score, chance, kind; with several systems the reader chooses one. Dots on
    the diagonal tell nothing about a system (Feng and Karmaker 2023, fig. 1).
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
        {"x": 0, "x2": low, "y": lowest, "y2": low, "label": "hard", "lx": 0.01, "ly": lowest},
        {"x": high, "x2": 1, "y": high, "y2": 1, "label": "easy", "lx": high + 0.01, "ly": 0.94},
    ]
    line = [{"x": 0, "y": 0, "y2": margin}, {"x": 1 - margin, "y": 1 - margin, "y2": 1}]
    whole = [{"x": 0, "y": 0}, {"x": 1, "y": 1}]
    shade = alt.Chart(data(areas)).mark_rect(color=named("quiet"), opacity=0.13)
    shade = shade.encode(x="x:Q", x2="x2:Q", y="y:Q", y2="y2:Q")
    words = alt.Chart(data(areas)).mark_text(
        align="left", baseline="bottom", dy=-4, dx=3, color=named("soft"), fontStyle="italic"
    )
    words = words.encode(x="lx:Q", y="ly:Q", text="label:N")
    diagonal = alt.Chart(data(whole)).mark_line(color=named("soft"), strokeWidth=1.5)
    diagonal = diagonal.encode(x="x:Q", y="y:Q")
    raised = alt.Chart(data(line)).mark_line(
        color=named("quiet"), strokeDash=[4, 4], strokeWidth=1.2
    )
    raised = raised.encode(x="x:Q", y="y2:Q")
    said = [
        {"x": 0.61, "y": 0.56, "t": "chance"},
        {"x": 0.34, "y": 0.965, "t": "informative"},
    ]
    named_lines = alt.Chart(data(said)).mark_text(
        align="left", color=named("soft"), fontStyle="italic", dx=4
    )
    named_lines = named_lines.encode(x="x:Q", y="y:Q", text="t:N")
    dots = alt.Chart(data(rows)).mark_circle(size=60, opacity=0.85)
    colour = alt.Color(
        "kind:N",
        title=None,
        scale=alt.Scale(domain=kinds, range=[named(KINDS[kind]) for kind in kinds]),
    )
    tips = [shown("item", "query"), shown("kind", "kind"), number("score", measure), number("chance", "chance")]  # fmt: skip
    dots = dots.encode(x=across, y=up, color=colour, tooltip=tips)
    if len(systems) > 1:
        chooser = alt.binding_select(options=systems, name="system ")
        chosen = alt.param(name="system", value=systems[0], bind=chooser)
        dots = dots.add_params(chosen).transform_filter("datum.system === system")
    return sized(alt.layer(shade, diagonal, raised, words, named_lines, dots), height=400)


def expected_histogram(values: Mapping[str, Sequence[float]]) -> Any:
    """How many queries have which expected value; with several measures the reader chooses one.

    values: the expected values of the queries by measure (Feng and Karmaker 2023, figs 2 and 3).
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
    bars = alt.Chart(data(rows)).mark_bar(color=named("c1"), stroke=named("card"))
    bars = bars.encode(
        x=alt.X("from:Q", bin="binned", title="expected value under chance"),
        x2="to:Q",
        y=alt.Y("queries:Q", title="queries", axis=alt.Axis(tickMinStep=1)),
        tooltip=[number("from", "from", ".2f"), number("to", "to", ".2f"), number("queries", "queries", "d")],
    )  # fmt: skip
    if len(values) > 1:
        chooser = alt.binding_select(options=list(values), name="measure ")
        chosen = alt.param(name="measure", value=next(iter(values)), bind=chooser)
        bars = bars.add_params(chosen).transform_filter("datum.measure === measure")
    return sized(bars, height=220)
