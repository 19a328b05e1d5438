"""`tare.compat` next to the programs whose interfaces it has: seconds and ratios, in one run.

pytrec_eval from dictionaries of 1,000 queries × 1,000 documents; MTEB's calculate_retrieval_scores with
either module installed, and the share of the evaluator in it; rouge-score, pair by pair and all at once.
The programs take turns, and the median of the rounds counts.

    python benchmarks/compat.py
"""

from __future__ import annotations

import gc
import json
import platform
import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results" / "compat.json"
GOALS = {"pytrec_eval, 3 measures": 3.0, "evaluator inside MTEB": 3.0}
ROUNDS = 5
MTEB_CUTOFFS = [1, 3, 5, 10, 20, 100, 1000]


def collection(queries: int, depth: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judge 100 documents per query, of which about half are retrieved."""
    rng = random.Random(1)
    documents = [f"doc{i:07d}" for i in range(50_000)]
    run = {f"q{q}": {d: rng.random() for d in rng.sample(documents, depth)} for q in range(queries)}
    qrels = {
        q: {
            d: rng.choice([0, 0, 1, 2])
            for d in rng.sample(list(found), 50) + rng.sample(documents, 50)
        }
        for q, found in run.items()
    }
    return qrels, run


def in_turn(tasks: dict[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, float]:
    """Return the median of the seconds of each task."""
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            gc.collect()
            start = time.perf_counter()
            task()
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(found) for name, found in seconds.items()}


def evaluators() -> dict[str, Any]:
    """Time construction and evaluation, as a user calls them."""
    import pytrec_eval

    from tare.compat import pytrec_eval as ours

    qrels, run = collection(1000, 1000)
    cuts = ",".join(map(str, MTEB_CUTOFFS))
    sets = {
        "pytrec_eval, 3 measures": {"ndcg_cut_10", "map", "recall_100"},
        "pytrec_eval, measures of MTEB": {
            f"{name}.{cuts}" for name in ("ndcg_cut", "map_cut", "recall", "P", "success")
        },
        "pytrec_eval, all measures": {"all_trec"},
    }

    def evaluated(module: Any, measures: set[str]) -> object:
        return module.RelevanceEvaluator(qrels, measures).evaluate(run)

    return {
        name: in_turn(
            {
                "other": partial(evaluated, pytrec_eval, measures),
                "tare": partial(evaluated, ours, measures),
            }
        )
        for name, measures in sets.items()
    }


def inside_mteb() -> dict[str, Any]:
    """Time the whole call of MTEB, and the evaluator within it."""
    from tare.compat import pytrec_eval as ours

    qrels, run = collection(1000, 1000)
<<<<<<< HEAD
    retrieval: Any = import_module("mteb._evaluators.retrieval_metrics")
    theirs = retrieval.pytrec_eval
=======
    evaluation: Any = import_module("mteb._evaluators.retrieval_metrics")
    theirs = evaluation.pytrec_eval
>>>>>>> main
    within: dict[str, list[float]] = {"other": [], "tare": []}

    def call(name: str, module: Any) -> None:
        class Timed(module.RelevanceEvaluator):  # type: ignore[misc,name-defined]
            def __init__(self, *arguments: Any, **options: Any) -> None:
                self.start = time.perf_counter()
                super().__init__(*arguments, **options)

            def evaluate(self, scores: Any) -> Any:
                found = super().evaluate(scores)
                within[name].append(time.perf_counter() - self.start)
                return found

<<<<<<< HEAD
        retrieval.pytrec_eval = type("Module", (), {"RelevanceEvaluator": Timed})
        try:
            retrieval.calculate_retrieval_scores(run, qrels, MTEB_CUTOFFS)
        finally:
            retrieval.pytrec_eval = theirs
=======
        evaluation.pytrec_eval = type("Module", (), {"RelevanceEvaluator": Timed})
        try:
            evaluation.calculate_retrieval_scores(run, qrels, MTEB_CUTOFFS)
        finally:
            evaluation.pytrec_eval = theirs
>>>>>>> main

    whole = in_turn({"other": lambda: call("other", theirs), "tare": lambda: call("tare", ours)}, 3)
    inner = {name: statistics.median(found) for name, found in within.items()}
    return {"evaluator inside MTEB": inner, "whole call of MTEB": whole}


def rouge() -> dict[str, Any]:
    """Time 200 pairs of about 60 words with stemming."""
    from rouge_score import rouge_scorer

    from tare.compat.rouge_score import rouge_scorer as ours

    rng = random.Random(2)
    words = [f"{a}{b}ing" for a in ("walk", "talk", "work", "read") for b in "abcdefghijklmnop"]
    texts = [" ".join(rng.choices(words, k=60)) for _ in range(400)]
    pairs = list(zip(texts[:200], texts[200:], strict=True))
    types = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
    other, mine = (m.RougeScorer(types, use_stemmer=True) for m in (rouge_scorer, ours))
    one = in_turn(
        {
            "other": lambda: [other.score(*pair) for pair in pairs],
            "tare": lambda: [mine.score(*pair) for pair in pairs],
        },
        3,
    )
    every = in_turn({"tare": lambda: mine.score_all(texts[:200], texts[200:])}, 3)
    return {"rouge-score, pair by pair": one, "rouge-score, all at once": {**one, **every}}


def main() -> None:
    """Print and save all ratios."""
    found = {**evaluators(), **inside_mteb(), **rouge()}
    for name, seconds in found.items():
        seconds["ratio"] = seconds["other"] / seconds["tare"]
        goal = f"  (goal: {GOALS[name]:g})" if name in GOALS else ""
        print(
            f"{name:32} other {seconds['other']:8.3f} s   tare {seconds['tare']:8.4f} s   "
            f"ratio {seconds['ratio']:6.1f}{goal}"
        )
    machine = {"python": platform.python_version(), "machine": platform.machine()}
    RESULTS.write_text(json.dumps({"machine": machine, "seconds": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
