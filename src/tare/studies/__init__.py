"""Studies of measures, tests, assessors and rankers: one function and one result class each."""

from tare.studies._arena.result import Arena
from tare.studies._arena.study import arena
from tare.studies._assessors.result import AssessorStudy
from tare.studies._assessors.study import assessors
from tare.studies._consistency.result import Consistency
from tare.studies._consistency.runs import run_consistency
from tare.studies._consistency.study import consistency
from tare.studies._discrimination.result import Discrimination
from tare.studies._discrimination.study import discrimination
from tare.studies._diversity.result import DiversityStudy
from tare.studies._diversity.study import diversity
from tare.studies._gate.gate import gate
from tare.studies._gate.history import GateHistory
from tare.studies._gate.result import Gate
from tare.studies._items.result import ItemStudy
from tare.studies._items.study import items
from tare.studies._judges.result import JudgeStudy
from tare.studies._judges.study import judges
from tare.studies._leaderboard.result import Leaderboard
from tare.studies._leaderboard.study import leaderboard
from tare.studies._learning.result import LearnedMeasures
from tare.studies._learning.study import learned_measure
from tare.studies._letor.result import LetorStudy
from tare.studies._letor.study import letor
from tare.studies._people.result import MeasuresAndPeople
from tare.studies._people.study import measures_and_people
from tare.studies._power.result import PowerStudy
from tare.studies._power.study import power
from tare.studies._summaries.result import SummaryStudy
from tare.studies._summaries.study import summaries

__all__ = [
    "Arena",
    "AssessorStudy",
    "Consistency",
    "Discrimination",
    "DiversityStudy",
    "Gate",
    "GateHistory",
    "ItemStudy",
    "JudgeStudy",
    "Leaderboard",
    "LearnedMeasures",
    "LetorStudy",
    "MeasuresAndPeople",
    "PowerStudy",
    "SummaryStudy",
    "arena",
    "assessors",
    "consistency",
    "discrimination",
    "diversity",
    "gate",
    "items",
    "judges",
    "leaderboard",
    "learned_measure",
    "letor",
    "measures_and_people",
    "power",
    "run_consistency",
    "summaries",
]
