"""How cost grows with rows, queries, systems, measures, draws and characters, and what dominates at which size.

    python benchmarks/growth.py [--small] [--repeats 3] [--only rows draws …]

Each size is measured in a separate process: everything is loaded by a small call first, then the least
processor time of the repeats counts, and the memory beyond what the process held before. A repeat is as many calls as
make the work of the largest size; otherwise the least time of short calls would be compared with that of long ones.
The exponent is the slope of the logarithm of time over the logarithm of size: 1 is proportional. Fixed costs make it
smaller.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from _processes import in_turn, once, script
from _records import Comparison, keep, machine, options
from _runs import make

FRAME = """
import json, resource, time
import numpy as np
import tare
size, small, repeats, calls = {size}, {small}, {repeats}, {calls}
{make}
task = make(small)
task()
task = make(size)
pages = resource.getpagesize()
held = int(open("/proc/self/statm").read().split()[1]) * pages
found = []
for _ in range(repeats):
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(calls):
        task()
    found.append(((time.process_time() - cpu) / calls, (time.perf_counter() - wall) / calls))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - held
print(json.dumps({{"processor": min(c for c, _ in found), "seconds": min(w for _, w in found), "mebibytes": max(0, peak) / 2**20}}))
"""
IN_MEMORY = """
def runs(systems, queries, depth=100):
    random = np.random.default_rng(1)
    names = [f"d{d}" for d in range(depth)]
    qrels = {f"q{q}": dict(zip(names[:20], random.integers(0, 3, 20).tolist())) for q in range(queries)}
    made = {f"s{s}": {f"q{q}": dict(zip(names, random.random(depth).tolist())) for q in range(queries)} for s in range(systems)}
    return tare.read_qrels(qrels), [tare.read_run(run, system=name) for name, run in made.items()]
"""
FILES = """
def make(size):
    qrels, run = paths[size]
    return lambda: tare.evaluate(qrels, run, ["AP", "nDCG@10", "RR"])
"""
SYSTEMS = (
    IN_MEMORY
    + """
def make(size):
    qrels, read = runs(size, 100)
    return lambda: tare.evaluate(qrels, read, ["AP", "nDCG@10", "RR"])
"""
)
MEASURES = (
    IN_MEMORY
    + """
