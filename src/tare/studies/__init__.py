"""Studies of measures, tests, assessors and rankers: one function and one result class each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tare._lazy import lazy_names

if TYPE_CHECKING:
    from tare.studies._agreement import Agreement, Kappa, agreement, cohen_kappa, fleiss_kappa
    from tare.studies._answers import AnswerStudy, answers
    from tare.studies._assessors import AssessorStudy, assessors
    from tare.studies._consistency import Consistency, consistency, run_consistency
    from tare.studies._discrimination import Discrimination, discrimination
    from tare.studies._diversity import DiversityStudy, diversity
    from tare.studies._items import ItemStudy, items
    from tare.studies._judges import JudgeStudy, judges
    from tare.studies._learning import LearnedMeasures, learned_measure
    from tare.studies._letor.result import LetorStudy
    from tare.studies._letor.study import letor
    from tare.studies._people import MeasuresAndPeople, measures_and_people
    from tare.studies._self_consistency import SelfConsistency, self_consistency
    from tare.studies._summaries import SummaryStudy, summaries

__all__ = [
    "Agreement",
    "AnswerStudy",
    "AssessorStudy",
    "Consistency",
    "Discrimination",
    "DiversityStudy",
    "ItemStudy",
    "JudgeStudy",
    "Kappa",
    "LearnedMeasures",
    "LetorStudy",
    "MeasuresAndPeople",
    "SelfConsistency",
    "SummaryStudy",
    "agreement",
    "answers",
    "assessors",
    "cohen_kappa",
    "consistency",
    "discrimination",
    "diversity",
    "fleiss_kappa",
    "items",
    "judges",
    "learned_measure",
    "letor",
    "measures_and_people",
    "run_consistency",
    "self_consistency",
    "summaries",
]

# Loaded on first use: one study does not load the others.
_MODULES = {
    "self_consistency": "tare.studies._self_consistency",
    "SelfConsistency": "tare.studies._self_consistency",
    "fleiss_kappa": "tare.studies._agreement",
    "cohen_kappa": "tare.studies._agreement",
    "agreement": "tare.studies._agreement",
    "Kappa": "tare.studies._agreement",
    "Agreement": "tare.studies._agreement",
    "AnswerStudy": "tare.studies._answers",
    "AssessorStudy": "tare.studies._assessors",
    "Consistency": "tare.studies._consistency",
    "Discrimination": "tare.studies._discrimination",
    "DiversityStudy": "tare.studies._diversity",
    "ItemStudy": "tare.studies._items",
    "JudgeStudy": "tare.studies._judges",
    "LearnedMeasures": "tare.studies._learning",
    "LetorStudy": "tare.studies._letor.result",
    "MeasuresAndPeople": "tare.studies._people",
    "SummaryStudy": "tare.studies._summaries",
    "answers": "tare.studies._answers",
    "assessors": "tare.studies._assessors",
    "consistency": "tare.studies._consistency",
    "discrimination": "tare.studies._discrimination",
    "diversity": "tare.studies._diversity",
    "items": "tare.studies._items",
    "judges": "tare.studies._judges",
    "learned_measure": "tare.studies._learning",
    "letor": "tare.studies._letor.study",
    "measures_and_people": "tare.studies._people",
    "run_consistency": "tare.studies._consistency",
    "summaries": "tare.studies._summaries",
}

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
