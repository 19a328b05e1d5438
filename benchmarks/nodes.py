"""Three Ray nodes on one machine, the memory of the calling process, and the parts of a batch job.

    python benchmarks/nodes.py [--small] [--repeats 3] [--only time large memory parts]

*time*: three nodes with one processor each, started by `ray start`, against the engine `local` on the same cores,
for a run as text and as Parquet. Seconds are those of `tare.evaluate` after a small task on every worker. *large*: the same
for 200 million rows in Parquet files, grouped by query. *memory*: the peak of the process that calls
`tare.evaluate`, for the same queries with 10, 50 and 200 million rows. *parts*: four
`tare part` one after the other and `tare join`, against `tare score --engine local`, whole processes. Figures of
tasks that are left out are kept. The files need 4 GB in benchmarks/work.
"""

from __future__ import annotations

import json
import shutil
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
from _deep import deep_run
from _processes import once, script, tare_command
from _records import HERE, WORK, Comparison, folder, keep, machine, options
from engines import FORMS, make

sys.path.insert(0, str(HERE.parent))
from tests.clusters import Cluster

TASKS = ("time", "large", "memory", "parts")
NODES = 3
PARTS = 4
STORE = 500_000_000
PAUSE = 3.0  # seconds; a worker starts in less
# Limits that give every worker the same share: that of `local` is for two threads, that of Ray for one node.
MEMORY = {"local": "500MB", "nodes": "250MB"}
SCORE = """
import json, re, time
import tare
from tare.engines import Local, Ray
qrels, run, address = {qrels!r}, {run!r}, {address!r}
engine = Local(memory={memory!r}) if address is None else Ray(address=address, memory={memory!r})
qrels = tare.read_qrels(qrels)
def ready(shared, run):  # every worker loads what it needs; none is done before all have begun
    tare.evaluate({{"q": {{"a": 1}}}}, run, "AP", engine="local")
    time.sleep({pause!r})
engine.map_partitions(ready, None, [{small!r}] * engine.workers)
start = time.perf_counter()
scores = tare.evaluate(qrels, run, ["AP", "nDCG@10", "RR"], engine=engine)
seconds = time.perf_counter() - start
# ru_maxrss is not less than the memory of the process that started this one.
peak = int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024
engine.close()
print(json.dumps({{"seconds": seconds, "mebibytes": peak, "means": scores.means()[scores.systems[0]]}}))
"""


@contextmanager
def started(small: bool) -> Iterator[Cluster]:
    """Start the nodes; their stores are in shared memory, as those of real nodes are."""
    with Cluster(NODES, store=80_000_000 if small else STORE, in_memory=True) as cluster:
        yield cluster


def scored(qrels: Path, run: Path, address: str | None) -> dict[str, Any]:
    """Score a run in a process of its own, after a tiny run of the same form on every worker."""
    tiny = WORK / "tiny-run"
    tiny.mkdir(parents=True, exist_ok=True)
    if run.suffix == ".run":
        tiny_run = tiny / "tiny.run"
        tiny_run.write_text("q Q0 a 1 1 t\n")
    else:
        tiny_run = tiny / "tiny.parquet"
        pl.DataFrame({"query": ["q"], "document": ["a"], "score": [1.0]}).write_parquet(tiny_run)
    code = SCORE.format(
        qrels=str(qrels),
        run=str(run),
        address=address,
        small=str(tiny_run),
        pause=PAUSE,
        memory=MEMORY["local" if address is None else "nodes"],
    )
    return dict(json.loads(once(script(code)).output))


def of_time(cluster: Cluster, rows: int, repeats: int) -> dict[str, Any]:
    """Return medians of seconds by form, on `local` and on the nodes, taken in turn."""
    paths = make(rows)
    found: dict[str, Any] = {"rows": rows}
    for form in FORMS:
        found[form] = _both(cluster, form, paths["qrels"], paths[form], repeats)
    return found


def of_large(cluster: Cluster, rows: int, queries: int, repeats: int) -> dict[str, Any]:
    """Return medians of seconds for a large run in Parquet files, taken in turn."""
    qrels, run = deep_run(rows, queries)
    return {"rows": rows, **_both(cluster, f"{rows:,} rows", qrels, run, repeats)}


