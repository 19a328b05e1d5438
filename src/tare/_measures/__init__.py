"""Numbers per item: measures as values, their registry and grammar, the score table."""

from tare._measures import (  # register their measures
    assessors,
    diversity,
    preference,
    ranking,
    text,
)
from tare._measures.definition import Definition, Parameter, definitions, find
from tare._measures.measure import Measure, make
from tare._measures.names import parse, parse_all

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
