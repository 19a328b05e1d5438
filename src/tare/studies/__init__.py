"""Studies: a question, its design, its answer; one file a study, imported when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tare.studies.diversity import diversity
    from tare.studies.diversity_answers import DiversityStudy

__all__ = ["DiversityStudy", "diversity"]

_PLACES = {
    "DiversityStudy": "tare.studies.diversity_answers",
    "diversity": "tare.studies.diversity",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'tare.studies' has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
