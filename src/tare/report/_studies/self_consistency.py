"""Figures of assessors who judge the same unit twice (Rankel 2016, figs 6.1 and 6.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tare.report._blocks import Figure
from tare.report._marks.heatmaps import contingency

if TYPE_CHECKING:
    from tare.studies._self_consistency import SelfConsistency

__all__ = ["figures"]


MAX_ASSESSORS = 12


def figures(found: SelfConsistency) -> dict[str, list[Figure]]:
    """Draw the first against the second judgement of each assessor."""
    rows = [
        {
            "assessor": name,
            "first": _shown(first),
            "second": _shown(second),
            "count": int(found.contingency[name][i, j]),
        }
        for name in found.ranking[:MAX_ASSESSORS]
        for i, first in enumerate(found.values)
        for j, second in enumerate(found.values)
    ]
    if not rows:
        return {}
    caption = "Number of units by first and second judgement of each assessor. On the diagonal, the two are equal."
    if found.binned:
        caption += f" {found.binned}"
    if len(found.ranking) > MAX_ASSESSORS:
        caption += f" The chart shows the {MAX_ASSESSORS} most consistent of {len(found.ranking)} assessors."
    height = 180 * (1 + (min(MAX_ASSESSORS, len(found.ranking)) - 1) // 3)
    return {
        "result": [Figure("contingency", contingency(rows), caption, "Repeated judgements", height)]
    }


def _shown(value: Any) -> Any:
    return float(f"{value:.4g}") if isinstance(value, float) else value
