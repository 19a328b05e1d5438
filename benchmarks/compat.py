"""`tare.compat` next to the programs whose interfaces it has: seconds and ratios, in one run.

pytrec_eval from dictionaries of 1,000 queries × 1,000 documents; a retrieval task of MTEB with either
evaluator, and the share of the evaluator in it; rouge-score, pair by pair and all at once.
The programs take turns, and the median of the rounds counts.

    python benchmarks/compat.py [--small] [--repeats 5]
"""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from _records import Comparison, keep, machine, options

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


def in_turn(tasks: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Return the median of the seconds of each task."""
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            gc.collect()
            start = time.perf_counter()
            task()
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(found) for name, found in seconds.items()}


def evaluators(size: int, rounds: int) -> dict[str, Any]:
    """Time construction and evaluation, as a user calls them."""
    import pytrec_eval

    from tare.compat import pytrec_eval as ours

    qrels, run = collection(size, size)
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
            },
            rounds,
        )
        for name, measures in sets.items()
    }


def mteb_task(qrels: dict[str, Any]) -> Any:
    """Return a task of MTEB with these judgements; its texts are not read."""
    from datasets import Dataset
    from mteb import TaskMetadata
    from mteb.abstasks import AbsTaskRetrieval

    class Task(AbsTaskRetrieval):  # type: ignore[misc]
        metadata = TaskMetadata(
            name="Task",
            description="",
            type="Retrieval",
            category="t2t",
            main_score="ndcg_at_10",
            modalities=["text"],
            dataset={"path": "", "revision": ""},
            eval_langs=["eng-Latn"],
        )
        k_values = MTEB_CUTOFFS

    task = Task()
    queries = Dataset.from_list([{"id": query, "text": ""} for query in qrels])
    task.dataset = {
        "default": {
            "test": {
                "corpus": Dataset.from_list([{"id": "", "text": ""}]),
                "queries": queries,
                "relevant_docs": qrels,
                "top_ranked": None,
            }
        }
    }
    task.data_loaded = True
    return task


def inside_mteb(size: int, rounds: int) -> dict[str, Any]:
    """Time the whole call of MTEB, and the evaluator within it."""
    import pytrec_eval

    from tare.compat import pytrec_eval as ours

    qrels, run = collection(size, size)
    task = mteb_task(qrels)
    package: Any = pytrec_eval  # where MTEB looks its evaluator up at each call
    theirs = package.RelevanceEvaluator
    within: dict[str, list[float]] = {"other": [], "tare": []}

    class Search:
        mteb_model_meta = None

        def index(self, **_: Any) -> None:
            pass

        def search(self, **_: Any) -> dict[str, Any]:
            return run

    def call(name: str, evaluator: Any) -> None:
        class Timed(evaluator):  # type: ignore[misc]
            def __init__(self, *arguments: Any, **options: Any) -> None:
                self.start = time.perf_counter()
                super().__init__(*arguments, **options)

            def evaluate(self, scores: Any) -> Any:
                found = super().evaluate(scores)
                within[name].append(time.perf_counter() - self.start)
                return found

        package.RelevanceEvaluator = Timed
        try:
            task.evaluate(Search(), encode_kwargs={})
        finally:
            package.RelevanceEvaluator = theirs

    whole = in_turn(
        {
            "other": lambda: call("other", theirs),
            "tare": lambda: call("tare", ours.RelevanceEvaluator),
        },
        rounds,
    )
    inner = {name: statistics.median(found) for name, found in within.items()}
    return {"evaluator inside MTEB": inner, "whole call of MTEB": whole}


def rouge(rounds: int) -> dict[str, Any]:
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
        rounds,
    )
    every = in_turn({"tare": lambda: mine.score_all(texts[:200], texts[200:])}, rounds)
    return {"rouge-score, pair by pair": one, "rouge-score, all at once": {**one, **every}}


def main() -> None:
    """Measure, print and save."""
    given = options(__doc__).parse_args()
    about = machine(["pytrec-eval-terrier", "mteb", "rouge-score"])
    size, rounds = 100 if given.small else 1000, given.repeats
    found = {
        **evaluators(size, rounds),
        **inside_mteb(size, min(3, rounds)),
        **rouge(min(3, rounds)),
    }
    for name, seconds in found.items():
        seconds["ratio"] = seconds["other"] / seconds["tare"]
        print(
            f"{name:32} other {seconds['other']:8.3f} s   tare {seconds['tare']:8.4f} s   "
            f"ratio {seconds['ratio']:6.1f}"
        )
    goals = {
        "`tare.compat.pytrec_eval`, 1,000 × 1,000, 3 measures: pytrec_eval ÷ tare": found[
            "pytrec_eval, 3 measures"
        ]["ratio"],
        "the evaluator inside MTEB: pytrec_eval ÷ tare": found["evaluator inside MTEB"]["ratio"],
    }
    rows = []
    for name, seconds in found.items():
        peer = "rouge-score" if name.startswith("rouge") else "pytrec_eval"
        task = name.removeprefix(f"{peer}, ")
        task = (
            f"200 pairs of 60 words, {task}" if peer == "rouge-score" else f"1,000 × 1,000, {task}"
        )
        rows.append(Comparison(task, seconds["tare"], peer, seconds["other"]))
    keep("compat", found, about=about, goals=goals, comparisons=rows, small=given.small)


if __name__ == "__main__":
    main()
