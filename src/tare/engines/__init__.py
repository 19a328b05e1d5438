"""Engines: where the work runs. `local` scores data larger than memory, `ray` uses many machines."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tare._measures.engine import register_engine
    from tare.engines._engine import Engine
    from tare.engines._local import Local
    from tare.engines._ray import Ray

__all__ = ["Engine", "Local", "Ray", "register_engine"]

_MODULES = {
    "Engine": "tare.engines._engine",
    "Local": "tare.engines._local",
    "Ray": "tare.engines._ray",
    "register_engine": "tare._measures.engine",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'tare.engines' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
