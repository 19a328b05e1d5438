"""Figures of estimates from human and model labels, and of their differences."""

from __future__ import annotations

from tare._decide.compare_estimates import EstimateComparison
from tare._decide.estimates import Estimates
from tare._result import Row
from tare.report._blocks import Figure
from tare.report._figures import Figures, drawn
from tare.report._marks import intervals
from tare.report._pairs import pair_intervals

__all__ = ["figures"]


MAX_SYSTEMS = 20
MAX_PAIRS = 40


@drawn.register
def figures(result: Estimates | EstimateComparison) -> Figures:
    """Draw the estimates from human and model labels next to people only and judge only, and the differences."""
    if isinstance(result, EstimateComparison):
        return {"pairs": _differences(result)}
    made = {"estimates": [_systems(result, measure) for measure in result.measures]}
    if isinstance(result.differences, EstimateComparison):
        made["differences"] = _differences(result.differences)
    return made


def _systems(estimates: Estimates, measure: str) -> Figure:
    every = [row for row in estimates.rows() if row["measure"] == measure]
    rows = every[:MAX_SYSTEMS]
    drawn = []
    for row in rows:
        low: float | None
        for group, value, low, high in (
            ("estimate", row["estimate"], row["low"], row["high"]),
            ("people only", row["people"], row["people_low"], row["people_high"]),
            ("judge only", row["judge"], None, None),
        ):
            name = row["system"]
            drawn.append({"label": name, "group": group, "value": value, "low": low, "high": high})
    level = 100 * estimates.confidence
    caption = (
        f"{measure} of each system with {level:g} % intervals, each for one system: the estimate from both "
        "sets of labels, people's labels only, and the judge's labels only, whose error no interval shows."
    )
    if len(rows) < len(every):
        caption += (
            f" The chart shows the best {len(rows)} of {len(every):,} systems, the table all."
        )
    chart = intervals(drawn, title=measure, words=("system", "from"))
    title = f"Estimates of {measure}"
    return Figure(f"estimates {measure}", chart, caption, title)


def _differences(comparison: EstimateComparison) -> list[Figure]:
    made = []
    for family in comparison.families:
        rows = sorted(family.rows(), key=_clearness)[:MAX_PAIRS]
        level = f"{100 * (1 - comparison.alpha):g} %"
        caption = (
            f"Estimated differences of {family.measure} with {level} intervals, "
            "each for one difference, the clearest first. The colour shows significance after the correction."
        )
        if len(rows) < len(family):
            caption += f" The chart shows {len(rows)} of {len(family):,} pairs, the table all."
        chart = pair_intervals(rows, measure=family.measure, interval=level)
        title = f"Differences of {family.measure}"
        made.append(Figure(f"differences {family.measure}", chart, caption, title))
    return made


def _clearness(row: Row) -> float:
    """Order pairs of estimates by |t|; those without a test come last."""
    t = row["statistic"]
    return 1.0 if t != t else -abs(t)
