"""Studies: a question, its design, its answer."""

from tare.studies.diversity import diversity
from tare.studies.diversity_answers import DiversityStudy

__all__ = ["DiversityStudy", "diversity"]
