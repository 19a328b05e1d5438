"""Measures of several assessors, apart: the registry's entries."""

from tare._measures.assessors import averages, preferences
from tare._measures.definition import register

__all__ = ["averages", "preferences"]

register(*preferences.DEFINITIONS, *averages.DEFINITIONS)
