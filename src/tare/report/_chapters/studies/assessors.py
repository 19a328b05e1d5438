"""The charts of the study of assessors (Rankel 2016, figs 6.1 to 6.3)."""

from __future__ import annotations

from typing import Any

from tare.report._blocks import Figure
from tare.report._chapters.studies import self_consistency
from tare.report._charts.assessors import differences_by_group

__all__ = ["figures", "findings"]


def findings(study: Any) -> list[str]:
    """Who repeats himself best and worst, and how the order of systems holds."""
    ranking, alpha = study.consistency.ranking, study.consistency.alpha
    made = [
        f"{ranking[0]} repeats himself best (α = {alpha[ranking[0]]:.2f}), {study.worst_first[0]} is "
        "the first to be left out."
    ]
    return made + [
        f"Without {row['without']} the order of systems has a τ-b of {row['tau_b']:.2f} with that of "
        "all assessors."
        for row in study.rows_by_name["rankings"][1:]
    ]


def figures(study: Any) -> dict[str, list[Figure]]:
    """Contingency tables, and manual less automatic pyramid by assessor."""
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
        caption = "One dot an item: the mean over systems of the manual less the automatic score, by the assessor who judged it."  # fmt: skip
        made["differences"] = [Figure("pyramids", chart, caption, "Manual less automatic", 330)]
    return made
