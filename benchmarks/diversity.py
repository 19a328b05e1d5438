"""Diversity against pyndeval, and simulated preferences: whole processes and steps, timed.

    python benchmarks/diversity.py [--small] [--repeats 5]

On Web 2012 (TARE_DATA) if it is there, otherwise on a collection of the same size made here. `tare ndeval`
takes one run per call, as ndeval does; it is compared with pyndeval on the first run.
"""

from __future__ import annotations

import gzip
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from _processes import in_turn, script, tare_command
from _records import WORK, Comparison, keep, machine, options

from tare._data.preferences import Utilities
from tare._data.profiles import simulate_all
from tare._measures.evaluate_rankings import evaluate

DATA = Path(os.environ.get("TARE_DATA", Path(__file__).parents[2] / "shared/data"))
MEASURES = ("alpha_nDCG@20", "ERR_IA@20", "StRecall@20")

PYNDEVAL = """
import sys
import pyndeval
def rows(path):
    with open(path) as file:
        for line in file:
            yield line.split()
qrels = [pyndeval.SubtopicQrel(q, s, d, int(g)) for q, s, d, g in rows(sys.argv[1])]
evaluator = pyndeval.RelevanceEvaluator(qrels, ["alpha-nDCG@20", "ERR-IA@20", "strec@20"])
for path in sys.argv[2:]:
    run = [pyndeval.ScoredDoc(q, d, float(s)) for q, _, d, _, s, _ in rows(path)]
    found = evaluator.evaluate(run)
    print(path, *(sum(v[m] for v in found.values()) / len(found) for m in ("alpha-nDCG@20", "ERR-IA@20", "strec@20")))
"""


def collection(folder: Path) -> tuple[Path, list[Path]]:
    """Qrels and eight runs as plain text."""
    folder.mkdir(parents=True, exist_ok=True)
    qrels, runs = folder / "qrels.txt", [folder / f"run{r}.run" for r in range(8)]
    source = DATA / "trec/web2012"
    if source.is_dir():
        qrels.write_bytes(gzip.decompress((source / "qrels.diversity.gz").read_bytes()))
        for path, packed in zip(runs, sorted(source.glob("*.run.gz")), strict=True):
            path.write_bytes(gzip.decompress(packed.read_bytes()))
        return qrels, runs
    random = np.random.default_rng(1)
    with qrels.open("w") as file:
        for q in range(50):
            for d in range(300):
                for s in range(1, 5):
                    file.write(f"{q + 1} {s} doc-{d:05d} {int(random.random() < 0.1)}\n")
    for r, path in enumerate(runs):
        with path.open("w") as file:
            for q in range(50):
                for i, d in enumerate(random.permutation(3000)[:1000]):
                    file.write(f"{q + 1} Q0 doc-{d:05d} {i + 1} {1000 - i} run{r}\n")
    return qrels, runs


def seconds(task: Callable[[], object], repeats: int) -> float:
    """The median time of a few calls."""
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        task()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def preferences() -> dict[str, float]:
    """All 485,100 triplets of 100 documents for one profile; then nPrf for 60 systems, 50 topics."""
    random = np.random.default_rng(2)
    names = [f"d{i:03d}" for i in range(100)]
    covered = random.random((50, 100, 6)) < 0.15

    def one() -> object:
        made = simulate_all(names, covered[0], seed=1)
        return made.simple, made.conditional

    simulated = seconds(one, 7)
    utilities = Utilities.of(
        (f"q{q:02d}", simulate_all(names, covered[q], seed=1, stream=q)) for q in range(50)
    )
    runs = {
        f"s{s}": {
            f"q{q:02d}": {names[d]: -float(i) for i, d in enumerate(random.permutation(100)[:50])}
            for q in range(50)
        }
        for s in range(60)
    }
    scored = seconds(lambda: evaluate(utilities, runs, "nPrf@20"), 3)
    return {"simulate_100_documents": simulated, "nPrf_60_systems_50_topics": scored}


def main() -> None:
    """Measure, print and save."""
    given = options(__doc__).parse_args()
    about = machine(["pyndeval"])
    qrels, runs = collection(WORK / "diversity")
    one, paths = [str(qrels), str(runs[0])], [str(qrels), *map(str, runs)]
    timings = in_turn(
        {
            "tare score, 8 runs": [tare_command(), "score", *paths, "-m", *MEASURES],
            "pyndeval, 8 runs": [*script(PYNDEVAL), *paths],
            "tare ndeval, 1 run": [tare_command(), "ndeval", *one],
            "pyndeval, 1 run": [*script(PYNDEVAL), *one],
        },
        given.repeats,
    )
    for name, timing in timings.items():
        print(f"{name:24}{timing.seconds:8.3f} s{timing.mebibytes:7.0f} MiB")
    found = preferences()
    ours, theirs = timings["tare score, 8 runs"], timings["pyndeval, 8 runs"]
    mine, other = timings["tare ndeval, 1 run"], timings["pyndeval, 1 run"]
    goals = {
        "one run × 50 topics: pyndeval ÷ `tare ndeval`": other.seconds / mine.seconds,
        "8 runs × 50 topics: pyndeval ÷ `tare score`": theirs.seconds / ours.seconds,
        "preferences of 100 documents, simulated": found["simulate_100_documents"],
        "nPrf of 60 systems × 50 topics": found["nPrf_60_systems_50_topics"],
    }
    rows = [
        Comparison(
            "α-nDCG, ERR-IA, StRecall, 8 runs, `tare score`",
            ours.seconds,
            "pyndeval",
            theirs.seconds,
            ours.mebibytes,
            theirs.mebibytes,
        ),
        Comparison(
            "all measures of ndeval, one run, `tare ndeval`",
            mine.seconds,
            "pyndeval, 3 measures",
            other.seconds,
            mine.mebibytes,
            other.mebibytes,
        ),
        Comparison(
            "simulation of all preferences among 100 documents", found["simulate_100_documents"]
        ),
        Comparison("nPrf, 60 systems, 50 topics", found["nPrf_60_systems_50_topics"]),
    ]
    raw = {
        "collection": "web2012" if (DATA / "trec/web2012").is_dir() else "made",
        **{name: timing.figures() for name, timing in timings.items()},
        **found,
    }
    keep("diversity", raw, about=about, goals=goals, comparisons=rows, small=given.small)


if __name__ == "__main__":
    main()
