"""Which charts a study's answers get: one file a study, found by the name of its result.

A drawing takes a result and gives charts by the name of the table that they stand beside. A result
without a drawing of its own has its rows drawn by their shape, so every study has charts.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tare.report._blocks import Figure
from tare.report._chapters.studies.shapes import by_shape

__all__ = ["DRAWINGS", "figures_of", "findings_of"]

# result: where its drawing is
DRAWINGS = {
    "AssessorStudy": "tare.report._chapters.studies.assessors",
    "Consistency": "tare.report._chapters.studies.consistency",
    "Discrimination": "tare.report._chapters.studies.discrimination",
    "DiversityStudy": "tare.report._chapters.studies.diversity",
    "ItemStudy": "tare.report._chapters.studies.items",
    "Kinds": "tare.report._chapters.studies.kinds",
    "LearnedMeasures": "tare.report._chapters.studies.learned",
    "LetorStudy": "tare.report._chapters.studies.letor",
    "MeasuresAndPeople": "tare.report._chapters.studies.people",
    "PowerCurve": "tare.report._chapters.studies.power",
    "PowerStudy": "tare.report._chapters.studies.power_study",
    "SelfConsistency": "tare.report._chapters.studies.self_consistency",
    "SummaryStudy": "tare.report._chapters.studies.summaries",
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
