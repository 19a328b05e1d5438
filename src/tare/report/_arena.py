"""Figures of an arena of battles: ratings with rank intervals, and the win matrix."""

from __future__ import annotations

from collections.abc import Sequence

from tare._decide.arena_result import Arena, PairOfSystems
from tare.report._blocks import Figure
from tare.report._encoding import (
    Chart,
    Rows,
    altair,
    inline_data,
    row_height,
    row_names,
    states,
    tooltips,
    upright_names,
)
from tare.report._figures import Figures, drawn
from tare.report._marks import Ramp, dots, matrix, rule
from tare.report._systems import BEST, WORSE
from tare.report._theme import theme_colour

__all__ = ["figures", "rating_intervals", "win_matrix"]


LABELLED = 12  # systems up to which cells show their win rate


def rating_intervals(rows: Rows, *, interval: str) -> Chart:
    """Draw the arena rating of each system with its interval and, on the right, the interval of its rank.

    Each row has system, rating, low, high, rank_low, rank_high and win_rate, best first.
    """
    given = []
    for row in rows:
        low, high = row["rank_low"], row["rank_high"]
        ranks = str(low) if low == high else f"{low}–{high}"
        given.append({**row, "state": BEST if low == 1 else WORSE, "ranks": ranks})
    tips = [
        ("system", "system"),
        ("rating", "rating", "+.3f"),
        ("low", f"{interval}, from", "+.3f"),
        ("high", "to", "+.3f"),
        ("ranks", "ranks"),
        ("win_rate", "win rate", ".1%"),
    ]
    words = altair().Chart(inline_data(given))
    words = words.mark_text(align="left", dx=8, fontSize=11, color=theme_colour("soft"))
    return dots(
        given,
        label="system",
        value="rating",
        title="rating (logit)",
        tips=tips,
        colour=states("state", {BEST: "accent", WORSE: "quiet"}, columns=1),
        scale={"padding": 26},
        below=[rule("x")],
        above=[words.encode(y="system:N", x="high:Q", text="ranks:N", tooltip=tooltips(tips))],
    )


def win_matrix(rows: Rows, *, systems: Sequence[str]) -> Chart:
    """Draw the win rate in battles of each system (down) against each other one (across).

    Each row has a, b, battles, win_rate and expected_win_rate, for both directions of a pair.
    """
    known = set(systems)
    few = len(systems) <= LABELLED
    return matrix(
        [row for row in rows if row["a"] in known and row["b"] in known],
        across=upright_names("b", systems, title="against"),
        down=row_names("a", systems),
        ramp=Ramp("win_rate", "win rate", diverging=True, format=".0%"),
        tips=[
            ("a", "system"),
            ("b", "against"),
            ("battles", "battles", ",d"),
            ("win_rate", "win rate", ".1%"),
            ("expected_win_rate", "expected", ".1%"),
        ],
        words=("win_rate", ".0%") if few else None,
        height=max(140, row_height(systems, 30 if few else 16) * len(systems)),
    )


MOST = 60  # systems in a chart


@drawn.register
def figures(study: Arena) -> Figures:
    """Draw the figures of an arena: the ratings with rank intervals, and the win matrix."""
    level = f"{100 * (1 - study.alpha):g} % interval"
    made: Figures = {}
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
            Figure(f"ratings{where}", chart, caption, f"Ratings{where}")
        )
        inside = [r for (a, b), r in rows_of.items() if a in order and b in order]
        matrix = win_matrix([*inside, *map(_turned, inside)], systems=order)
        caption = (
            "Share of battles that the system of the row won against that of the column; a tie counts "
            f"half.{note}"
        )
        made.setdefault("pairs", []).append(
            Figure(f"win matrix{where}", matrix, caption, f"Win matrix{where}")
        )
    return made


def _turned(row: PairOfSystems) -> PairOfSystems:
    """Return the same pair of an arena from the side of the other system."""
    return {
        **row,
        "a": row["b"],
        "b": row["a"],
        "win_rate": 1 - row["win_rate"],
        "expected_win_rate": 1 - row["expected_win_rate"],
    }
