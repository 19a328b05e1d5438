"""Studies of measures, tests, assessors and rankers: one function and one result class each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tare._lazy import lazy_names

if TYPE_CHECKING:
    from tare.studies._answers.result import AnswerStudy
    from tare.studies._answers.study import answers
    from tare.studies._assessors.result import AssessorStudy
    from tare.studies._assessors.study import assessors
    from tare.studies._consistency.result import Consistency
    from tare.studies._consistency.runs import run_consistency
    from tare.studies._consistency.study import consistency
    from tare.studies._discrimination.result import Discrimination
    from tare.studies._discrimination.study import discrimination
    from tare.studies._diversity.result import DiversityStudy
    from tare.studies._diversity.study import diversity
    from tare.studies._items.result import ItemStudy
    from tare.studies._items.study import items
    from tare.studies._judges.result import JudgeStudy
    from tare.studies._judges.study import judges
    from tare.studies._learning.result import LearnedMeasures
    from tare.studies._learning.study import learned_measure
    from tare.studies._letor.result import LetorStudy
    from tare.studies._letor.study import letor
    from tare.studies._people.result import MeasuresAndPeople
    from tare.studies._people.study import measures_and_people
    from tare.studies._summaries.result import SummaryStudy
    from tare.studies._summaries.study import summaries

__all__ = [
    "AnswerStudy",
    "AssessorStudy",
    "Consistency",
    "Discrimination",
    "DiversityStudy",
    "ItemStudy",
    "JudgeStudy",
    "LearnedMeasures",
    "LetorStudy",
    "MeasuresAndPeople",
    "SummaryStudy",
    "answers",
    "assessors",
    "consistency",
    "discrimination",
    "diversity",
    "items",
    "judges",
    "learned_measure",
    "letor",
    "measures_and_people",
    "run_consistency",
    "summaries",
]

# Loaded on first use: one study does not load the others.
_MODULES = {
    "AnswerStudy": "tare.studies._answers.result",
    "AssessorStudy": "tare.studies._assessors.result",
    "Consistency": "tare.studies._consistency.result",
    "Discrimination": "tare.studies._discrimination.result",
    "DiversityStudy": "tare.studies._diversity.result",
    "ItemStudy": "tare.studies._items.result",
    "JudgeStudy": "tare.studies._judges.result",
    "LearnedMeasures": "tare.studies._learning.result",
    "LetorStudy": "tare.studies._letor.result",
    "MeasuresAndPeople": "tare.studies._people.result",
    "SummaryStudy": "tare.studies._summaries.result",
    "answers": "tare.studies._answers.study",
    "assessors": "tare.studies._assessors.study",
    "consistency": "tare.studies._consistency.study",
    "discrimination": "tare.studies._discrimination.study",
    "diversity": "tare.studies._diversity.study",
    "items": "tare.studies._items.study",
    "judges": "tare.studies._judges.study",
    "learned_measure": "tare.studies._learning.study",
    "letor": "tare.studies._letor.study",
    "measures_and_people": "tare.studies._people.study",
    "run_consistency": "tare.studies._consistency.runs",
    "summaries": "tare.studies._summaries.study",
}

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