def make(size):
    qrels, read = runs(1, 2000)
    names = [f"{name}@{k + 1}" for k in range(size // 4) for name in ("nDCG", "P", "ERR", "Recall")]
    return lambda: tare.evaluate(qrels, read[0], names)
"""
)
DRAWS = """
from tare.stats import Pairs, bootstrap_t, permutation
def make(size):
    pairs = Pairs.of_matrix(np.random.default_rng(1).random((60, 50)).round(3))
    return lambda: (permutation(pairs, draws=size), bootstrap_t(pairs, draws=size))
"""
TEXTS = """
import random
words = [a + b + c for a in ("wal", "tal", "wor", "rea") for b in "abcdefghij" for c in ("king", "ter", "s", "ly")]
def texts(number, length):
    dice = random.Random(1)
    return [" ".join(dice.choices(words, k=length)) for _ in range(number)]
def scored(number, length, measures):
    mine, others = texts(number, length), texts(2 * number, length)[number:]
    return lambda: tare.evaluate_texts(mine, others, measures)
"""
CHARACTERS = (
    TEXTS + "\ndef make(size): return scored(size // 400, 60, ['ROUGE-1', 'ROUGE-2', 'ROUGE-L'])\n"
)
LONGER = TEXTS + "\ndef make(size): return scored(100, size // 700, ['ROUGE-1', 'ROUGE-2'])\n"
SEQUENCES = TEXTS + "\ndef make(size): return scored(100, size // 700, ['ROUGE-L'])\n"

# Name: what grows, the sizes, and the code. Files are made before; they are given as `paths`.
CASES: dict[str, tuple[str, list[int], str]] = {
    "rows": (
        "lines of a run, 1,000 per query",
        [1_000_000, 2_000_000, 4_000_000, 7_000_000],
        FILES,
    ),
    "queries": ("queries with 10 lines each", [50_000, 100_000, 200_000, 400_000], FILES),
    "systems": ("systems, 100 queries × 100 documents in memory", [25, 50, 100, 200], SYSTEMS),
    "measures": (
        "measures of one run, 2,000 queries × 100 documents",
        [40, 80, 160, 320],
        MEASURES,
    ),
    "draws": (
        "draws of the swap test and the bootstrap, 1,770 pairs",
        [10_000, 20_000, 40_000, 80_000],
        DRAWS,
    ),
    "characters": (
        "characters of texts of 60 words, ROUGE-1, -2 and -L",
        [2_000_000, 4_000_000, 8_000_000, 16_000_000],
        CHARACTERS,
    ),
    "longer texts": (
        "characters of 100 texts, ROUGE-1 and -2",
        [700_000, 1_400_000, 2_800_000, 5_600_000],
        LONGER,
    ),
    "longer texts, ROUGE-L": (
        "characters of 100 texts, ROUGE-L: words × words",
        [350_000, 700_000, 1_400_000, 2_800_000],
        SEQUENCES,
    ),
}
STAGES = """
import json, time
marks = [time.perf_counter()]
import tare
tare.evaluate, tare.read_qrels, tare.read_run
tare.evaluate({tiny[0]!r}, {tiny[1]!r}, ["AP", "nDCG@10", "RR"])
marks.append(time.perf_counter())
qrels = tare.read_qrels({qrels!r})
marks.append(time.perf_counter())
scores = tare.evaluate(qrels, {run!r}, ["AP", "nDCG@10", "RR"])
marks.append(time.perf_counter())
run = tare.read_run({run!r})
start = time.perf_counter()
tare.evaluate(qrels, run, ["AP", "nDCG@10", "RR"])
memory = time.perf_counter() - start
load, judgements, whole = (b - a for a, b in zip(marks, marks[1:]))
print(json.dumps({{"imports": load, "judgements": judgements, "run": max(0.0, whole - memory), "join and measures": min(memory, whole)}}))
"""


def exponent(points: dict[int, float]) -> float:
    """Return the slope of the logarithms."""
    return float(np.polyfit(np.log(list(points)), np.log(list(points.values())), 1)[0])


def grown(name: str, sizes: list[int], code: str, repeats: int) -> list[dict[str, float]]:
    """Return the cost of each size."""
    if name in ("rows", "queries"):
        depth = 1000 if name == "rows" else 10
        count = {size: size // depth if name == "rows" else size for size in sizes}
        files = {
            size: [str(p) for p in make(count[size], depth, 50 if name == "rows" else 6)]
            for size in sizes
        }
        code = f"paths = {files!r}\n{code}"
    return [
        {
            "size": size,
            **json.loads(
                once(
                    script(
                        FRAME.format(
                            size=size,
                            small=sizes[0],
                            repeats=repeats,
                            calls=max(1, sizes[-1] // size),
                            make=code,
                        )
                    )
                ).output
            ),
        }
        for size in sizes
    ]


def stages(sizes: dict[str, int], repeats: int) -> dict[str, dict[str, float]]:
    """Return the seconds of each stage of scoring a run, by the number of its lines."""
    found: dict[str, dict[str, float]] = {}
    tiny = [str(path) for path in make(2, 10)]
    python = in_turn({"python": script("pass")}, max(3, repeats))["python"].seconds
    for name, queries in sizes.items():
        qrels, run = make(queries)
        code = STAGES.format(qrels=str(qrels), run=str(run), tiny=tiny)
        runs = [json.loads(once(script(code)).output) for _ in range(repeats)]
        medians = {key: float(np.median([r[key] for r in runs])) for key in runs[0]}
        found[name] = {"start of Python": python, **medians}
    return found


def main() -> None:
    """Measure, print and save."""
    parser = options(__doc__)
    parser.set_defaults(repeats=3)
    parser.add_argument("--only", nargs="+", choices=list(CASES), default=list(CASES))
    given = parser.parse_args()
    about = machine()
    raw: dict[str, Any] = {}
    goals: dict[str, float] = {}
    for name in given.only:
        what, sizes, code = CASES[name]
        if given.small:
            less = 200 if sizes[-1] > 400_000 else 20 if sizes[-1] > 1000 else 5
            sizes = [size // less for size in sizes]
        points = grown(name, sizes, code, min(3, given.repeats))
        cost = exponent({int(p["size"]): max(1e-6, p["processor"]) for p in points})
        memory = exponent({int(p["size"]): max(0.1, p["mebibytes"]) for p in points})
        raw[name] = {"what": what, "exponent": cost, "exponent of memory": memory, "points": points}
        print(
            f"{name:24} time^{cost:5.2f}  memory^{memory:5.2f}   "
            + "  ".join(
                f"{p['size']:,.0f}: {p['processor']:.3f} s, {p['mebibytes']:.0f} MiB"
                for p in points
            ),
            flush=True,
        )
        if not name.startswith("longer"):
            goals[f"exponent of processor time: {name}"] = cost
    sizes_of_runs = (
        {"5,000": 5, "10,000": 10}
        if given.small
        else {"20,000": 20, "250,000": 250, "7,000,000": 7000}
    )
    raw["stages"] = stages(sizes_of_runs, given.repeats)
    for name, parts in raw["stages"].items():
        print(f"{name:>12} lines: " + ", ".join(f"{k} {v:.3f} s" for k, v in parts.items()))
    rows: list[Comparison] = []
    small = given.small or len(given.only) < len(CASES)
    keep("growth", raw, about=about, goals=goals, comparisons=rows, small=small)


if __name__ == "__main__":
    main()
