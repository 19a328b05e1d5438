"""Figures and findings of the study of battles: ratings with rank intervals, and the win matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tare._decide.arena_result import Arena
from tare._tables import p_stated
from tare.report._blocks import Figure
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
from tare.report._figures import drawn, said
from tare.report._marks.heatmaps import DIVERGING
from tare.report._marks.intervals import BEST, WORSE
from tare.report._theme import theme_colour

__all__ = ["figures", "findings", "rating_intervals", "win_matrix"]


# Charts of battles: ratings with rank intervals, and the win matrix.


ROW = 26
LABELLED = 12  # systems up to which cells show their win rate


def rating_intervals(rows: Rows, *, interval: str) -> Any:
    """Draw the rating of each system with its interval and, on the right, the interval of its rank.

    Each row has system, rating, low, high, rank_low, rank_high and win_rate, best first.
    """
    alt = altair()
    given = inline_data(
        {
            **row,
            "place": k,
            "state": BEST if row["rank_low"] == 1 else WORSE,
            "ranks": str(row["rank_low"])
            if row["rank_low"] == row["rank_high"]
            else f"{row['rank_low']}–{row['rank_high']}",
        }
        for k, row in enumerate(rows)
    )
    axis = alt.Axis(grid=True, ticks=False, **wrapped_labels())
    up = alt.Y("system:N", sort=sort_by("place"), title=None, axis=axis)
    states = {BEST: "accent", WORSE: "quiet"}
    colours = alt.Scale(domain=list(states), range=[theme_colour(c) for c in states.values()])
    colour = alt.Color(
        "state:N", title=None, legend=alt.Legend(columns=1, orient="top"), scale=colours
    )
    tips = [
        text_tooltip("system", "system"),
        number_tooltip("rating", "rating", "+.3f"),
        number_tooltip("low", f"{interval}, from", "+.3f"),
        number_tooltip("high", "to", "+.3f"),
        text_tooltip("ranks", "ranks"),
        number_tooltip("win_rate", "win rate", ".1%"),
    ]
    zero = alt.Chart(inline_data([{"x": 0}])).mark_rule(
        color=theme_colour("soft"), strokeDash=[3, 3]
    )
    lines = alt.Chart(given).mark_rule(strokeWidth=2.5)
    lines = lines.encode(
        y=up,
        x=alt.X("low:Q", title="rating (logit)", scale=alt.Scale(padding=26)),
        x2="high:Q",
        color=colour,
        tooltip=tips,
    )
    dots = alt.Chart(given).mark_circle(size=85, opacity=1)
    dots = dots.encode(y=up, x="rating:Q", color=colour, tooltip=tips)
    words = alt.Chart(given).mark_text(align="left", dx=8, fontSize=11, color=theme_colour("soft"))
    words = words.encode(y=up, x="high:Q", text="ranks:N", tooltip=tips)
    row = row_height((str(r["system"]) for r in rows), ROW)
    return full_width(
        alt.layer(zero.encode(x="x:Q"), lines, dots, words), height=max(80, row * len(rows))
    )


def win_matrix(rows: Rows, *, systems: Sequence[str]) -> Any:
    """Draw the win rate of each system (down) against each other one (across).

    Each row has a, b, battles, win_rate and expected_win_rate, for both directions of a pair.
    """
    alt = altair()
    place = {name: k for k, name in enumerate(systems)}
    given = [
        {**r, "line": place[r["a"]], "column": place[r["b"]]}
        for r in rows
        if r["a"] in place and r["b"] in place
    ]
    x = alt.X(
        "b:N",
        sort=sort_by("column"),
        title="against",
        axis=alt.Axis(labelAngle=-45, labelLimit=150, grid=False, ticks=False, domain=False),
    )
    y = alt.Y(
        "a:N",
        sort=sort_by("line"),
        title=None,
        axis=alt.Axis(grid=False, ticks=False, domain=False, **wrapped_labels()),
    )
    scale = alt.Scale(
        domain=[0, 0.25, 0.5, 0.75, 1],
        range=DIVERGING,
        type="linear",
        clamp=True,
        interpolate="rgb",
    )
    tips = [
        text_tooltip("a", "system"),
        text_tooltip("b", "against"),
        number_tooltip("battles", "battles", ",d"),
        number_tooltip("win_rate", "win rate", ".1%"),
        number_tooltip("expected_win_rate", "expected", ".1%"),
    ]
    base = alt.Chart(inline_data(given))
    legend = alt.Legend(title="win rate", gradientLength=140, format=".0%", orient="top")
    cells = base.mark_rect(stroke=theme_colour("card"), strokeWidth=1.5).encode(
        x=x, y=y, color=alt.Color("win_rate:Q", scale=scale, legend=legend), tooltip=tips
    )
    layers = [cells]
    if len(systems) <= LABELLED:
        light = alt.condition(
            "abs(datum.win_rate - 0.5) > 0.36", alt.value("#ffffff"), alt.value("#1d2329")
        )
        text = base.mark_text(fontSize=11).encode(
            x=x, y=y, text=alt.Text("win_rate:Q", format=".0%"), color=light, tooltip=tips
        )
        layers.append(text)
    height = max(140, row_height(systems, 30 if len(systems) <= LABELLED else 16) * len(systems))
    return full_width(alt.layer(*layers), height=height)


# Figures and findings of the study of battles.


MOST = 60  # systems in a chart


@said.register
def findings(study: Arena) -> list[str]:
    """Return the main findings: who is best, and what covariates do."""
    made = []
    several = len(study.components) > 1
    for number in range(1, len(study.components) + 1):
        own = [s for s in study.systems if s.component == number]
        rest = [s for s in own[1:] if s.rank_low == 1]
        where = f" of group {number}" if several else ""
        made.append(
            f"{own[0].system} has the highest rating{where} and is significantly better than all others."
            if not rest
            else f"{own[0].system} has the highest rating{where}; {len(rest):,} of {len(own) - 1:,} other systems "
            "are not significantly worse than any system."
        )
    for row in study.covariates:
        what = "Being shown first" if row["covariate"] == "position" else f"More {row['covariate']}"
        if row["p_value"] < study.alpha:
            way = "raises" if row["effect"] > 0 else "lowers"
            made.append(
                f"{what} {way} the chance of winning ({p_stated(row['p_value'])}); the ratings are net of it."
            )
        else:
            made.append(f"{what} has no significant effect ({p_stated(row['p_value'])}).")
    return made


@drawn.register
def figures(study: Arena) -> dict[str, list[Figure]]:
    """Draw the ratings with rank intervals, and the win matrix."""
    level = f"{100 * (1 - study.alpha):g} % interval"
    made: dict[str, list[Figure]] = {}
    rows_of = {(r["a"], r["b"]): r for r in study.pairs}
    for number, names in enumerate(study.components, 1):
        own = [s for s in study.systems if s.component == number][:MOST]
        order = [s.system for s in own]
        where = f" of group {number}" if len(study.components) > 1 else ""
        note = f" The first {MOST} of {len(names)} systems." if len(names) > MOST else ""
        chart = rating_intervals([vars(s) for s in own], interval=level)
        caption = (
            f"Rating with its {level}; next to it the ranks that the battles do not exclude.{note}"
        )
        made.setdefault("ratings", []).append(
            Figure(f"ratings{where}", chart, caption, f"Ratings{where}", 90 + 26 * len(own))
        )
        inside = [r for (a, b), r in rows_of.items() if a in order and b in order]
        matrix = win_matrix([*inside, *map(_turned, inside)], systems=order)
        caption = (
            "Share of battles that the system of the row won against that of the column; a tie counts "
            f"half.{note}"
        )
        made.setdefault("pairs", []).append(
            Figure(f"win matrix{where}", matrix, caption, f"Win matrix{where}", 160 + 26 * len(own))
        )
    return made


def _turned(row: dict[str, Any]) -> dict[str, Any]:
    """Return the same pair from the side of the other system."""
    return {
        **row,
        "a": row["b"],
        "b": row["a"],
        "win_rate": 1 - row["win_rate"],
        "expected_win_rate": 1 - row["expected_win_rate"],
    }
