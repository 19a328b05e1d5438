"""Figures and findings of the audit of judges."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tare.report._blocks import Figure
from tare.report._charts.judges import (
    judge_leniency,
    label_confusion,
    nine_cells,
    systems_by_labels,
)

if TYPE_CHECKING:
    from tare.studies._judges import JudgeStudy

__all__ = ["figures", "findings"]

MAX_JUDGES = 6
WORDS = ("better", "none", "worse")


def findings(study: JudgeStudy) -> list[str]:
    """Return the paragraph of each judge; with many judges, those that are drawn."""
    shown = set(_shown(study))
    return [r["text"] for r in study.rows_by_name["paragraphs"] if r["judge"] in shown]


def _shown(study: JudgeStudy) -> list[str]:
    """Return the judges that are drawn: all, or those with the highest κ."""
    if len(study.judges) <= MAX_JUDGES:
        return list(study.judges)
    rows = study.rows_by_name["agreement"]
    kappa = {r["judge"]: float(r["kappa"]) for r in rows if _known(r.get("kappa"))}
    best = sorted(study.judges, key=lambda judge: -kappa.get(judge, -2.0))
    return best[:MAX_JUDGES]


def _known(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def figures(study: JudgeStudy) -> dict[str, list[Figure]]:
    """Draw confusion, leniency by grade, systems by both label sets, and the nine cells."""
    shown = _shown(study)
    rest = len(study.judges) - len(shown)
    note = (
        f" The chart shows the {len(shown)} judges with the highest κ of {len(study.judges)}."
        if rest
        else ""
    )
    made: dict[str, list[Figure]] = {}

    def rows(name: str) -> list[dict[str, Any]]:
        found = [r for r in study.rows_by_name[name] if r["judge"] in shown]
        return sorted(found, key=lambda r: shown.index(r["judge"]))

    matrices = -(-len(shown) // 3)
    confusion = rows("confusion")
    if confusion:
        labels = dict.fromkeys(str(r[k]) for r in confusion for k in ("human_label", "judge_label"))
        chart = label_confusion(confusion, labels=sorted(labels, key=_sortable))
        caption = f"Number of pairs by the label of people and of the judge; the colour is the share of the human label. Equal labels are on the diagonal.{note}"
        made["confusion"] = [
            Figure("confusion", chart, caption, "Labels of people and judges", 80 + 230 * matrices)
        ]
    lenient = [r for r in rows("leniency") if _known(r["leniency"])]
    if lenient:
        drawn = [{**r, "low": r["leniency_low"], "high": r["leniency_high"]} for r in lenient]
        caption = f"Mean judge − human label of the pairs with each human label, with {100 * study.confidence:g} % intervals over queries. Above zero the judge is more lenient than people.{note}"
        made["leniency"] = [
            Figure("leniency", judge_leniency(drawn), caption, "Leniency by human grade", 340)
        ]
    for measure in study.measures:
        own = [
            r
            for r in rows("systems")
            if r["measure"] == measure and _known(r["labelled"]) and _known(r["human"])
        ]
        if own:
            caption = f"One dot per system. On the dashed line both label sets give the same {measure}; above it the judge's labels give more.{note}"
            chart = systems_by_labels(own, measure=measure)
            made.setdefault("systems", []).append(
                Figure(
                    f"systems {measure}",
                    chart,
                    caption,
                    f"{measure} by labels of people and judges",
                    470,
                )
            )
        cells = [
            {
                "judge": r["judge"],
                "human": h,
                "labelled": j,
                "count": r[f"{h}_{j}"],
                "share": r[f"{h}_{j}"] / max(r["pairs"], 1),
            }
            for r in rows("conclusions")
            if r["measure"] == measure and r["comparison"] == "all queries"
            for h in WORDS
            for j in WORDS
        ]
        if cells:
            caption = f"Pairs of systems by the conclusion of the test under each label set ({measure}, test {study.test}, α = {study.alpha:g}). The corners better/worse are reversed conclusions.{note}"
            made.setdefault("conclusions", []).append(
                Figure(
                    f"conclusions {measure}",
                    nine_cells(cells),
                    caption,
                    f"Conclusions about pairs of systems by {measure}",
                    80 + 170 * matrices,
                )
            )
    return made


def _sortable(label: str) -> tuple[int, float, str]:
    try:
        return 0, float(label), label
    except ValueError:
        return 1, 0.0, label
