"""Measures as values, their registry and grammar, and the score table; loaded on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tare._lazy import lazy_names

if TYPE_CHECKING:
    from tare._measures.definition import Definition, Parameter
    from tare._measures.measure import Measure, make
    from tare._measures.names import parse, parse_all
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

_MODULES = {
    "Definition": "tare._measures.definition",
    "Measure": "tare._measures.measure",
    "Parameter": "tare._measures.definition",
    "definitions": "tare._measures.registry",
    "find": "tare._measures.registry",
    "make": "tare._measures.measure",
    "parse": "tare._measures.names",
    "parse_all": "tare._measures.names",
}

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
