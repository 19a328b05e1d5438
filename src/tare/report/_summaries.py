"""Figures of the summary study (Feng 2023, figs 8.2 and 8.3, and correlations)."""

from __future__ import annotations

import math

from tare.report._blocks import Figure
from tare.report._encoding import Rows
from tare.report._figures import Figures, drawn
from tare.report._marks import grouped_bars, intervals
from tare.report._people import BOTH
from tare.stats._correlation import COEFFICIENTS
from tare.studies._summaries import SummaryStudy

__all__ = ["figures"]


MAX_LABELS = 40
MAX_DOCUMENTS = 200


@drawn.register
def figures(study: SummaryStudy) -> Figures:
    """Draw the figures of the summary study: correlations, order sensitivity by document, and token similarity by kind of document."""
    rows = study.all_rows()
    by_table: Figures = {"intervals": []}
    for level in dict.fromkeys(r["level"] for r in rows.get("correlations", [])):
        by_table["intervals"] += _correlations(study, rows["correlations"], level)
    if "documents" in rows:
        by_table["documents"] = [_sensitivity(rows["documents"]), *_similarity(rows["documents"])]
    return by_table


def _correlations(study: SummaryStudy, rows: Rows, level: str) -> list[Figure]:
    own = [
        r
        for r in rows
        if r["level"] == level
        and r["coefficient"] == study.kind
        and r["set"] == "all documents"
        and r["value"] is not None
        and math.isfinite(r["value"])
    ]
    if not own:
        return []
    name = COEFFICIENTS[study.kind].title
    chart = intervals(
        [
            {**r, "both": f"{r['human']}: {r['measure']}"}
            for r in sorted(own, key=lambda r: r["human"])[:MAX_LABELS]
        ],
        label="both",
        group="set",
        ends=BOTH,
        title=f"{name} with people",
    )
    caption = f"{name} of each measure with each human judgement, {level} level, with {100 * study.confidence:g} % intervals of the expected coefficient for sets of systems and documents of this size."
    return [
        Figure(
            f"correlation {level} level",
            chart,
            caption,
            f"Correlation with people, {level} level",
        )
    ]


def _sensitivity(rows: Rows) -> Figure:
    ordered = sorted(rows, key=lambda r: r["sensitivity"])
    step = max(1, -(-len(ordered) // MAX_DOCUMENTS))
    drawn = [
        {"label": r["item"], "group": r["kind"] or "neither", "value": r["sensitivity"]}
        for r in ordered[::step]
    ]
    groups = [
        g
        for g in ("heterogeneous", "neither", "homogeneous")
        if any(d["group"] == g for d in drawn)
    ]
    chart = grouped_bars(
        drawn,
        x="documents, least sensitive first",
        y="order sensitivity",
        order=groups,
        side_by_side=False,
    )
    caption = "Order sensitivity of each document: the score of its most similar tokens minus the score of its least similar tokens."
    return Figure("order sensitivity", chart, caption, "Documents by order sensitivity")


def _similarity(rows: Rows) -> list[Figure]:
    drawn = []
    for kind in ("heterogeneous", "homogeneous"):
        own = [r for r in rows if r["kind"] == kind]
        if not own:
            continue
        means, spreads = ([float(r[k]) for r in own] for k in ("similarity", "dispersion"))
        drawn += [
            {
                "label": "mean",
                "group": kind,
                "value": sum(means) / len(own),
                "deviation": _deviation(means),
            },
            {
                "label": "standard deviation",
                "group": kind,
                "value": sum(spreads) / len(own),
                "deviation": _deviation(spreads),
            },
        ]
    if not drawn:
        return []
    chart = grouped_bars(drawn, x="similarity of tokens to their document", y="cosine")
    caption = "Mean and standard deviation of the similarity between tokens and their document, by kind of document. Whiskers are one standard deviation over documents."
    return [Figure("token similarity", chart, caption, "Similarity of tokens to their document")]


def _deviation(values: list[float]) -> float:
    mean = sum(values) / len(values)
    return math.sqrt(sum((v - mean) ** 2 for v in values) / max(1, len(values) - 1))
