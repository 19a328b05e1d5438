"""Measures as values, their registry and grammar, and the score table; loaded on first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_MODULES = {
    "Definition": "definition",
    "Measure": "measure",
    "Parameter": "parameter",
    "definitions": "registry",
    "find": "registry",
    "make": "measure",
    "parse": "names",
    "parse_all": "names",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'tare._measures' has no attribute {name!r}")
    return getattr(import_module(f"tare._measures.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
