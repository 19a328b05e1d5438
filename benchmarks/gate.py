"""What a gate costs: the whole process on 10,000 queries and 5 measures.

python benchmarks/gate.py [--repeats 5]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from _processes import WORK, in_turn, keep

QUERIES, DEPTH, GOAL = 10_000, 20, 1.0
MEASURES = ("nDCG@10", "AP", "RR", "Recall@20", "P@10")


def make() -> tuple[Path, Path]:
    """Write judgements and a run; returns their paths."""
    WORK.mkdir(exist_ok=True)
    qrels, run = WORK / "gate.qrels", WORK / "gate.run"
    random = np.random.default_rng(1)
    grades = random.integers(0, 3, (QUERIES, DEPTH))
    noise = random.normal(0, 1, (QUERIES, DEPTH))
    with qrels.open("w") as labels, run.open("w") as ranked:
        for q in range(QUERIES):
            for d in range(DEPTH):
                labels.write(f"q{q} 0 d{d} {grades[q, d]}\n")
                ranked.write(f"q{q} Q0 d{d} {d} {grades[q, d] + noise[q, d]:.5f} new\n")
    return qrels, run


def main() -> None:
    """Print the time of the gate with its goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    qrels, run = make()
    command = [sys.executable, "-m", "tare._cli.main"]
    baseline = WORK / "gate.parquet"
    options = [word for measure in MEASURES for word in ("-m", measure)]
    score = [*command, "score", str(qrels), str(run), *options, "--save", str(baseline)]
    margins = [word for measure in MEASURES for word in ("-m", f"{measure}:0.01")]
    gate = [*command, "gate", str(qrels), str(run), "--baseline", str(baseline), *margins]
    found = in_turn({"score and save": score, "gate": gate}, repeats)
    seconds = found["gate"].seconds
    met = "met" if seconds <= GOAL else "not met"
    print(
        f"gate, {QUERIES:,} queries, {len(MEASURES)} measures: {seconds:.2f} s; goal {GOAL:g} s: {met}"
    )
    print(f"score and save the same: {found['score and save'].seconds:.2f} s")
    keep("gate", {"gate": seconds, "score": found["score and save"].seconds, "goal": GOAL})


if __name__ == "__main__":
    main()
