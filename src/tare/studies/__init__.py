"""Studies: a question, its design, its answer; one file a study, each imports what is heavy late."""

from tare.studies.assessors import assessors
from tare.studies.assessors_answers import AssessorStudy
from tare.studies.consistency import consistency
from tare.studies.consistency_answers import Consistency
from tare.studies.consistency_runs import run_consistency
from tare.studies.discrimination import discrimination
from tare.studies.discrimination_answers import Discrimination
from tare.studies.diversity import diversity
from tare.studies.diversity_answers import DiversityStudy
from tare.studies.items import items
from tare.studies.items_answers import ItemStudy
from tare.studies.learned_answers import LearnedMeasures
from tare.studies.learned_measure import learned_measure
from tare.studies.letor import letor
from tare.studies.letor_answers import LetorStudy
from tare.studies.measures_and_people import measures_and_people
from tare.studies.people_answers import MeasuresAndPeople
from tare.studies.power import PowerStudy, power
from tare.studies.summaries import summaries
from tare.studies.summaries_answers import SummaryStudy

__all__ = [
    "AssessorStudy",
    "Consistency",
    "Discrimination",
    "DiversityStudy",
    "ItemStudy",
    "LearnedMeasures",
    "LetorStudy",
    "MeasuresAndPeople",
    "PowerStudy",
    "SummaryStudy",
    "assessors",
    "consistency",
    "discrimination",
    "diversity",
    "items",
    "learned_measure",
    "letor",
    "measures_and_people",
    "power",
    "run_consistency",
    "summaries",
]
