"""Figures of the diversity study, and orders of systems by two measures (Chandar and Carterette 2013, figs 2 to 6)."""

from __future__ import annotations

import math
from typing import Any

from tare._result import Row
from tare.report._blocks import Figure
from tare.report._encoding import (
    Chart,
    Rows,
    altair,
    groups,
    inline_data,
    numbers,
    row_height,
    sort_by,
    states,
    title_lines,
    wrap_expression,
)
from tare.report._figures import Figures, drawn
from tare.report._marks import averaged, curves, lines
from tare.report._score_table import correlation_heatmap
from tare.report._theme import theme_colour
from tare.stats._correlation import correlation
from tare.studies._diversity import ALL, TREC, DiversityStudy

__all__ = ["figures", "overlaid_orders", "rank_slopes"]


# Orders of systems by two measures: rank slopes, and one order over the other.


SLOPE_LETTERS = 16  # letters per line of a label
MOVED, UNCHANGED = "rank changes", "same rank"


def overlaid_orders(rows: Rows, *, first: str, second: str, tau: float | None = None) -> Chart:
    """Draw systems sorted by one measure, with a second measure on top and τ in the corner.

    Each row has system, first and second (Chandar and Carterette 2013, figs 2, 4 and 5).
    """
    alt = altair()
    ordered = sorted(rows, key=lambda row: -float(row["first"]))
    axis = alt.Axis(labels=len(rows) <= 30, labelAngle=-60, labelLimit=170, grid=False, ticks=False)
    corner = []
    if tau is not None:
        text = alt.Chart(inline_data([{"t": f"τ = {tau:.2f}".replace("-", "−")}]))
        text = text.mark_text(
            align="right", baseline="top", fontSize=14, fontWeight=600, dx=-6, dy=6
        )
        corner.append(text.encode(text="t:N", x=alt.value("width"), y=alt.value(0)))
    return lines(
        [
            {"system": row["system"], "place": place, "measure": name, "value": row[key]}
            for place, row in enumerate(ordered)
            for key, name in (("first", first), ("second", second))
        ],
        across=alt.X(
            "system:N",
            sort=sort_by("place"),
            title=title_lines(f"systems, sorted by {first}"),
            axis=axis,
        ),
        up=numbers("Y", "value", "mean", zero=False),
        colour=groups("measure", [first, second]),
        tips=[("system", "system"), ("measure", "measure"), ("value", "mean", ".3f")],
        above=corner,
    )


def rank_slopes(rows: Rows, *, left: str, right: str) -> Chart:
    """Draw one line per system from its rank by one diversity measure to its rank by the other.

    Each row has system, before and after (ranks; 1 is best). Lines that change rank are coloured.
    """
    alt = altair()
    points = [
        {
            **row,
            "side": side,
            "rank": row[key],
            "state": UNCHANGED if row["before"] == row["after"] else MOVED,
        }
        for row in rows
        for side, key in ((left, "before"), (right, "after"))
    ]
    most = max(max(float(row["before"]), float(row["after"])) for row in rows)
    across = alt.X(
        "side:N",
        sort=[left, right],
        title=None,
        scale=alt.Scale(padding=0.5),
        axis=alt.Axis(labelAngle=0, orient="top", labelFontSize=12, domain=False, ticks=False),
    )
    scale = alt.Scale(domain=[0.5, most + 0.5], reverse=True, nice=False, zero=False)
    up = alt.Y("rank:Q", axis=None, scale=scale)
    words = wrap_expression("datum.rank + '  ' + datum.system", SLOPE_LETTERS)
    labels = [
        alt.Chart(inline_data(points))
        .transform_filter(alt.datum.side == side)
        .transform_calculate(label=words)
        .mark_text(
            align=align, dx=dx, color=theme_colour("ink"), limit=150, lineBreak="\n", lineHeight=12
        )
        .encode(x=across, y=up, text="label:N")
        for side, align, dx in ((left, "right", -12), (right, "left", 12))
    ]
    row = row_height((f"10  {r['system']}" for r in rows), 26, SLOPE_LETTERS)
    return lines(
        points,
        across=across,
        up=up,
        colour=states("state", {MOVED: "c2", UNCHANGED: "quiet"}, orient="bottom"),
        tips=[
            ("system", "system"),
            ("before", f"rank by {left}", "d"),
            ("after", f"rank by {right}", "d"),
        ],
        above=labels,
        height=max(120, row * len(rows)),
        detail="system:N",
    )


MAX_PROFILES = 6  # with a separate chart