def _both(cluster: Cluster, what: str, qrels: Path, run: Path, repeats: int) -> dict[str, float]:
    each: dict[str, list[dict[str, Any]]] = {"local": [], "nodes": []}
    for _ in range(repeats):
        for name, address in (("local", None), ("nodes", cluster.address)):
            each[name].append(scored(qrels, run, address))
    _agree(what, [f for both in each.values() for f in both])
    found = {name: statistics.median(f["seconds"] for f in runs) for name, runs in each.items()}
    print(what, found, flush=True)
    return found


def _agree(what: str, found: list[dict[str, Any]]) -> None:
    if len({json.dumps(f["means"]) for f in found}) > 1:
        raise SystemExit(f"{what}: the means differ")


def of_memory(cluster: Cluster, sizes: list[int], queries: int) -> dict[str, float]:
    """Return the peak of the calling process in MiB, by the number of rows."""
    found = {}
    for rows in sizes:
        qrels, run = deep_run(rows, queries)
        peak = float(scored(qrels, run, cluster.address)["mebibytes"])
        found[str(rows)] = round(peak, 1)
        print(f"{rows:,} rows: {peak:.1f} MiB in the calling process", flush=True)
    return found


def of_parts(rows: int, queries: int, repeats: int) -> dict[str, Any]:
    """Return seconds of a batch job in parts and of one command."""
    qrels, run = deep_run(rows, queries)
    place = WORK / "parts-of-a-job"
    measures = ["-m", "AP", "nDCG@10", "RR"]
    whole, divided, printed = [], [], set()
    for _ in range(repeats):
        shutil.rmtree(place, ignore_errors=True)
        one = once([tare_command(), "score", str(qrels), str(run), *measures, "--engine", "local"])
        whole.append(one.seconds)
        start = time.perf_counter()
        for index in range(PARTS):
            once(
                [
                    tare_command(),
                    "part",
                    str(qrels),
                    str(run),
                    "--index",
                    str(index),
                    "--of",
                    str(PARTS),
                    "--output",
                    str(place),
                ]
            )
        joined = once([tare_command(), "join", str(qrels), str(place), *measures])
        divided.append(time.perf_counter() - start)
        printed |= {one.output, joined.output}
    if len(printed) != 1:
        raise SystemExit("the parts give other numbers")
    found = {"score": statistics.median(whole), "parts": statistics.median(divided)}
    print(f"{rows:,} rows: {found}", flush=True)
    return {"rows": rows, "of": PARTS, **found}


def goals_of(figures: dict[str, Any]) -> dict[str, float]:
    """Return the figures of the goals, of what was measured."""
    found = {}
    if large := figures.get("large"):
        name = "200 M rows, grouped: three Ray nodes ÷ `local` on the same cores"
        found[name] = large["nodes"] / large["local"]
    if memory := figures.get("memory"):
        sizes = sorted(memory, key=int)
        found["memory of the calling process: 200 M rows ÷ 10 M rows"] = (
            memory[sizes[-1]] / memory[sizes[0]]
        )
    if parts := figures.get("parts"):
        name = "200 M rows: `tare part` × 4 and `tare join` ÷ `tare score --engine local`"
        found[name] = parts["parts"] / parts["score"]
    return found


def main() -> None:
    """Measure what is asked for, and save the figures."""
    parser = options(__doc__)
    parser.add_argument("--only", nargs="+", choices=TASKS, default=list(TASKS))
    given = parser.parse_args()
    small = given.small
    path = folder(small) / "nodes.json"
    figures = json.loads(path.read_text(encoding="utf-8"))["figures"] if path.exists() else {}
    about = machine(["ray"])
    rows, queries = (80_000, 100) if small else (200_000_000, 10_000)
    if {"time", "large", "memory"} & set(given.only):
        with started(small) as cluster:
            if "time" in given.only:
                figures["time"] = of_time(cluster, 100_000 if small else 10_000_000, given.repeats)
            if "large" in given.only:
                figures["large"] = of_large(cluster, rows, queries, given.repeats)
            if "memory" in given.only:
                sizes = [40_000, 80_000] if small else [10_000_000, 50_000_000, 200_000_000]
                figures["memory"] = of_memory(cluster, sizes, queries)
    if "parts" in given.only:
        figures["parts"] = of_parts(rows, queries, min(given.repeats, 3))
    rows_of = figures.get("time", {})
    compared = [
        Comparison(f"10 M rows, {form}: three Ray nodes", both["nodes"], "`local`", both["local"])
        for form, both in rows_of.items()
        if form != "rows"
    ]
    keep("nodes", figures, about=about, goals=goals_of(figures), comparisons=compared, small=small)


if __name__ == "__main__":
    main()
