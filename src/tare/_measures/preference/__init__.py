"""Measures of preferences: the registry's entries."""

from tare._measures.definition import register
from tare._measures.preference import prf

__all__ = ["prf"]

register(*prf.DEFINITIONS)
