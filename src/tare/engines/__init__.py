"""Engines: where the work runs. `local` scores runs larger than memory, `ray` uses many machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tare._lazy import lazy_names

if TYPE_CHECKING:
    from tare._measures.one_system import register_engine
    from tare.engines._batch_jobs import Parts, judge_part
    from tare.engines._engine import Engine
    from tare.engines._local import Local
    from tare.engines._ray import Ray

__all__ = ["Engine", "Local", "Parts", "Ray", "judge_part", "register_engine"]

_MODULES = {
    "Engine": "tare.engines._engine",
    "Local": "tare.engines._local",
    "Parts": "tare.engines._batch_jobs",
    "Ray": "tare.engines._ray",
    "judge_part": "tare.engines._batch_jobs",
    "register_engine": "tare._measures.one_system",
}

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
