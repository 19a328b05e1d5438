"""Rankings, side by side with pytrec_eval, ir_measures and ranx: ratios from one run.

python benchmarks/ranking.py [--small] [--repeats 5] [--no-ranx]
"""

from __future__ import annotations

import statistics
import time
from typing import Any

from _processes import Timing, in_turn, script, tare_command
from _records import Comparison, keep, machine, options
from _runs import make, pytrec_eval, trec_eval, trec_eval_seconds

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
SHARE = 0.95  # trec_eval −O3 takes so much of the time of pytrec_eval on 7 M lines
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


def whole_process(queries: int, repeats: int, with_ranx: bool) -> dict[str, Timing]:
    """From start to numbers, in separate processes; ranx, the slowest, runs once."""
    qrels, run = make(queries)
    paths = {"qrels": str(qrels), "run": str(run)}
    commands = {
        "tare score": [tare_command(), "score", *paths.values(), "-m", "AP", "nDCG@10", "RR"],
        "tare trec_eval": [tare_command(), "trec_eval", *paths.values()],
        "pytrec_eval": pytrec_eval(qrels, run),
        "ir_measures": script(IR_MEASURES.format(**paths)),
        **trec_eval(qrels, run),
    }
    found = in_turn(commands, repeats)
    if with_ranx:
        found |= in_turn({"ranx": script(RANX.format(**paths))}, 1)
    ours = found["tare score"]
    print(f"\n{queries:,} × 1,000 lines, whole process, AP nDCG@10 RR")
    print(f"{'':16}{'seconds':>9}{'MiB':>8}{'× time':>9}{'× memory':>10}")
    for name, timing in found.items():
        print(
            f"{name:16}{timing.seconds:9.2f}{timing.mebibytes:8.0f}"
            f"{timing.seconds / ours.seconds:9.1f}{timing.mebibytes / ours.mebibytes:10.1f}"
        )
    return found


def in_memory(queries: int, repeats: int) -> dict[str, float]:
    """Already in memory: ours as runs, pytrec_eval's as dictionaries."""
    import pytrec_eval

    import tare

    qrels, run = make(queries)
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
    return found


def comparisons(task: str, found: dict[str, Timing]) -> list[Comparison]:
    """Return one row per peer."""
    ours = found["tare score"]
    return [
        Comparison(task, ours.seconds, name, t.seconds, ours.mebibytes, t.mebibytes)
        for name, t in found.items()
        if not name.startswith("tare")
    ]


def main() -> None:
    """Measure, print and save."""
    parser = options(__doc__)
    parser.add_argument("--no-ranx", action="store_true")
    given = parser.parse_args()
    about = machine(["pytrec-eval-terrier", "ir-measures", "ranx"])
    few, many = (5, 20) if given.small else (250, 7000)
    small = whole_process(few, given.repeats, False)
    large = whole_process(many, given.repeats, not (given.no_ranx or given.small))
    memory = in_memory(many, given.repeats)
    theirs, peer = trec_eval_seconds(large, SHARE)
    ours, strict = large["tare score"], large["tare trec_eval"]
    pytrec = large["pytrec_eval"]
    goals = {
        "7,000 × 1,000 lines: trec_eval ÷ `tare trec_eval`": theirs / strict.seconds,
        "7,000 × 1,000 lines: pytrec_eval ÷ `tare score`": pytrec.seconds / ours.seconds,
        "7,000 × 1,000 lines: ir_measures ÷ `tare score`": large["ir_measures"].seconds
        / ours.seconds,
        "7,000 × 1,000 lines: memory of `tare score` ÷ pytrec_eval": ours.mebibytes
        / pytrec.mebibytes,
        "250 × 1,000 lines: pytrec_eval ÷ `tare score`": small["pytrec_eval"].seconds
        / small["tare score"].seconds,
        "7 M rows in memory: pytrec_eval ÷ tare": memory["pytrec_eval, 3"] / memory["tare, 3"],
        "7 M rows in memory: 30 measures ÷ 3 measures": memory["tare, 30"] / memory["tare, 3"],
    }
    rows = [
        *comparisons("7,000 × 1,000 lines, AP nDCG@10 RR, `tare score`", large),
        Comparison("the same, `tare trec_eval`", strict.seconds, peer, theirs, strict.mebibytes),
        *comparisons("250 × 1,000 lines, AP nDCG@10 RR, `tare score`", small),
        Comparison(
            "7 M rows in memory, 3 measures",
            memory["tare, 3"],
            "pytrec_eval",
            memory["pytrec_eval, 3"],
        ),
        Comparison("7 M rows in memory, 30 measures", memory["tare, 30"]),
    ]
    raw: dict[str, Any] = {
        "250 × 1,000": {name: t.figures() for name, t in small.items()},
        "7,000 × 1,000": {name: t.figures() for name, t in large.items()},
        "in memory": memory,
    }
    keep("ranking", raw, about=about, goals=goals, comparisons=rows, small=given.small)


if __name__ == "__main__":
    main()
