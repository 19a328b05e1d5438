"""Studies: a question, its design, its answer; one file a study, each imports what is heavy late."""

from tare.studies.diversity import diversity
from tare.studies.diversity_answers import DiversityStudy

__all__ = ["DiversityStudy", "diversity"]
