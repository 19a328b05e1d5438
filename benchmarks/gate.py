"""What gates and leaderboards cost, as whole processes.

A gate on 10,000 queries and 5 measures; a leaderboard of 181 systems and 41 tasks; a leaderboard of 200
systems, 10 data sets and 1,000 queries each.

python benchmarks/gate.py [--repeats 5]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import polars as pl
from _processes import WORK, in_turn, keep

QUERIES, DEPTH, GOAL = 10_000, 20, 1.0
MATRIX, MATRIX_GOAL = (181, 41), 3.0
TABLES, TABLES_GOAL, TABLES_MEMORY = (200, 10, 1000), 10.0, 2048.0  # seconds, MiB
DRAWS = 10_000
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


def make_boards() -> tuple[Path, list[Path]]:
    """Write a matrix of systems and tasks, and one score table per data set; returns their paths."""
    random = np.random.default_rng(2)
    systems, tasks = MATRIX
    level, hard = random.normal(0.6, 0.1, (systems, 1)), random.normal(0, 0.15, tasks)
    values = level + hard + random.normal(0, 0.05, (systems, tasks))
    matrix = WORK / "matrix.csv"
    rows = [[f"m{s}", *(f"{v:.6f}" for v in values[s])] for s in range(systems)]
    lines = [",".join(row) for row in [["model", *(f"t{t}" for t in range(tasks))], *rows]]
    matrix.write_text("\n".join(lines) + "\n")
    systems, sets, queries = TABLES
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
    """Print the time of the gate and of the leaderboards with their goals."""
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
    matrix, tables = make_boards()
    board = [*command, "leaderboard", "--draws", str(DRAWS), "--format", "csv"]
    found = in_turn(
        {
            "score and save": score,
            "gate": gate,
            "leaderboard of a matrix": [*board, str(matrix)],
            "leaderboard of tables": [*board, *map(str, tables)],
        },
        repeats,
    )
    seconds = found["gate"].seconds
    met = "met" if seconds <= GOAL else "not met"
    print(
        f"gate, {QUERIES:,} queries, {len(MEASURES)} measures: {seconds:.2f} s; goal {GOAL:g} s: {met}"
    )
    print(f"score and save the same: {found['score and save'].seconds:.2f} s")
    one, many = found["leaderboard of a matrix"], found["leaderboard of tables"]
    met = "met" if one.seconds <= MATRIX_GOAL else "not met"
    print(
        f"leaderboard, {MATRIX[0]} systems, {MATRIX[1]} tasks, {DRAWS:,} draws: {one.seconds:.2f} s; goal "
        f"{MATRIX_GOAL:g} s: {met}"
    )
    met = "met" if many.seconds <= TABLES_GOAL and many.mebibytes <= TABLES_MEMORY else "not met"
    print(
        f"leaderboard, {TABLES[0]} systems, {TABLES[1]} data sets, {TABLES[2]:,} queries: "
        f"{many.seconds:.2f} s, {many.mebibytes:,.0f} MiB; goal {TABLES_GOAL:g} s, {TABLES_MEMORY:,.0f} "
        f"MiB: {met}"
    )
    keep(
        "gate",
        {
            "gate": seconds,
            "score": found["score and save"].seconds,
            "goal": GOAL,
            "leaderboard_matrix": one.seconds,
            "leaderboard_tables": many.seconds,
            "leaderboard_tables_mebibytes": many.mebibytes,
        },
    )


if __name__ == "__main__":
    main()
