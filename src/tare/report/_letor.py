"""Figures of the learning-to-rank study (Feng and Karmaker 2023, figs 1 to 3)."""

from __future__ import annotations

import math
from dataclasses import replace

from tare._result import Row
from tare.report._blocks import Figure
from tare.report._chance import expected_histogram
from tare.report._figures import Figures, drawn, figures_of
from tare.report._marks import curves, grouped_bars, intervals
from tare.studies._letor.result import LetorStudy

__all__ = ["figures"]


MAX_MEASURES = 4


@drawn.register
def figures(study: LetorStudy) -> Figures:
    """Draw the figures of learning to rank: means by cutoff, queries against chance, power by set, and agreement between data sets."""
    rows = study.all_rows()
    return {
        "means": _means(rows["means"]),
        "agreement": _queries(study, rows["chances"]),
        "power": [
            *_power(rows["power"]),
            *(
                figure
                for result in study.discrimination.values()
                for figure in figures_of(result)["families"]
            ),
        ],
        "swaps": _swaps(rows["swaps"]),
    }


def _means(rows: list[Row]) -> list[Figure]:
    charts = []
    for measure in list(dict.fromkeys(r["measure"] for r in rows))[:MAX_MEASURES]:
        own = [r for r in rows if r["measure"] == measure and not math.isnan(r["mean"])]
        if len({r["cutoff"] for r in own}) < 2:
            continue
        drawn = [
            {"series": r["system"], "x": float(r["cutoff"]), "y": r["mean"]}
            for r in sorted(own, key=lambda r: (r["system"], r["cutoff"]))
        ]
        caption = f"Mean {measure} of each ranker by cutoff."
        charts.append(
            Figure(
                f"{measure} by cutoff",
                curves(drawn, x="cutoff", y=measure),
                caption,
                f"{measure} by cutoff",
            )
        )
    return charts


def _queries(study: LetorStudy, chances: list[Row]) -> list[Figure]:
    charts = [
        replace(figure, name=f"{figure.name} {case}", title=f"{figure.title}: {case}")
        for case, found in study.kinds.items()
        for figure in figures_of(found)["result"][:1]
    ]
    values: dict[str, list[float]] = {}
    for row in chances:
        name = f"{row['measure']}@{row['cutoff']}" + (
            ", published" if row["baseline"] == "published" else ""
        )
        values.setdefault(name, []).append(row["expected"])
    if values:
        caption, hint = "Number of queries by expected value.", "Select a measure above the chart."
        charts.append(
            Figure(
                "expected values",
                expected_histogram(values),
                caption,
                "Expected scores under chance",
                hint,
            )
        )
    return charts


def _power(rows: list[Row]) -> list[Figure]:
    drawn = [
        {"label": r["set"], "group": r["family"], "value": r["power"]}
        for r in rows
        if not math.isnan(r["power"])
    ]
    if not drawn:
        return []
    chart = grouped_bars(drawn, x="queries", y="share of significant pairs")
    caption = "Share of significantly different pairs of rankers by measure and kind of query."
    return [Figure("power by set", chart, caption, "Discriminative power by measure")]


def _swaps(rows: list[Row]) -> list[Figure]:
    known = [r for r in rows if r["coefficient"] is not None and math.isfinite(r["coefficient"])]
    if not known:
        return []
    chart = intervals(known, label="measure", group="between", value="coefficient", title="τ-b")
    caption = "Kendall's τ-b between the rankings of rankers on two data sets, with the 95 % interval of its expected value for query sets of this size."
    return [Figure("order on other data", chart, caption, "Rank correlation between data sets")]
