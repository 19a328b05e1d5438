"""Numbers per item: measures as values, their registry and grammar, the score table."""

from tare.measures import assessors, diversity, preference, ranking, text  # register their measures
from tare.measures.definition import Definition, Parameter, definitions, find
from tare.measures.measure import Measure, make
from tare.measures.names import parse, parse_all

__all__ = [
    "Definition",
    "Measure",
    "Parameter",
    "assessors",
    "definitions",
    "diversity",
    "find",
    "make",
    "parse",
    "parse_all",
    "preference",
    "ranking",
    "text",
]
