"""The charts of learned measures (Rankel 2016, figs 5.1 to 5.9)."""

from __future__ import annotations

import math
from typing import Any

from tare.report.blocks import Figure
from tare.report.charts.orders import grouped_bars
from tare.report.charts.people import correlation_intervals
from tare.report.drawings.people import gap_figures

__all__ = ["figures"]

MOST_LABELS = 30
MOST_FEATURES = 20


def figures(study: Any) -> dict[str, list[Figure]]:
    """Correlations by group of systems, the human–machine gap, and coefficients."""
    rows = study.all_rows()
    made: dict[str, list[Figure]] = {"correlations": [], "coefficients": []}
    for level in dict.fromkeys(r["level"] for r in rows["correlations"]):
        own = [
            {"label": r["measure"], "group": r["peers"], "value": r["value"], "low": r.get("low_both"), "high": r.get("high_both")}
            for r in rows["correlations"]
            if r["level"] == level and r["coefficient"] == study.kind and _known(r["value"])
        ][:MOST_LABELS]  # fmt: skip
        if own:
            chart = correlation_intervals(own, title=f"{study.kind} with {study.people[0]}")
            caption = f"{study.kind} on outputs that took no part in learning, {level} level, with {100 * study.confidence:g} % intervals."  # fmt: skip
            made["correlations"].append(Figure(f"correlation {level} level", chart, caption, f"Correlation with {study.people[0]}, {level} level", 60 + 30 * len(own)))  # fmt: skip
    made["correlations"] += gap_figures(rows.get("gaps", []))
    made["coefficients"] = _coefficients(rows.get("coefficients", []))
    return made


def _known(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _coefficients(rows: list[dict[str, Any]]) -> list[Figure]:
    known = [r for r in rows if _known(r.get("standardised"))]
    largest = sorted({r["feature"] for r in known}, key=lambda f: -max(abs(r["standardised"]) for r in known if r["feature"] == f))[:MOST_FEATURES]  # fmt: skip
    drawn = [
        {"label": r["feature"], "group": r["method"], "value": r["standardised"]}
        for feature in largest
        for r in known
        if r["feature"] == feature
    ]
    if not drawn:
        return []
    chart = grouped_bars(drawn, x="feature", y="standardised coefficient")
    caption = "What a learned measure makes of each feature, per standard deviation of the feature; the largest first."  # fmt: skip
    return [Figure("coefficients", chart, caption, "Coefficients", 330)]
