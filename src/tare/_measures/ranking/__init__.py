"""Measures of rankings: the registry's entries, each beside its kernel's arguments."""

from tare._measures.definition import register
from tare._measures.ranking import browsing, counting, gains, label_ranking, positions

register(
    *counting.DEFINITIONS,
    *positions.DEFINITIONS,
    *label_ranking.DEFINITIONS,
    *gains.DEFINITIONS,
    *browsing.DEFINITIONS,
)
