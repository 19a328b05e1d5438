"""Studies: a question, its design, its answer."""

from tare.studies.diversity import DiversityStudy, diversity

__all__ = ["DiversityStudy", "diversity"]
