"""Rankings, side by side with pytrec_eval, ir_measures and ranx: ratios from one run.

python benchmarks/ranking.py [--repeats 3] [--no-ranx]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

import numpy as np
from _processes import WORK, in_turn, keep, script, tare_command

PYTREC = """
import pytrec_eval
with open({qrels!r}) as f: qrels = pytrec_eval.parse_qrel(f)
with open({run!r}) as f: run = pytrec_eval.parse_run(f)
found = pytrec_eval.RelevanceEvaluator(qrels, {{'map', 'ndcg_cut.10', 'recip_rank'}}).evaluate(run)
for m in ('map', 'ndcg_cut_10', 'recip_rank'): print(m, sum(q[m] for q in found.values()) / len(found))
"""
IR_MEASURES = """
import ir_measures
from ir_measures import AP, nDCG, RR
qrels = ir_measures.read_trec_qrels({qrels!r})
run = ir_measures.read_trec_run({run!r})
print(ir_measures.calc_aggregate([AP, nDCG@10, RR], qrels, run))
"""
RANX = """
from ranx import Qrels, Run, evaluate
print(evaluate(Qrels.from_file({qrels!r}, kind='trec'), Run.from_file({run!r}, kind='trec'), ['map', 'ndcg@10', 'mrr']))
"""
MANY = [
    "AP",
    "nDCG@10",
    "RR",
    "P@5",
    "P@10",
    "P@20",
    "Recall@10",
    "Recall@100",
    "Recall@1000",
    "nDCG@5",
    "nDCG@20",
    "nDCG@100",
    "nDCG",
    "ERR@10",
    "ERR@20",
    "RBP",
    "RBP(p=0.95)",
    "bpref",
    "Rprec",
    "Success@1",
    "Success@10",
    "AP@10",
    "AP@100",
    "Q",
    "GAP",
    "infAP",
    "SP@10",
    "nDCG(gain=exp2)@10",
    "F@10",
    "Compat",
]


def make(queries: int, depth: int) -> tuple[Path, Path]:
    """A made collection: graded judgements for 50 documents a query, runs in descending order."""
    folder = WORK / f"ranking-{queries}x{depth}"
    qrels, run = folder / "qrels.txt", folder / "made.run"
    if run.exists():
        return qrels, run
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(7)
    with qrels.open("w") as q, run.open("w") as r:
        for i in range(queries):
            query = str(100_000 + 13 * i)
            documents = random.choice(8_800_000, depth, replace=False)
            scores = np.sort(random.gamma(2, 8, depth))[::-1]
            r.writelines(
                f"{query} Q0 msmarco_doc_{d:08d} {k + 1} {s:.6f} made\n"
                for k, (d, s) in enumerate(zip(documents, scores, strict=True))
            )
            known = dict.fromkeys(
                documents[: depth // 3][random.permutation(depth // 3)[:25]].tolist()
            )
            known |= dict.fromkeys(random.integers(0, 8_800_000, 25).tolist())
            grades = random.choice([0, 0, 1, 2, 3], len(known))
            q.writelines(
                f"{query} 0 msmarco_doc_{d:08d} {g}\n" for d, g in zip(known, grades, strict=True)
            )
    return qrels, run


def whole_process(queries: int, repeats: int, with_ranx: bool) -> dict[str, object]:
    """From start to numbers, in processes of their own."""
    qrels, run = (str(path) for path in make(queries, 1000))
    commands = {
        "tare": [tare_command(), "score", qrels, run, "-m", "AP", "nDCG@10", "RR"],
        "pytrec_eval": script(PYTREC.format(qrels=qrels, run=run)),
        "ir_measures": script(IR_MEASURES.format(qrels=qrels, run=run)),
    }
    if with_ranx:
        commands["ranx"] = script(RANX.format(qrels=qrels, run=run))
    found = in_turn(commands, repeats)
    ours = found["tare"]
    print(f"\n{queries:,} × 1,000 lines, whole process, AP nDCG@10 RR")
    print(f"{'':14}{'seconds':>9}{'MiB':>8}{'× time':>9}{'× memory':>10}")
    for name, timing in found.items():
        print(
            f"{name:14}{timing.seconds:9.2f}{timing.mebibytes:8.0f}"
            f"{timing.seconds / ours.seconds:9.1f}{timing.mebibytes / ours.mebibytes:10.1f}"
        )
    return {
        name: {
            "seconds": t.seconds,
            "mebibytes": t.mebibytes,
            "times_tare": t.seconds / ours.seconds,
            "times_tare_memory": t.mebibytes / ours.mebibytes,
        }
        for name, t in found.items()
    }


def in_memory(repeats: int) -> dict[str, object]:
    """Already in memory: ours as runs, pytrec_eval's as dictionaries."""
    import pytrec_eval

    import tare

    qrels, run = make(7000, 1000)
    our_qrels, our_run = tare.read_qrels(qrels), tare.read_run(run)
    with qrels.open() as f:
        their_qrels = pytrec_eval.parse_qrel(f)
    with run.open() as f:
        their_run = pytrec_eval.parse_run(f)
    times: dict[str, list[float]] = {"tare, 3": [], "tare, 30": [], "pytrec_eval, 3": []}
    for _ in range(repeats):
        for name, work in {
            "tare, 3": lambda: tare.evaluate(our_qrels, our_run, MANY[:3]),
            "tare, 30": lambda: tare.evaluate(our_qrels, our_run, MANY),
            "pytrec_eval, 3": lambda: pytrec_eval.RelevanceEvaluator(
                their_qrels, {"map", "ndcg_cut.10", "recip_rank"}
            ).evaluate(their_run),
        }.items():
            start = time.perf_counter()
            work()
            times[name].append(time.perf_counter() - start)
    found = {name: statistics.median(t) for name, t in times.items()}
    print("\n7 M rows in memory")
    for name, seconds in found.items():
        print(f"{name:16}{seconds:8.3f} s{seconds / found['tare, 3']:8.1f} ×")
    return {"seconds": found, "pytrec_eval / tare": found["pytrec_eval, 3"] / found["tare, 3"],
            "30 measures / 3": found["tare, 30"] / found["tare, 3"]}  # fmt: skip


def start_up(repeats: int) -> dict[str, object]:
    """What it costs to begin."""
    commands = {
        "import tare": script("import tare"),
        "import tare and its readers": script("import tare; tare.evaluate, tare.read_run"),
        "tare --help": [tare_command(), "--help"],
        "python": script("pass"),
    }
    found = {name: t.seconds for name, t in in_turn(commands, max(5, repeats)).items()}
    print("\nstart-up")
    for name, seconds in found.items():
        print(f"{name:30}{seconds:7.3f} s")
    return dict(found)


def main() -> None:
    """Runs all and keeps the results."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--no-ranx", action="store_true")
    chosen = options.parse_args()
    results: dict[str, object] = {"python": sys.version.split()[0]}
    results["250 × 1,000"] = whole_process(250, max(5, chosen.repeats), False)
    results["7,000 × 1,000"] = whole_process(7000, chosen.repeats, not chosen.no_ranx)
    results["in memory"] = in_memory(chosen.repeats)
    results["start-up"] = start_up(chosen.repeats)
    keep("ranking", results)


if __name__ == "__main__":
    main()
