"""Studies: a question, its design, its answer; one file a study, each imports what is heavy late."""

from tare.studies.consistency import consistency
from tare.studies.consistency_answers import Consistency
from tare.studies.discrimination import discrimination
from tare.studies.discrimination_answers import Discrimination
from tare.studies.diversity import diversity
from tare.studies.diversity_answers import DiversityStudy
from tare.studies.letor import letor
from tare.studies.letor_answers import LetorStudy
from tare.studies.measures_and_people import measures_and_people
from tare.studies.people_answers import MeasuresAndPeople
from tare.studies.summaries import summaries
from tare.studies.summaries_answers import SummaryStudy

__all__ = [
    "Consistency",
    "Discrimination",
    "DiversityStudy",
    "LetorStudy",
    "MeasuresAndPeople",
    "SummaryStudy",
    "consistency",
    "discrimination",
    "diversity",
    "letor",
    "measures_and_people",
    "summaries",
]
