"""Measures of several assessors, apart: the registry's entries."""

from tare.measures.assessors import averages, preferences
from tare.measures.definition import register

__all__ = ["averages", "preferences"]

register(*preferences.DEFINITIONS, *averages.DEFINITIONS)
