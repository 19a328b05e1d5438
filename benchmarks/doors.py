"""Data that are not TREC text: dictionaries next to pytrec_eval, and BEIR's JSON.

python benchmarks/doors.py [--small] [--repeats 5]

Dictionaries are measured within one process; JSON in whole processes.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable

import numpy as np
from _processes import Timing, in_turn, script, tare_command
from _records import WORK, Comparison, keep, machine, options

MEASURES = ["AP", "nDCG@10", "RR"]
JSON_PYTREC = """
import csv, json, pytrec_eval
qrels = {{}}
with open({qrels!r}) as f:
    for row in csv.DictReader(f, delimiter="\\t"):
        qrels.setdefault(row["query-id"], {{}})[row["corpus-id"]] = int(row["score"])
with open({run!r}) as f: run = json.load(f)
found = pytrec_eval.RelevanceEvaluator(qrels, {{'map', 'ndcg_cut.10', 'recip_rank'}}).evaluate(run)
for m in ('map', 'ndcg_cut_10', 'recip_rank'): print(m, sum(q[m] for q in found.values()) / len(found))
"""


def alternately(
    tasks: dict[str, Callable[[], object]], repeats: int, clock: Callable[[], float]
) -> dict[str, float]:
    """Return the median seconds of tasks that take turns."""
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(repeats):
        for name, task in tasks.items():
            start = clock()
            task()
            times[name].append(clock() - start)
    return {name: statistics.median(found) for name, found in times.items()}


def from_dictionaries(queries: int, repeats: int) -> dict[str, float]:
    """Evaluate dictionaries of Python, 1,000 documents per query."""
    import pytrec_eval

    import tare

    random = np.random.default_rng(3)
    qrels, run = {}, {}
    for i in range(queries):
        documents = [f"d{d}" for d in random.choice(8_800_000, 1000, replace=False).tolist()]
        scores = random.gamma(2, 8, 1000).tolist()
        run[f"q{i}"] = dict(zip(documents, scores, strict=True))
        grades = random.integers(0, 3, 25).tolist()
        qrels[f"q{i}"] = dict(zip(documents[:25], grades, strict=True))
    tasks: dict[str, Callable[[], object]] = {
        "tare": lambda: tare.evaluate(qrels, run, MEASURES),
        "pytrec_eval": lambda: pytrec_eval.RelevanceEvaluator(
            qrels, {"map", "ndcg_cut.10", "recip_rank"}
        ).evaluate(run),
    }
    return alternately(tasks, repeats, time.perf_counter)


def from_json(queries: int, repeats: int) -> tuple[dict[str, Timing], float]:
    """Evaluate a results.json of BEIR; returns timings and megabytes of the file."""
    folder = WORK / f"beir-json-{queries}"
    qrels, run = folder / "test.tsv", folder / "results.json"
    if not run.exists():
        folder.mkdir(parents=True, exist_ok=True)
        random = np.random.default_rng(4)
        with qrels.open("w") as q, run.open("w") as r:
            q.write("query-id\tcorpus-id\tscore\n")
            for i in range(queries):
                documents = random.choice(8_800_000, 1000, replace=False).tolist()
                scores = (30 * random.random(1000)).tolist()
                pairs = {str(d): s for d, s in zip(documents, scores, strict=True)}
                r.write(("{" if i == 0 else ", ") + f'"{i}": {json.dumps(pairs)}')
                q.writelines(f"{i}\t{d}\t{k % 3}\n" for k, d in enumerate(documents[:25]))
            r.write("}")
    paths = {"qrels": str(qrels), "run": str(run)}
    found = in_turn(
        {
            "tare": [tare_command(), "score", *paths.values(), "-m", ",".join(MEASURES)],
            "json.load and pytrec_eval": script(JSON_PYTREC.format(**paths)),
        },
        repeats,
    )
    return found, run.stat().st_size / 1e6


def main() -> None:
    """Measure, print and save."""
    given = options(__doc__).parse_args()
    about = machine(["pytrec-eval-terrier"])
    WORK.mkdir(exist_ok=True)
    memory = from_dictionaries(20 if given.small else 1000, given.repeats)
    found, megabytes = from_json(30 if given.small else 3300, given.repeats)
    ours, theirs = found["tare"], found["json.load and pytrec_eval"]
    goals = {
        "1,000 × 1,000 from dictionaries: pytrec_eval ÷ tare": memory["pytrec_eval"]
        / memory["tare"],
        "BEIR's JSON of 100 MB: `json.load` and pytrec_eval ÷ `tare score`": theirs.seconds
        / ours.seconds,
        "BEIR's JSON of 100 MB: memory ÷ file": ours.mebibytes * 1.048576 / megabytes,
    }
    rows = [
        Comparison(
            "1,000 × 1,000 from dictionaries, AP nDCG@10 RR",
            memory["tare"],
            "pytrec_eval",
            memory["pytrec_eval"],
        ),
        Comparison(
            "BEIR's JSON of 100 MB, `tare score`",
            ours.seconds,
            "`json.load` and pytrec_eval",
            theirs.seconds,
            ours.mebibytes,
            theirs.mebibytes,
        ),
    ]
    raw = {
        "dictionaries": memory,
        "JSON": {name: t.figures() for name, t in found.items()},
        "JSON megabytes": megabytes,
    }
    keep("doors", raw, about=about, goals=goals, comparisons=rows, small=given.small)


if __name__ == "__main__":
    main()
