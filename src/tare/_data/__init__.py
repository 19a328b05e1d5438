"""Input data: qrels, runs, LETOR data, summaries and ratings. Modules are imported on first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tare._data.findings import Finding
    from tare._data.judged import Judged, judge
    from tare._data.letor import Letor, read_letor
    from tare._data.policies import Policies
    from tare._data.qrels import Qrels, read_qrels
    from tare._data.ratings import Ratings, read_ratings
    from tare._data.run import Run, read_run
    from tare._data.runs import read_runs
    from tare._data.summaries import Summaries, read_summaries

__all__ = [
    "Finding",
    "Judged",
    "Letor",
    "Policies",
    "Qrels",
    "Ratings",
    "Run",
    "Summaries",
    "judge",
    "read_letor",
    "read_qrels",
    "read_ratings",
    "read_run",
    "read_runs",
    "read_summaries",
]

_MODULES = {
    "Finding": "findings",
    "Judged": "judged",
    "Letor": "letor",
    "Policies": "policies",
    "Qrels": "qrels",
    "Ratings": "ratings",
    "Run": "run",
    "Summaries": "summaries",
    "judge": "judged",
    "read_letor": "letor",
    "read_qrels": "qrels",
    "read_ratings": "ratings",
    "read_run": "run",
    "read_runs": "runs",
    "read_summaries": "summaries",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'tare._data' has no attribute {name!r}")
    return getattr(import_module(f"tare._data.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
