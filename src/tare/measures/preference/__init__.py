"""Measures of preferences: the registry's entries."""

from tare.measures.definition import register
from tare.measures.preference import prf

__all__ = ["prf"]

register(*prf.DEFINITIONS)
