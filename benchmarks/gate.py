"""What gates and leaderboards cost, as whole processes.

A gate on 10,000 queries and 5 measures; a leaderboard of 181 systems and 41 tasks; a leaderboard of 200
systems, 10 data sets and 1,000 queries each.

python benchmarks/gate.py [--small] [--repeats 5]
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
from _processes import in_turn
from _records import WORK, Comparison, keep, machine, options

DEPTH = 20
MEASURES = ("nDCG@10", "AP", "RR", "Recall@20", "P@10")


def make(queries: int) -> tuple[Path, Path, Path]:
    """Write judgements and two runs; returns their paths."""
    WORK.mkdir(exist_ok=True)
    qrels, old, new = (WORK / name for name in ("gate.qrels", "old.run", "new.run"))
    random = np.random.default_rng(1)
    grades = random.integers(0, 3, (queries, DEPTH))
    with qrels.open("w") as labels:
        for q in range(queries):
            for d in range(DEPTH):
                labels.write(f"q{q} 0 d{d} {grades[q, d]}\n")
    for run in (old, new):
        noise = random.normal(0, 1, (queries, DEPTH))
        with run.open("w") as ranked:
            for q in range(queries):
                for d in range(DEPTH):
                    ranked.write(f"q{q} Q0 d{d} {d} {grades[q, d] + noise[q, d]:.5f} new\n")
    return qrels, old, new


def make_boards(shape: tuple[int, int], sizes: tuple[int, int, int]) -> tuple[Path, list[Path]]:
    """Write a matrix of systems and tasks, and one score table per data set; returns their paths."""
    random = np.random.default_rng(2)
    systems, tasks = shape
    level, hard = random.normal(0.6, 0.1, (systems, 1)), random.normal(0, 0.15, tasks)
    values = level + hard + random.normal(0, 0.05, (systems, tasks))
    matrix = WORK / "matrix.csv"
    rows = [[f"m{s}", *(f"{v:.6f}" for v in values[s])] for s in range(systems)]
    lines = [",".join(row) for row in [["model", *(f"t{t}" for t in range(tasks))], *rows]]
    matrix.write_text("\n".join(lines) + "\n")
    systems, sets, queries = sizes
    tables = []
    for d in range(sets):
        values = random.normal(0.5, 0.1, (systems, 1)) + random.normal(0, 0.2, (systems, queries))
        frame = pl.DataFrame(
            {
                "system": np.repeat([f"s{s}" for s in range(systems)], queries),
                "item": [f"q{q}" for q in range(queries)] * systems,
                "measure": ["AP"] * (systems * queries),
                "value": values.ravel(),
            }
        )
        tables.append(WORK / f"set{d}.parquet")
        frame.write_parquet(tables[-1])
    return matrix, tables


def main() -> None:
    """Measure, print and save."""
    given = options(__doc__).parse_args()
    about = machine()
    small = given.small
    qrels, old, new = make(100 if small else 10_000)
    command = [sys.executable, "-m", "tare._cli.main"]
    baseline, candidate = WORK / "old.parquet", WORK / "new.parquet"
    chosen = [word for measure in MEASURES for word in ("-m", measure)]
    score = [*command, "score", str(qrels), str(old), *chosen, "--save", str(baseline)]
    other = [*command, "score", str(qrels), str(new), *chosen, "--save", str(candidate)]
    subprocess.run(other, check=True, capture_output=True)
    gate = [*command, "gate", str(candidate), "--baseline", str(baseline)]
    matrix, tables = make_boards(
        (9, 8) if small else (181, 41), (5, 2, 20) if small else (200, 10, 1000)
    )
    board = [*command, "leaderboard", "--draws", "500" if small else "10000", "--format", "csv"]
    found = in_turn(
        {
            "score and save": score,
            "gate": gate,
            "leaderboard of a matrix": [*board, str(matrix)],
            "leaderboard of tables": [*board, *map(str, tables)],
        },
        given.repeats,
    )
    one, many = found["leaderboard of a matrix"], found["leaderboard of tables"]
    goals = {
        "`tare gate`, 10,000 queries × 5 measures": found["gate"].seconds,
        "`tare leaderboard`, 181 systems × 41 tasks, 10,000 draws": one.seconds,
        "`tare leaderboard`, 200 systems × 10 data sets × 1,000 queries": many.seconds,
        "the same: memory": many.mebibytes * 1.048576 / 1000,
    }
    tasks = {
        "score and save": "`tare score --save`, 10,000 queries × 5 measures",
        "gate": "`tare gate` of two such tables",
        "leaderboard of a matrix": "`tare leaderboard`, 181 systems × 41 tasks, 10,000 draws",
        "leaderboard of tables": "`tare leaderboard`, 200 systems × 10 data sets × 1,000 queries",
    }
    rows = [
        Comparison(task, found[key].seconds, mebibytes=found[key].mebibytes)
        for key, task in tasks.items()
    ]
    raw = {name: timing.figures() for name, timing in found.items()}
    keep("gate", raw, about=about, goals=goals, comparisons=rows, small=small)


if __name__ == "__main__":
    main()
