"""Figures and findings of the assessor study (Rankel 2016, figs 6.1 to 6.3)."""

from __future__ import annotations

from typing import Any

from tare.report._blocks import Figure
from tare.report._chapters.studies import self_consistency
from tare.report._charts.scatters import differences_by_group

__all__ = ["figures", "findings"]


def findings(study: Any) -> list[str]:
    """Report the most and the least consistent assessor, and how the ranking of systems changes."""
    ranking, alpha = study.consistency.ranking, study.consistency.alpha
    made = [
        f"{ranking[0]} is the most self-consistent assessor (α = {alpha[ranking[0]]:.2f}); "
        f"{study.worst_first[0]} is left out first."
    ]
    return made + [
        f"Without {row['without']}, the ranking of systems has a τ-b of {row['tau_b']:.2f} with the "
        "ranking by all assessors."
        for row in study.rows_by_name["rankings"][1:]
    ]


def figures(study: Any) -> dict[str, list[Figure]]:
    """Draw contingency tables, and the difference of manual and automatic scores by assessor."""
    made: dict[str, list[Figure]] = {}
    drawn = self_consistency.figures(study.consistency).get("result", [])
    if drawn:
        made["contingency"] = drawn
    rows = [
        {"group": r["assessor"], "item": r["item"], "difference": r["difference"]}
        for r in study.rows_by_name.get("pyramids", [])
    ]
    if rows:
        chart = differences_by_group(rows, title="manual − automatic")
        caption = "One tick per item: the manual minus the automatic score, averaged over systems, by the assessor who judged the item."  # fmt: skip
        made["differences"] = [
            Figure("pyramids", chart, caption, "Manual minus automatic score", 330)
        ]
    return made
