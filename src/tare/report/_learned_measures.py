"""Figures and findings of the study of learned measures (Rankel 2016, figs 5.1 to 5.9)."""

from __future__ import annotations

import math
from typing import Any

from tare.report._blocks import Figure
from tare.report._figures import drawn, said
from tare.report._marks import intervals
from tare.report._people import coefficient_name, human_machine_gap
from tare.studies._learning import LearnedMeasures

__all__ = ["figures", "findings"]


def _known(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


@said.register
def findings(study: LearnedMeasures) -> list[str]:
    """Report the learned measure and the feature with the highest correlation with people."""
    sentences = []
    for level in ("system", "item"):
        own = [
            r
            for r in study.correlations
            if r["level"] == level and r["coefficient"] == study.kind and _known(r["value"])
        ]
        for learned, word in ((True, "learned measures"), (False, "single features")):
            rows = [r for r in own if r["measure"].startswith("learned by") == learned]
            if rows:
                best = max(rows, key=lambda r: r["value"])
                sentences.append(
                    f"On held-out outputs, {coefficient_name(study.kind)} with {study.people[0]} at the {level} "
                    f"level ({best['peers']}) is at most {best['value']:.2f} for {word} ({best['measure']})."
                )
    if sentences:
        sentences.append("Whether these measures differ was not tested.")
    return sentences


@drawn.register
def figures(study: LearnedMeasures) -> dict[str, list[Figure]]:
    """Draw correlations on held-out outputs, and people against machines."""
    human = study.people[0]
    by_table: dict[str, list[Figure]] = {"correlations": [], "coefficients": []}
    for level in ("system", "item"):
        labels = [
            {
                "label": r["measure"],
                "group": r["peers"],
                "value": r["value"],
                "low": r["low_both"],
                "high": r["high_both"],
            }
            for r in study.correlations
            if r["level"] == level and r["coefficient"] == study.kind and _known(r["value"])
        ]
        if labels:
            chart = intervals(labels, title=f"{coefficient_name(study.kind)} with {human}")
            caption = f"{coefficient_name(study.kind)} with {human} on held-out outputs, {level} level, with {100 * study.confidence:g} % intervals over systems and items."
            by_table["correlations"].append(
                Figure(f"learned {level}", chart, caption, f"Learned measures: {level} level")
            )
    for measure in dict.fromkeys(r["measure"] for r in study.gaps):
        dots = [
            {
                "system": r["system"],
                "automatic": r["measured"],
                "human": r["judged"],
                "person": r["model"],
            }
            for r in study.gaps
            if r["measure"] == measure and _known(r["measured"]) and _known(r["judged"])
        ]
        if len(dots) > 2:
            chart = human_machine_gap(dots, automatic=measure, human=human)
            caption = "One dot per system, predicted while it was held out. The dashed line is fitted to the machines."
            by_table["coefficients"].append(
                Figure(f"{measure} against {human}", chart, caption, f"{measure} against {human}")
            )
    return {name: drawn for name, drawn in by_table.items() if drawn}
