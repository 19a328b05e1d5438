"""Collections that the benchmarks make: runs in descending order with graded judgements, and scripts of peers."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
from _processes import Timing, script
from _records import WORK

PYTREC = """
import pytrec_eval
with open({qrels!r}) as f: qrels = pytrec_eval.parse_qrel(f)
with open({run!r}) as f: run = pytrec_eval.parse_run(f)
found = pytrec_eval.RelevanceEvaluator(qrels, {{'map', 'ndcg_cut.10', 'recip_rank'}}).evaluate(run)
for m in ('map', 'ndcg_cut_10', 'recip_rank'): print(m, sum(q[m] for q in found.values()) / len(found))
"""


def make(queries: int, depth: int = 1000, judged: int = 50) -> tuple[Path, Path]:
    """Return paths of judgements, half of them of retrieved documents, and of a run in descending order."""
    suffix = "" if judged == 50 else f"-{judged}"
    folder = WORK / f"ranking-{queries}x{depth}{suffix}"
    qrels, run = folder / "qrels.txt", folder / "made.run"
    if run.exists():
        return qrels, run
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(7)
    half = judged // 2
    partial = folder / "partial.run"
    with qrels.open("w") as q, partial.open("w") as r:
        for i in range(queries):
            query = str(100_000 + 13 * i)
            documents = random.choice(8_800_000, depth, replace=False)
            scores = np.sort(random.gamma(2, 8, depth))[::-1]
            r.writelines(
                f"{query} Q0 msmarco_doc_{d:08d} {k + 1} {s:.6f} made\n"
                for k, (d, s) in enumerate(zip(documents, scores, strict=True))
            )
            top = min(depth, max(depth // 3, half))
            known = dict.fromkeys(documents[:top][random.permutation(top)[:half]].tolist())
            known |= dict.fromkeys(random.integers(0, 8_800_000, half).tolist())
            grades = random.choice([0, 0, 1, 2, 3], len(known))
            q.writelines(
                f"{query} 0 msmarco_doc_{d:08d} {g}\n" for d, g in zip(known, grades, strict=True)
            )
    partial.rename(run)
    return qrels, run


def pytrec_eval(qrels: Path, run: Path) -> list[str]:
    """Return the command that evaluates a run with pytrec_eval."""
    return script(PYTREC.format(qrels=str(qrels), run=str(run)))


def trec_eval(qrels: Path, run: Path) -> dict[str, list[str]]:
    """Return the command of trec_eval, from TREC_EVAL or PATH; empty if there is no such program."""
    program = os.environ.get("TREC_EVAL") or shutil.which("trec_eval")
    return {"trec_eval": [program, str(qrels), str(run)]} if program else {}


def trec_eval_seconds(found: dict[str, Timing], share: float) -> tuple[float, str]:
    """Return the seconds of trec_eval and how they are known.

    Without the program they are a share of those of pytrec_eval in the same run: both were once measured
    together with trec_eval −O3.
    """
    if "trec_eval" in found:
        return found["trec_eval"].seconds, "trec_eval"
    return share * found["pytrec_eval"].seconds, f"trec_eval ({share:g} × pytrec_eval)"
