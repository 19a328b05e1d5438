"""tare: evaluation of rankings and of generated text, net of chance.

Everything here is loaded when it is first used, so that `import tare` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tare import chance, engines, rankers, report, stats, studies
    from tare.chance.functions import user_measure
    from tare.chance.ranks import ranks
    from tare.data.assessor_groups import AssessorGroups, read_assessor_groups
    from tare.data.letor import Letor, read_letor
    from tare.data.preferences import Preferences, read_preferences
    from tare.data.qrels import Qrels, read_qrels
    from tare.data.run import Run, read_run, read_runs
    from tare.data.subtopics import Subtopics, read_subtopics
    from tare.data.summaries import Summaries, read_summaries
    from tare.errors import TareError
    from tare.measures.diversity.ideals import ideals
    from tare.measures.evaluate import evaluate
    from tare.measures.label_ranking import lrap
    from tare.measures.measure import Measure
    from tare.measures.names import parse
    from tare.measures.preference.strengths import strengths
    from tare.measures.scores import Scores
    from tare.measures.text.oracle import extractive_oracle
    from tare.stats.comparison import Comparison, compare

__all__ = [
    "AssessorGroups",
    "Comparison",
    "Letor",
    "Measure",
    "Preferences",
    "Qrels",
    "Run",
    "Scores",
    "Subtopics",
    "Summaries",
    "TareError",
    "__version__",
    "chance",
    "compare",
    "engines",
    "evaluate",
    "extractive_oracle",
    "ideals",
    "lrap",
    "parse",
    "rankers",
    "ranks",
    "read_assessor_groups",
    "read_letor",
    "read_preferences",
    "read_qrels",
    "read_run",
    "read_runs",
    "read_subtopics",
    "read_summaries",
    "report",
    "stats",
    "strengths",
    "studies",
    "user_measure",
]

_PLACES = {
    "AssessorGroups": "tare.data.assessor_groups",
    "Comparison": "tare.stats.comparison",
    "compare": "tare.stats.comparison",
    "Letor": "tare.data.letor",
    "read_assessor_groups": "tare.data.assessor_groups",
    "read_letor": "tare.data.letor",
    "Measure": "tare.measures.measure",
    "Preferences": "tare.data.preferences",
    "Qrels": "tare.data.qrels",
    "Run": "tare.data.run",
    "Scores": "tare.measures.scores",
    "Subtopics": "tare.data.subtopics",
    "Summaries": "tare.data.summaries",
    "TareError": "tare.errors",
    "evaluate": "tare.measures.evaluate",
    "extractive_oracle": "tare.measures.text.oracle",
    "ideals": "tare.measures.diversity.ideals",
    "lrap": "tare.measures.label_ranking",
    "parse": "tare.measures.names",
    "ranks": "tare.chance.ranks",
    "read_preferences": "tare.data.preferences",
    "read_qrels": "tare.data.qrels",
    "read_run": "tare.data.run",
    "read_runs": "tare.data.run",
    "read_subtopics": "tare.data.subtopics",
    "read_summaries": "tare.data.summaries",
    "strengths": "tare.measures.preference.strengths",
    "user_measure": "tare.chance.functions",
}

_ROOMS = ("chance", "engines", "rankers", "report", "stats", "studies")


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from tare.signature import tare_version

        return tare_version()
    if name in _ROOMS:
        return import_module(f"tare.{name}")
    if name not in _PLACES:
        raise AttributeError(f"module 'tare' has no attribute {name!r}")
    if _PLACES[name].startswith("tare.measures"):
        import_module("tare.chance")  # so that E, V1, V2 and their kin are known
    if name in ("evaluate", "compare"):
        import_module("tare.engines")  # so that the engines are known by their names
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
