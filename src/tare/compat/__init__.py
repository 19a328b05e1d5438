"""The Python interfaces of other programs, computed by tare.

Each module has the names and signatures of one program and is loaded on first use. `install` lets code
that imports the program use tare's module instead.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tare.compat import ir_measures, pytrec_eval, ranx, rouge_score
    from tare.compat._installation import Installation, install, uninstall

__all__ = [
    "Installation",
    "install",
    "ir_measures",
    "pytrec_eval",
    "ranx",
    "rouge_score",
    "uninstall",
]

_PACKAGES = ("ir_measures", "pytrec_eval", "ranx", "rouge_score")


def __getattr__(name: str) -> ModuleType:
    if name in _PACKAGES:
        return import_module(f"tare.compat.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'tare.compat' has no attribute {name!r}")
    found: ModuleType = getattr(import_module("tare.compat._installation"), name)
    return found


def __dir__() -> list[str]:
    return list(__all__)