@drawn.register
def figures(study: DiversityStudy) -> Figures:
    """Draw the figures of the diversity study: agreement by variant, rankings by two measures, and curves by judgements and noise."""
    rows = study.all_rows()
    cells = [
        {"first": r["measure"], "second": f"{r['stop']}, {r['combine']}", "value": _known(r["tau"])}
        for r in rows["agreement"]
    ]
    caption = "Kendall's τ between nPrf (rows: stopping rule, combination) and subtopic measures (columns)."
    heat = Figure(
        "agreement",
        correlation_heatmap(cells),
        caption,
        "Rank correlation of nPrf with subtopic measures",
    )
    return {
        "a": [heat, *_orders(rows["means"])],
        "b": [_profiles_together(study)],
        "b profiles": _single_profiles(study),
        "c": _curve(
            rows["incomplete"],
            "triplets",
            "triplets per query",
            "correlation with complete judgements",
            log=True,
        ),
        "d": _curve(
            rows["noisy"],
            "noise",
            "share of answers reversed",
            "correlation with noise-free judgements",
        ),
    }


def _known(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


def _orders(rows: list[Row]) -> list[Figure]:
    measures = [key for key in rows[0] if key != "system"]
    preferred = next((m for m in measures if m.startswith("nPrf(stop=rbp,combine=mean")), None)
    if preferred is None or len(measures) < 2:
        return []
    charts = []
    for measure in [m for m in measures if not m.startswith("nPrf")][:2]:
        pairs = [{"system": r["system"], "first": r[measure], "second": r[preferred]} for r in rows]
        tau = correlation(
            {r["system"]: r[measure] for r in rows}, {r["system"]: r[preferred] for r in rows}
        )
        chart = overlaid_orders(pairs, first=measure, second=preferred, tau=_known(tau))
        caption = f"Systems sorted by {measure}. The closer the other line is to falling steadily, the better the two agree."
        charts.append(Figure(f"order by {measure}", chart, caption, f"{measure} and {preferred}"))
    return charts


def _order(
    study: DiversityStudy,
    name: str,
    first: tuple[str, Any],
    second: tuple[str, Any],
    tau: float,
    caption: str,
) -> Figure:
    """Draw one order of systems by two diversity measures: sorted by the first scores, with the second scores on top."""
    pairs = [
        {"system": s, "first": a, "second": b}
        for s, a, b in zip(study.systems, first[1], second[1], strict=True)
    ]
    chart = overlaid_orders(pairs, first=first[0], second=second[0], tau=_known(tau))
    return Figure(name, chart, caption, f"{first[0]} and {second[0]}")


def _profiles_together(study: DiversityStudy) -> Figure:
    """Draw the order of systems for all user profiles together against that for a user interested in every subtopic."""
    by = {o.profile: o.preferences for o in study.orders}
    first, second = f"nPrf, {TREC}", f"nPrf, {ALL}"
    caption = f"Systems sorted by nPrf of the {TREC}, which includes every subtopic, with nPrf of {ALL} on top."
    return _order(
        study,
        "profiles together",
        (first, by[TREC]),
        (second, by[ALL]),
        study.profiles[0][2],
        caption,
    )


def _single_profiles(study: DiversityStudy) -> list[Figure]:
    """Draw, for each profile, nPrf against the subtopic measure of the subtopics of the profile."""
    single = [o for o in study.orders if o.profile not in (ALL, TREC)]
    measure = next(iter(study.means))
    shown = single[:MAX_PROFILES]
    part = (
        f" {len(shown)} of {len(single)} profiles have a chart; the table has all of them."
        if len(single) > len(shown)
        else ""
    )
    return [
        _order(
            study,
            o.profile,
            (f"{measure}, {o.profile}", o.restricted),
            (f"nPrf, {o.profile}", o.preferences),
            o.tau_restricted,
            f"Systems sorted by {measure} on the subtopics of {o.profile}, with nPrf on top.{part}",
        )
        for o in shown
    ]


def _curve(rows: list[Row], key: str, x: str, y: str, *, log: bool = False) -> list[Figure]:
    points = [
        {"series": series, "x": row[key], "y": row[field]}
        for field, series in (("tau", "τ"), ("pearson", "Pearson r"))
        for row in rows
        if _known(row[field]) is not None
    ]
    if len({point["x"] for point in points}) < 2:
        return []
    caption = "Mean over repeats; the band is one standard deviation."
    return [Figure(key, curves(averaged(points), x=x, y=y, log=log), caption, y)]
