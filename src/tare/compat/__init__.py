"""The Python interfaces of other programs, computed by tare.

Each module has the names and signatures of one program and is loaded on first use. `install` lets code
that imports pytrec_eval or rouge_score use tare's module instead.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tare.compat import (
        beir,
        bert_score,
        ir_measures,
        pytrec_eval,
        rouge_score,
        sentence_transformers,
    )
    from tare.compat._installation import Installation, install, uninstall

__all__ = [
    "Installation",
    "beir",
    "bert_score",
    "install",
    "ir_measures",
    "pytrec_eval",
    "rouge_score",
    "sentence_transformers",
    "uninstall",
]

_PACKAGES = (
    "beir",
    "bert_score",
    "ir_measures",
    "pytrec_eval",
    "rouge_score",
    "sentence_transformers",
)


def __getattr__(name: str) -> ModuleType:
    if name in _PACKAGES:
        return import_module(f"tare.compat.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'tare.compat' has no attribute {name!r}")
    found: ModuleType = getattr(import_module("tare.compat._installation"), name)
    return found


def __dir__() -> list[str]:
    return list(__all__)
