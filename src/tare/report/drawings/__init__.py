"""Which charts a study's answers get: one file a study, found by the name of its result.

A drawing takes a result and gives charts by the name of the table that they stand beside. A result
without a drawing of its own has its rows drawn by their shape, so every study has charts.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tare.report.blocks import Figure
from tare.report.drawings.shapes import by_shape

__all__ = ["DRAWINGS", "figures_of", "findings_of"]

# result: where its drawing is
DRAWINGS = {
    "AssessorStudy": "tare.report.drawings.assessors",
    "Consistency": "tare.report.drawings.consistency",
    "Discrimination": "tare.report.drawings.discrimination",
    "DiversityStudy": "tare.report.drawings.diversity",
    "ItemStudy": "tare.report.drawings.items",
    "Kinds": "tare.report.drawings.kinds",
    "LearnedMeasures": "tare.report.drawings.learned",
    "LetorStudy": "tare.report.drawings.letor",
    "MeasuresAndPeople": "tare.report.drawings.people",
    "PowerCurve": "tare.report.drawings.power",
    "PowerStudy": "tare.report.drawings.power_study",
    "SelfConsistency": "tare.report.drawings.self_consistency",
    "SummaryStudy": "tare.report.drawings.summaries",
}


def findings_of(result: Any) -> list[str]:
    """What a study found, in sentences: its own, or those of its drawing."""
    said = getattr(result, "headlines", None)
    if callable(said):
        return [str(sentence) for sentence in said()]
    place = DRAWINGS.get(type(result).__name__)
    found = getattr(import_module(place), "findings", None) if place else None
    return list(found(result)) if found else []


def figures_of(result: Any) -> dict[str, list[Figure]]:
    """The charts of a result, by the name of the table they belong to."""
    place = DRAWINGS.get(type(result).__name__)
    if place is None:
        return by_shape(result)
    drawn: dict[str, list[Figure]] = import_module(place).figures(result)
    return drawn
