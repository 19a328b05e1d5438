"""The chart of assessors who judge the same thing twice (Rankel 2016, figs 6.1 and 6.2)."""

from __future__ import annotations

from typing import Any

from tare.report._blocks import Figure
from tare.report._charts.assessors import contingency

__all__ = ["figures"]

MOST = 12  # assessors


def figures(found: Any) -> dict[str, list[Figure]]:
    """What each assessor gave the first and the second time."""
    rows = [
        {"assessor": name, "first": _shown(first), "second": _shown(second), "count": int(found.contingency[name][i, j])}
        for name in found.ranking[:MOST]
        for i, first in enumerate(found.values)
        for j, second in enumerate(found.values)
    ]  # fmt: skip
    if not rows:
        return {}
    caption = "How often each assessor gave which value the first and the second time; on the diagonal the two are the same."  # fmt: skip
    if found.binned:
        caption += f" {found.binned}"
    if len(found.ranking) > MOST:
        caption += f" The {MOST} most consistent of {len(found.ranking)} assessors."
    height = 180 * (1 + (min(MOST, len(found.ranking)) - 1) // 3)
    return {"result": [Figure("contingency", contingency(rows), caption, "The same thing twice", height)]}  # fmt: skip


def _shown(value: Any) -> Any:
    return float(f"{value:.4g}") if isinstance(value, float) else value
