"""The charts of the study of assessors (Rankel 2016, figs 6.1 to 6.3)."""

from __future__ import annotations

import math
from typing import Any

from tare.report.blocks import Figure
from tare.report.charts.people import correlation_intervals
from tare.report.drawings import self_consistency

__all__ = ["figures"]


def figures(study: Any) -> dict[str, list[Figure]]:
    """The same thing twice, an assessor a matrix; and manual less automatic by assessor."""
    made = {"contingency": self_consistency.figures(study.consistency).get("result", [])}
    rows = [
        r for r in study.all_rows().get("differences", []) if math.isfinite(r.get("mean", math.nan))
    ]
    if rows:
        labels = [
            {"label": r["assessor"], "group": "all", "value": r["mean"], "low": r.get("low"), "high": r.get("high")}
            for r in rows
        ]  # fmt: skip
        chart = correlation_intervals(labels, title="manual − automatic")
        caption = "How far an assessor's scores lie from automatic ones, in the mean over outputs, with 95 % intervals."  # fmt: skip
        made["differences"] = [Figure("manual less automatic", chart, caption, "Manual less automatic, by assessor", 60 + 26 * len(labels))]  # fmt: skip
    return made
