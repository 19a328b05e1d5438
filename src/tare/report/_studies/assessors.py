"""Figures and findings of the assessor study (Rankel 2016, figs 6.1 to 6.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tare.report._blocks import Figure
from tare.report._marks.curves import differences_by_group
from tare.report._studies import self_consistency

if TYPE_CHECKING:
    from tare.studies._assessors import AssessorStudy

__all__ = ["figures"]


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
