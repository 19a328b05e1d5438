"""Measures of novelty and diversity: the registry's entries, their values and their chance."""

from tare._measures.definition import register
from tare._measures.diversity import cascade, intents

__all__ = ["cascade", "intents"]

register(*cascade.DEFINITIONS, *intents.DEFINITIONS)
