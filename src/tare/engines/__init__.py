"""Engines: where it runs. `local` scores what is larger than memory, `ray` uses many machines."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tare._measures.placement import offer_place

if TYPE_CHECKING:
    from tare.engines._engine import Engine
    from tare.engines._local import Local
    from tare.engines._ray import Ray

__all__ = ["Engine", "Local", "Ray"]

_PLACES = {
    "Engine": "tare.engines._engine",
    "Local": "tare.engines._local",
    "Ray": "tare.engines._ray",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'tare.engines' has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)


offer_place("local", lambda: __getattr__("Local")())
offer_place("ray", lambda: __getattr__("Ray")())
