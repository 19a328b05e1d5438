"""Figures and findings of estimates from human and model labels, and of their differences."""

from __future__ import annotations

from typing import Any

from tare._decide.ppi.comparison import EstimateComparison
from tare._decide.ppi.estimates import Estimates
from tare._decide.ppi.tables import assumption
from tare.report._blocks import Figure
from tare.report._charts.intervals import correlation_intervals

__all__ = ["figures", "findings"]

MAX_SYSTEMS = 20
MAX_PAIRS = 40


def figures(result: Estimates | EstimateComparison) -> dict[str, list[Figure]]:
    """Draw the estimates next to people only and judge only, and the differences."""
    if isinstance(result, EstimateComparison):
        return {"pairs": _differences(result)}
    made = {"estimates": [_systems(result, measure) for measure in result.measures]}
    if isinstance(result.differences, EstimateComparison):
        made["differences"] = _differences(result.differences)
    return made


def _systems(estimates: Estimates, measure: str) -> Figure:
    rows = [row for row in estimates.rows() if row["measure"] == measure][:MAX_SYSTEMS]
    drawn = []
    for row in rows:
        ends: dict[str, Any]
        for group, key, ends in (
            ("estimate", "estimate", {"low": row["low"], "high": row["high"]}),
            ("people only", "people", {"low": row["people_low"], "high": row["people_high"]}),
            ("judge only", "judge", {"low": None, "high": None}),
        ):
            label = f"{row['system']} · {group}"
            drawn.append({"label": label, "group": group, "value": row[key], **ends})
    level = 100 * estimates.confidence
    caption = (
        f"{measure} of each system with {level:g} % intervals: the estimate from both sets of labels, "
        "people's labels only, and the judge's labels only, which have a bias that no interval shows."
    )
    chart = correlation_intervals(drawn, title=measure)
    title = f"Estimates of {measure}"
    return Figure(f"estimates {measure}", chart, caption, title, 60 + 26 * len(drawn))


def _differences(comparison: EstimateComparison) -> list[Figure]:
    made = []
    for family in comparison.families:
        rows = sorted(family.rows(), key=lambda row: -abs(row["statistic"]))[:MAX_PAIRS]
        drawn = [
            {
                "label": f"{row['system']} − {row['against']}",
                "group": "significant" if row["significant"] else "not significant",
                "value": row["difference"],
                "low": row["low"],
                "high": row["high"],
            }
            for row in rows
        ]
        caption = (
            f"Estimated differences of {family.measure} with {100 * (1 - comparison.alpha):g} % intervals, "
            "the clearest first."
        )
        chart = correlation_intervals(drawn, title=f"difference of {family.measure}")
        title = f"Differences of {family.measure}"
        made.append(
            Figure(f"differences {family.measure}", chart, caption, title, 60 + 26 * len(drawn))
        )
    return made


def findings(result: Estimates | EstimateComparison) -> list[str]:
    """Return the main findings as sentences."""
    estimates = result if isinstance(result, Estimates) else result.estimates
    assert estimates is not None
    made = []
    for measure in estimates.measures:
        rows = [row for row in estimates.rows() if row["measure"] == measure]
        best = rows[0]
        wrong = [row for row in rows if row["bias_low"] > 0 or row["bias_high"] < 0]
        made.append(
            f"{measure}: {best['system']} has the best estimate, {best['estimate']:.3f} "
            f"({best['low']:.3f} to {best['high']:.3f}); people's labels alone give "
            f"{best['people_low']:.3f} to {best['people_high']:.3f}, the judge's {best['judge']:.3f}. "
            f"The judge is biased for {len(wrong)} of {len(rows)} systems."
        )
    return [*made, assumption(estimates), *(str(finding) for finding in estimates.findings)]
