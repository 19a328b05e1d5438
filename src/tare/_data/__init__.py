"""Input data: qrels, runs, LETOR data, summaries and ratings. Modules are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tare._lazy import lazy_names

if TYPE_CHECKING:
    from tare._data.findings import Finding
    from tare._data.judged import Judged, Policies, judge
    from tare._data.letor import Letor, read_letor
    from tare._data.qrels import Qrels, read_qrels
    from tare._data.ratings import Ratings, read_ratings
    from tare._data.runs import Run, read_run, read_runs
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
    "Finding": "tare._data.findings",
    "Judged": "tare._data.judged",
    "Letor": "tare._data.letor",
    "Policies": "tare._data.judged",
    "Qrels": "tare._data.qrels",
    "Ratings": "tare._data.ratings",
    "Run": "tare._data.runs",
    "Summaries": "tare._data.summaries",
    "judge": "tare._data.judged",
    "read_letor": "tare._data.letor",
    "read_qrels": "tare._data.qrels",
    "read_ratings": "tare._data.ratings",
    "read_run": "tare._data.runs",
    "read_runs": "tare._data.runs",
    "read_summaries": "tare._data.summaries",
}

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
