"""Figures and findings of the study of measures and people (Rankel 2016, ch. 5)."""

from __future__ import annotations

import math
from typing import Any

from tare._tables import p_stated
from tare.report._blocks import Figure
from tare.report._figures import drawn, said
from tare.report._marks.curves import human_machine_gap
from tare.report._marks.intervals import correlation_intervals
from tare.stats._correlation import COEFFICIENTS
from tare.studies._people import MeasuresAndPeople

__all__ = ["figures", "findings"]


MAX_SCATTERS = 3
MAX_LABELS = 30


@said.register
def findings(study: MeasuresAndPeople) -> list[str]:
    """Report the two highest correlations with people at each level, and whether they differ."""
    rows = [
        r
        for r in study.all_rows().get("correlations", [])
        if r["coefficient"] == study.kind and _known(r["value"])
    ]
    if not rows:
        return []
    human, peers = rows[0]["human"], rows[0]["peers"]
    name = COEFFICIENTS[study.kind].title
    sentences = []
    for level in dict.fromkeys(r["level"] for r in rows):
        own = [r for r in rows if (r["level"], r["human"], r["peers"]) == (level, human, peers)]
        own.sort(key=lambda r: -r["value"])
        if not own:
            continue
        best, *rest = own
        told = f"At the {level} level ({peers}), {name} with {human} is {best['value']:.2f} for {best['measure']}"
        if not rest:
            sentences.append(f"{told}.")
            continue
        told += f" and {rest[0]['value']:.2f} for {rest[0]['measure']}"
        if len(rest) > 1:
            told += f", the two highest of {len(own)} measures"
        pair = {best["measure"], rest[0]["measure"]}
        tests = [
            r
            for r in study.all_rows().get("tests", [])
            if {r["first"], r["second"]} == pair
            and (r["level"], r["human"], r["peers"]) == (level, human, peers)
        ]
        sentences += [f"{told}: {_difference(r['p_adjusted'], study.alpha)}." for r in tests[:1]]
    return sentences


def _difference(p: float, alpha: float) -> str:
    if not _known(p):
        return "the difference could not be tested"
    said = "a difference is shown" if p <= alpha else "no difference is shown"
    return f"{said} (adjusted {p_stated(p)})"


@drawn.register
def figures(study: MeasuresAndPeople) -> dict[str, list[Figure]]:
    """Draw the human–machine gap by measure, and correlations by group of systems."""
    rows = study.all_rows()
    by_table: dict[str, list[Figure]] = {"agreement": [], "correlations": []}
    models = set(study.models)
    systems = rows.get("systems", [])
    for measure in study.measures[:MAX_SCATTERS]:
        for human in study.people[:1]:
            dots = [
                {
                    "system": r["system"],
                    "automatic": r["measured"],
                    "human": r["judged"],
                    "person": r["system"] in models,
                }
                for r in systems
                if (r["measure"], r["human"]) == (measure, human)
                and _known(r["measured"])
                and _known(r["judged"])
            ]
            if len(dots) > 2:
                by_table["agreement"].append(_gap(dots, measure, human))
    for human in study.people[:2]:
        by_table["correlations"] += _correlations(study, rows.get("correlations", []), human)
    return by_table


def _known(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _gap(dots: list[dict[str, Any]], measure: str, human: str) -> Figure:
    caption = "One dot per system."
    if any(dot["person"] for dot in dots):
        caption += " The dashed line is fitted to the machines. The distance of people (triangles) from it is the human–machine gap."
    chart = human_machine_gap(dots, automatic=measure, human=human)
    return Figure(f"{measure} against {human}", chart, caption, f"{measure} against {human}", 420)


def _correlations(study: MeasuresAndPeople, rows: list[dict[str, Any]], human: str) -> list[Figure]:
    charts = []
    for level in dict.fromkeys(r["level"] for r in rows):
        own = [
            r
            for r in rows
            if r["human"] == human
            and r["level"] == level
            and r["coefficient"] == study.kind
            and _known(r["value"])
        ]
        if not own:
            continue
        labels = [
            {
                "label": r["measure"],
                "group": r["peers"],
                "value": r["value"],
                "low": r.get("low_both"),
                "high": r.get("high_both"),
            }
            for r in own[:MAX_LABELS]
        ]
        chart = correlation_intervals(
            labels, title=f"{COEFFICIENTS[study.kind].title} with {human}"
        )
        caption = f"{COEFFICIENTS[study.kind].title} of each measure with {human}, {level} level, with {100 * study.confidence:g} % intervals of the expected coefficient for sets of systems and items of this size."
        height = 60 + 30 * len({x["label"] for x in labels})
        charts.append(
            Figure(
                f"correlation with {human} {level}",
                chart,
                caption,
                f"Correlation with {human}: {level} level",
                height,
            )
        )
    return charts
