"""Figures and findings of the study of learned measures (Rankel 2016, figs 5.1 to 5.9)."""

from __future__ import annotations

from tare.report._blocks import Figure
from tare.report._figures import drawn
from tare.report._marks import intervals
from tare.report._people import human_machine_gap
from tare.stats._correlation import coefficient_name
from tare.studies._learning import LearnedMeasures
from tare.studies._people_correlations import is_known


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
            if r["level"] == level and r["coefficient"] == study.kind and is_known(r["value"])
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
            if r["measure"] == measure and is_known(r["measured"]) and is_known(r["judged"])
        ]
        if len(dots) > 2:
            chart = human_machine_gap(dots, automatic=measure, human=human)
            caption = "One dot per system, predicted while it was held out. The dashed line is fitted to the machines."
            by_table["coefficients"].append(
                Figure(f"{measure} against {human}", chart, caption, f"{measure} against {human}")
            )
    return {name: drawn for name, drawn in by_table.items() if drawn}
