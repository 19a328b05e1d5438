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


def from_dictionaries(repeats: int) -> dict[str, object]:
    """Dictionaries of Python, 1,000 × 1,000: the goal is a third of the time of pytrec_eval."""
    import pytrec_eval

    import tare

    random = np.random.default_rng(3)
    qrels, run = {}, {}
    for i in range(1000):
        documents = [f"d{d}" for d in random.choice(8_800_000, 1000, replace=False).tolist()]
        scores = random.gamma(2, 8, 1000).tolist()
        run[f"q{i}"] = dict(zip(documents, scores, strict=True))
        grades = random.integers(0, 3, 25).tolist()
        qrels[f"q{i}"] = dict(zip(documents[:25], grades, strict=True))
    work = {
        "tare": lambda: tare.evaluate(qrels, run, MANY[:3]),
        "pytrec_eval": lambda: pytrec_eval.RelevanceEvaluator(
            qrels, {"map", "ndcg_cut.10", "recip_rank"}
        ).evaluate(run),
    }
    times: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(max(5, repeats)):
        for name, call in work.items():
            start = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - start)
    found = {name: statistics.median(t) for name, t in times.items()}
    ratio = found["pytrec_eval"] / found["tare"]
    print("\n1,000 × 1,000 from dictionaries, AP nDCG@10 RR")
    for name, seconds in found.items():
        print(f"{name:16}{seconds:8.3f} s")
    print(f"pytrec_eval / tare {ratio:.1f} × (goal: 3 ×)")
    return {"seconds": found, "pytrec_eval / tare": ratio, "goal": 3}


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


def from_json(repeats: int) -> dict[str, object]:
    """BEIR's results.json of 100 MB, whole process: the goal is a fifth of the time, 3 × the file in memory."""
    import json

    folder = WORK / "beir-json"
    qrels, run = folder / "test.tsv", folder / "results.json"
    if not run.exists():
        folder.mkdir(parents=True, exist_ok=True)
        random = np.random.default_rng(4)
        with qrels.open("w") as q, run.open("w") as r:
            q.write("query-id\tcorpus-id\tscore\n")
            for i in range(3300):
                documents = random.choice(8_800_000, 1000, replace=False).tolist()
                scores = (30 * random.random(1000)).tolist()
                pairs = {str(d): s for d, s in zip(documents, scores, strict=True)}
                r.write(("{" if i == 0 else ", ") + f'"{i}": {json.dumps(pairs)}')
                q.writelines(f"{i}\t{d}\t{k % 3}\n" for k, d in enumerate(documents[:25]))
            r.write("}")
    megabytes = run.stat().st_size / 1e6
    paths = {"qrels": str(qrels), "run": str(run)}
    found = in_turn(
        {
            "tare": [tare_command(), "score", *paths.values(), "-m", "AP,nDCG@10,RR"],
            "json.load and pytrec_eval": script(JSON_PYTREC.format(**paths)),
        },
        repeats,
    )
    ours, theirs = found["tare"], found["json.load and pytrec_eval"]
    ratio, memory = theirs.seconds / ours.seconds, ours.mebibytes * 1.048576 / megabytes
    print(f"\nJSON of {megabytes:.0f} MB, whole process, AP nDCG@10 RR")
    for name, timing in found.items():
        print(f"{name:26}{timing.seconds:8.2f} s{timing.mebibytes:8.0f} MiB")
    print(f"json.load and pytrec_eval / tare {ratio:.1f} × (goal: 5 ×)")
    print(f"memory of tare / file {memory:.1f} × (goal: at most 3 ×)")
    seconds = {name: t.seconds for name, t in found.items()}
    return {"seconds": seconds, "ratio": ratio, "goal": 5, "memory / file": memory, "most": 3}


def start_up(repeats: int) -> dict[str, object]:
    """What it costs to begin, and to score a run of 20 lines."""
    folder = WORK / "small"
    qrels, run = folder / "qrels.txt", folder / "bm25.run"
    if not run.exists():
        folder.mkdir(parents=True, exist_ok=True)
        pairs = [(q, d) for q in range(2) for d in range(10)]
        qrels.write_text("".join(f"q{q} 0 d{d} {d % 2}\n" for q, d in pairs))
        run.write_text("".join(f"q{q} Q0 d{d} {d + 1} {9 - d} bm25\n" for q, d in pairs))
    commands = {
        "import tare": script("import tare"),
        "import tare and its readers": script("import tare; tare.evaluate, tare.read_run"),
        "tare --help": [tare_command(), "--help"],
        "tare --version": [tare_command(), "--version"],
        "tare score": [tare_command(), "score", str(qrels), str(run), "-m", "AP"],
        "tare trec_eval": [tare_command(), "trec_eval", str(qrels), str(run)],
        "import numpy": script("import numpy"),
        "python": script("pass"),
    }
    found = {name: t.seconds for name, t in in_turn(commands, max(5, repeats)).items()}
    print("\nstart-up")
    for name, seconds in found.items():
        print(f"{name:30}{seconds:7.3f} s")
    ratio = found["tare --version"] / found["python"]
    beyond = found["tare score"] - found["import numpy"]
    print(f"tare --version / python {ratio:.1f} × (goal: at most 4 ×)")
    print(f"tare score beyond import numpy {beyond:.3f} s (goal: at most 0.1 s)")
    return {
        **found,
        "version / python": ratio,
        "most": 4,
        "score beyond numpy": beyond,
        "most beyond": 0.1,
    }


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
    results["dictionaries"] = from_dictionaries(chosen.repeats)
    results["JSON"] = from_json(chosen.repeats)
    results["start-up"] = start_up(chosen.repeats)
    keep("ranking", results)


if __name__ == "__main__":
    main()
