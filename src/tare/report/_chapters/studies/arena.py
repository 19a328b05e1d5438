"""Figures and findings of the study of battles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tare._tables import p_stated
from tare.report._blocks import Figure
from tare.report._charts.battles import rating_intervals, win_matrix

if TYPE_CHECKING:
    from tare._decide.arena_result import Arena

__all__ = ["figures", "findings"]

MOST = 60  # systems in a chart


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
