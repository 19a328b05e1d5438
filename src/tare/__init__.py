"""tare: evaluation of rankings and of generated text, net of chance.

Names are loaded on first use, so `import tare` is fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tare._lazy import lazy_names

if TYPE_CHECKING:
    from tare import chance, compat, engines, rankers, report, stats, studies
    from tare._data.answers import Answers, read_answers
    from tare._data.assessor_groups import AssessorGroups, read_assessor_groups
    from tare._data.letor import Letor, read_letor
    from tare._data.preferences import Preferences, read_preferences
    from tare._data.qrels import Qrels, read_qrels
    from tare._data.ratings import Ratings, read_ratings
    from tare._data.runs import Run, read_run, read_runs
    from tare._data.simulation import simulate
    from tare._data.subtopics import Subtopics, read_subtopics
    from tare._data.summaries import Summaries, read_summaries
    from tare._decide.arena import arena
    from tare._decide.arena_result import Arena
    from tare._decide.compare import Comparison, compare
    from tare._decide.compare_estimates import EstimateComparison
    from tare._decide.estimate import estimate
    from tare._decide.estimates import Estimates
    from tare._decide.gate import gate
    from tare._decide.gate_result import Gate
    from tare._decide.labels_needed import JudgeDesign, queries_for_width
    from tare._decide.leaderboard import leaderboard
    from tare._decide.leaderboard_result import Leaderboard
    from tare._decide.power import PowerStudy, power
    from tare._measures.answers import evaluate_answers
    from tare._measures.diversity import ideals
    from tare._measures.evaluate_lists import evaluate_arrays, evaluate_lists, lrap
    from tare._measures.evaluate_rankings import evaluate
    from tare._measures.measure import Measure
    from tare._measures.names import parse
    from tare._measures.preference import strengths
    from tare._measures.scores import Scores
    from tare._measures.text.embedding.bertscore import BertBaseline, bert_baseline
    from tare._measures.text.evaluate_texts import bertscore, evaluate_texts, rouge
    from tare._measures.text.upper_bounds import extractive_oracle
    from tare._result import Result
    from tare._signature import Signature
    from tare.chance._expected_values import user_measure
    from tare.chance._ranks import ranks
    from tare.errors import TareError

__all__ = [
    "Answers",
    "Arena",
    "AssessorGroups",
    "BertBaseline",
    "Comparison",
    "EstimateComparison",
    "Estimates",
    "Gate",
    "JudgeDesign",
    "Leaderboard",
    "Letor",
    "Measure",
    "PowerStudy",
    "Preferences",
    "Qrels",
    "Ratings",
    "Result",
    "Run",
    "Scores",
    "Signature",
    "Subtopics",
    "Summaries",
    "TareError",
    "__version__",
    "arena",
    "bert_baseline",
    "bertscore",
    "chance",
    "compare",
    "compat",
    "engines",
    "estimate",
    "evaluate",
    "evaluate_answers",
    "evaluate_arrays",
    "evaluate_lists",
    "evaluate_texts",
    "extractive_oracle",
    "gate",
    "ideals",
    "leaderboard",
    "lrap",
    "parse",
    "power",
    "queries_for_width",
    "rankers",
    "ranks",
    "read_answers",
    "read_assessor_groups",
    "read_letor",
    "read_preferences",
    "read_qrels",
    "read_ratings",
    "read_run",
    "read_runs",
    "read_subtopics",
    "read_summaries",
    "report",
    "rouge",
    "simulate",
    "stats",
    "strengths",
    "studies",
    "user_measure",
]

_MODULES = {
    "Arena": "tare._decide.arena_result",
    "arena": "tare._decide.arena",
    "Gate": "tare._decide.gate_result",
    "gate": "tare._decide.gate",
    "Leaderboard": "tare._decide.leaderboard_result",
    "leaderboard": "tare._decide.leaderboard",
    "PowerStudy": "tare._decide.power",
    "power": "tare._decide.power",
    "EstimateComparison": "tare._decide.compare_estimates",
    "JudgeDesign": "tare._decide.labels_needed",
    "queries_for_width": "tare._decide.labels_needed",
    "Answers": "tare._data.answers",
    "read_answers": "tare._data.answers",
    "evaluate_answers": "tare._measures.answers",
    "AssessorGroups": "tare._data.assessor_groups",
    "Comparison": "tare._decide.compare",
    "compare": "tare._decide.compare",
    "Estimates": "tare._decide.estimates",
    "estimate": "tare._decide.estimate",
    "Letor": "tare._data.letor",
    "read_assessor_groups": "tare._data.assessor_groups",
    "read_letor": "tare._data.letor",
    "Measure": "tare._measures.measure",
    "Preferences": "tare._data.preferences",
    "Qrels": "tare._data.qrels",
    "Run": "tare._data.runs",
    "Scores": "tare._measures.scores",
    "Subtopics": "tare._data.subtopics",
    "Summaries": "tare._data.summaries",
    "TareError": "tare.errors",
    "Ratings": "tare._data.ratings",
    "read_ratings": "tare._data.ratings",
    "simulate": "tare._data.simulation",
    "Result": "tare._result",
    "Signature": "tare._signature",
    "BertBaseline": "tare._measures.text.embedding.bertscore",
    "bert_baseline": "tare._measures.text.embedding.bertscore",
    "bertscore": "tare._measures.text.evaluate_texts",
    "evaluate": "tare._measures.evaluate_rankings",
    "evaluate_arrays": "tare._measures.evaluate_lists",
    "evaluate_lists": "tare._measures.evaluate_lists",
    "evaluate_texts": "tare._measures.text.evaluate_texts",
    "extractive_oracle": "tare._measures.text.upper_bounds",
    "ideals": "tare._measures.diversity",
    "lrap": "tare._measures.evaluate_lists",
    "parse": "tare._measures.names",
    "ranks": "tare.chance._ranks",
    "read_preferences": "tare._data.preferences",
    "read_qrels": "tare._data.qrels",
    "read_run": "tare._data.runs",
    "read_runs": "tare._data.runs",
    "read_subtopics": "tare._data.subtopics",
    "read_summaries": "tare._data.summaries",
    "rouge": "tare._measures.text.evaluate_texts",
    "strengths": "tare._measures.preference",
    "user_measure": "tare.chance._expected_values",
}

_PACKAGES = ("chance", "compat", "engines", "rankers", "report", "stats", "studies")


_find, __dir__ = lazy_names(__name__, _MODULES)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from tare._signature import tare_version

        return tare_version()
    if name in _PACKAGES:
        return import_module(f"tare.{name}")
    return _find(name)
