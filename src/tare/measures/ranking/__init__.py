"""Measures of rankings: the registry's entries, each beside its kernel's arguments."""

from tare.measures.definition import register
from tare.measures.ranking import browsing, counting, gains, positions

register(*counting.DEFINITIONS, *positions.DEFINITIONS, *gains.DEFINITIONS, *browsing.DEFINITIONS)
