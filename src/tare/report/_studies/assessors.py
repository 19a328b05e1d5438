"""Figures and findings of the assessor study (Rankel 2016, figs 6.1 to 6.3)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tare.report._blocks import Figure
from tare.report._marks.curves import differences_by_group
from tare.report._studies import self_consistency

if TYPE_CHECKING:
    from tare.studies._assessors import AssessorStudy

__all__ = ["figures", "findings"]


def findings(study: AssessorStudy) -> list[str]:
    """Report the most and the least consistent assessor, and how the ranking of systems changes."""
    ranking, alpha = study.consistency.ranking, study.consistency.alpha
    known = [a for a in ranking if not math.isnan(alpha[a])]
    sentences = [f"{study.worst_first[0]} is left out first."]
    if len(known) > 1:
        sentences.insert(
            0,
            f"Self-consistency, α, goes from {alpha[known[-1]]:.2f} ({known[-1]}) to {alpha[known[0]]:.2f} "
            f"({known[0]}) over {len(known)} assessors. Whether assessors differ was not tested.",
        )
    return sentences + [
        f"Without {row['without']}, the ranking of systems has a τ-b of {row['tau_b']:.2f} with the "
        "ranking by all assessors."
        for row in study.rows_by_name["rankings"][1:]
    ]


def figures(study: AssessorStudy) -> dict[str, list[Figure]]:
    """Draw contingency tables, and the difference of manual and automatic scores by assessor."""
    by_table: dict[str, list[Figure]] = {}
    drawn = self_consistency.figures(study.consistency).get("result", [])
    if drawn:
        by_table["contingency"] = drawn
    rows = [
        {"group": r["assessor"], "item": r["item"], "difference": r["difference"]}
        for r in study.rows_by_name.get("pyramids", [])
    ]
    if rows:
        chart = differences_by_group(rows, title="manual − automatic")
        caption = "One tick per item: the manual minus the automatic score, averaged over systems, by the assessor who judged the item."
        by_table["differences"] = [
            Figure("pyramids", chart, caption, "Manual minus automatic score", 330)
        ]
    return by_table
