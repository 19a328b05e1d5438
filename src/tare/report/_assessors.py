"""Figures of assessors: repeated judgements, and manual minus automatic scores (Rankel 2016, figs 6.1 to 6.3)."""

from __future__ import annotations

from typing import Any

from tare.report._blocks import Figure
from tare.report._encoding import Chart, Rows, altair
from tare.report._figures import Figures, drawn
from tare.report._marks import Ramp, matrix, strip
from tare.studies._assessors import AssessorStudy
from tare.studies._self_consistency import SelfConsistency

__all__ = ["figures"]


@drawn.register
def figures(study: AssessorStudy) -> Figures:
    """Draw contingency tables of assessors, and the difference of manual and automatic scores by assessor."""
    by_table: Figures = {}
    drawn = _repeated_judgements(study.consistency).get("result", [])
    if drawn:
        by_table["contingency"] = drawn
    rows = [
        {"group": r["assessor"], "item": r["item"], "difference": r["difference"]}
        for r in study.rows_by_name.get("pyramids", [])
    ]
    if rows:
        chart = strip(
            rows, label="group", value="difference", item="item", title="manual − automatic"
        )
        caption = "One tick per item: the manual minus the automatic score, averaged over systems, by the assessor who judged the item."
        by_table["differences"] = [
            Figure("pyramids", chart, caption, "Manual minus automatic score")
        ]
    return by_table


MAX_ASSESSORS = 12


@drawn.register
def _repeated_judgements(found: SelfConsistency) -> Figures:
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
    return {"result": [Figure("contingency", contingency(rows), caption, "Repeated judgements")]}


def _shown(value: Any) -> Any:
    return float(f"{value:.4g}") if isinstance(value, float) else value


def contingency(rows: Rows) -> Chart:
    """Draw one small matrix per assessor: first judgement against second judgement.

    Each row has assessor, first, second and count (Rankel 2016, figs 6.1 and 6.2). On the diagonal
    the two judgements are equal.
    """
    alt = altair()
    most = max((float(row["count"]) for row in rows), default=1.0)
    down = alt.Axis(grid=False)
    return matrix(
        rows,
        across=alt.X("first:O", title="first judgement", axis=alt.Axis(labelAngle=0, grid=False)),
        down=alt.Y("second:O", title="second judgement", sort="descending", axis=down),
        ramp=Ramp("count", "count", high=most, legend=False),
        tips=[
            ("assessor", "assessor"),
            ("first", "first judgement"),
            ("second", "second judgement"),
            ("count", "count", "d"),
        ],
        words=("count", "d"),
        facet="assessor",
        width=130,
        height=130,
    )
