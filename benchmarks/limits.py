"""Limits: the largest and strangest calls, each in a separate process, with its time and memory.

    python benchmarks/limits.py [--small] [--only PART OF A NAME]

The first case has goals; with `--only` the others keep their figures.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from typing import Any

from _records import Comparison, folder, keep, machine, options

FIRST = "10^7 queries with one document"

MANY_QUERIES = """
n = int(10**7 * scale)
with open(folder / "qrels", "w") as q, open(folder / "a.run", "w") as r:
    for first in range(0, n, 100_000):
        q.write("".join(f"q{i} 0 d 1\\n" for i in range(first, min(n, first + 100_000))))
        r.write("".join(f"q{i} Q0 d 1 1 t\\n" for i in range(first, min(n, first + 100_000))))
start()
scores = tare.evaluate(folder / "qrels", folder / "a.run", ["nDCG@10"])
assert scores.values.shape == (1, n, 1) and scores.values.min() == 1
"""
MANY_DOCUMENTS = """
n = int(10**7 * scale)
with open(folder / "qrels", "w") as q, open(folder / "a.run", "w") as r:
    for first in range(0, n, 100_000):
        last = min(n, first + 100_000)
        q.write("".join(f"q 0 d{i} {i % 3}\\n" for i in range(first, last)))
        r.write("".join(f"q Q0 d{i} {i + 1} {-i} t\\n" for i in range(first, last)))
start()
scores = tare.evaluate(folder / "qrels", folder / "a.run", ["nDCG", "AP", "V2(nDCG@10)"], pool="judged")
assert 0 < scores.values[0, 0, 1] < 1
"""
MANY_SYSTEMS = """
n = int(10**4 * scale)
qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(20)}
runs = {f"s{k}": {f"q{i}": {"a": (k >> (i % 13)) & 1, "b": 0.5} for i in range(20)} for k in range(n)}
start()
scores = tare.evaluate(qrels, runs, ["AP", "nDCG@10"])
assert scores.values.shape == (n, 20, 2)
"""
MANY_MEASURES = """
n = int(10**5 * scale)
qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(20)}
run = {f"q{i}": {"a": 1.0, "b": 2.0} for i in range(20)}
names = [f"P@{k + 1}" for k in range(n)]
start()
scores = tare.evaluate(qrels, {"s": run}, names)
assert scores.values.shape == (1, 20, n) and scores.values[0, 0, 1] == 0.5
"""
LONG_IDS = """
import os
long = "x" * 100_000
lines = [f"{long}{i} Q0 {long}{j} {j} {-j} t\\n" for i in range(10) for j in range(10)]
(folder / "a.run").write_text("".join(lines))
(folder / "qrels").write_text("".join(f"{long}{i} 0 {long}{j} {j % 2}\\n" for i in range(10) for j in range(10)))
start()
scores = tare.evaluate(folder / "qrels", folder / "a.run", ["AP", "nDCG@10"])
assert len(scores.items) == 10 and len(scores.items[0]) == 100_001
"""
LONG_LINE = """
(folder / "a.run").write_text("q Q0 " + "x" * (2 << 20) + " 1 1 t\\nq Q0 a 1 1 t\\n")
start()
try:
    tare.read_run(folder / "a.run")
except tare.TareError as error:
    refuse(str(error))
"""
LARGE_GRADES = """
big = 2**31
qrels = {"q": {"a": big, "b": -big, "c": 1, "d": 0}}
run = {"q": {"a": 1.0, "b": 4.0, "c": 3.0, "d": 2.0}}
start()
scores = tare.evaluate(qrels, {"s": run}, ["nDCG", "DCG", "AP", "P@2"])
assert abs(scores.values[0, 0, 1] - (1 / np.log2(3) + big / np.log2(5))) < 1e-3, scores.values
try:
    tare.evaluate(qrels, {"s": run}, ["nDCG(gain=exp2)"])
except tare.TareError as error:
    refuse(str(error))
"""
SPARSE_TABLE = """
(folder / "s.csv").write_text("system,item,measure,value\\n" + "".join(f"s{i},i{i},m{i},1\\n" for i in range(1000)))
start()
try:
    tare.Scores.load(folder / "s.csv")
except tare.TareError as error:
    refuse(str(error))
"""
WIDE_LETOR = """
(folder / "l.txt").write_text("".join(f"1 qid:{i} 1000000:1\\n" for i in range(5000)))
start()
try:
    tare.read_letor(folder / "l.txt")
except tare.TareError as error:
    refuse(str(error))
"""
CASES = {
    FIRST: MANY_QUERIES,
    "one query with 10^7 documents": MANY_DOCUMENTS,
    "10^4 systems": MANY_SYSTEMS,
    "10^5 measures in one call": MANY_MEASURES,
    "ids of 10^5 bytes": LONG_IDS,
    "a line of 2 MiB": LONG_LINE,
    "grades of ±2^31": LARGE_GRADES,
    "a score table of 10^9 cells in 1,000 rows": SPARSE_TABLE,
    "LETOR rows of 10^6 features": WIDE_LETOR,
}
FRAME = """
import json, resource, sys, time
from pathlib import Path
import numpy as np
import tare
tare.evaluate({{"q": {{"a": 1}}}}, {{"s": {{"q": {{"a": 1.0}}}}}}, ["AP"])
folder, scale = Path(sys.argv[1]), float(sys.argv[2])
told = [""]
began = [0.0]
def refuse(words): told[0] = words.replace(f"{{folder}}/", "")[-250:]
def start(): began[:] = [time.perf_counter(), time.process_time()]
{case}
took, busy = time.perf_counter() - began[0], time.process_time() - began[1]
print(json.dumps({{"seconds": round(took, 2), "processor_seconds": round(busy, 2), "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10, "told": told[0]}}))
"""


def main() -> None:
    """Measure, print and save: one line per case."""
    parser = options(__doc__)
    parser.add_argument("--only")
    given = parser.parse_args()
    scale = 0.001 if given.small else 1.0
    about = machine()
    path = folder(given.small) / "limits.json"
    found: dict[str, Any] = (
        json.loads(path.read_text())["figures"] if given.only and path.exists() else {}
    )
    for name, case in CASES.items():
        if given.only and given.only not in name:
            continue
        with tempfile.TemporaryDirectory() as place:
            began = time.monotonic()
            done = subprocess.run(
                [sys.executable, "-c", FRAME.format(case=case), place, str(scale)],
                capture_output=True,
                text=True,
                check=False,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (20 << 30, 20 << 30)),
            )
        if done.returncode:
            found[name] = {
                "failed": done.stderr.strip().splitlines()[-1:],
                "seconds": round(time.monotonic() - began, 1),
            }
        else:
            found[name] = json.loads(done.stdout.strip().splitlines()[-1])
        print(name, found[name], flush=True)
    goals = {}
    if "peak_mb" in found.get(FIRST, {}):
        goals[FIRST] = found[FIRST]["seconds"]
        goals[f"{FIRST}: memory"] = found[FIRST]["peak_mb"] * 1.048576 / 1000
    rows = [
        Comparison(name, row["seconds"], mebibytes=row["peak_mb"])
        for name, row in found.items()
        if "peak_mb" in row
    ]
    keep("limits", found, about=about, goals=goals, comparisons=rows, small=given.small)


if __name__ == "__main__":
    main()
