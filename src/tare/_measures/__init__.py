"""Measures as values, their registry and grammar, and the score table."""

from tare._measures.definition import Definition
from tare._measures.measure import Measure, make
from tare._measures.names import parse, parse_all
from tare._measures.parameter import Parameter
from tare._measures.registry import definitions, find

__all__ = [
    "Definition",
    "Measure",
    "Parameter",
    "definitions",
    "find",
    "make",
    "parse",
    "parse_all",
]
