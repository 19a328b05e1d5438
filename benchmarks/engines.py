"""Engines: rates of scoring, memory, how time grows with rows, and what Ray costs on the same cores.

python benchmarks/engines.py [--rows 1 5 10 50] [--repeats 1] [--memory 500MB]

Rows are given in millions. Every figure is of a process of its own; seconds are those of `tare.evaluate`
with the judgements read before, after Ray has started and every worker has done a small task. The largest
collection needs 6 GB of disk in benchmarks/work.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from pathlib import Path

import numpy as np
import polars as pl
from _processes import WORK, keep, once, script

DEPTH = 1000
JUDGED = 40
BATCH = 500  # queries made at once
FORMS = ("text", "parquet", "shuffled text", "shuffled parquet")
SCORE = """
import json, resource, sys, time
import tare
from tare.engines import Local, Ray
qrels, run, name, memory = {qrels!r}, {run!r}, {engine!r}, {memory!r}
start = time.perf_counter()
qrels = tare.read_qrels(qrels)
reading = time.perf_counter() - start
engine = None
if name == "local":
    engine = Local(memory=memory)
elif name == "ray":
    engine = Ray(memory=memory, store="1GB")
    tare.evaluate({{"q": {{"a": 1}}}}, {small!r}, "AP", engine=engine)  # the workers load tare
start = time.perf_counter()
scores = tare.evaluate(qrels, run, ["AP", "nDCG@10", "RR"], engine=engine)
seconds = time.perf_counter() - start
if name == "ray":
    engine.close()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({{"seconds": seconds, "reading": reading, "mebibytes": peak,
                   "means": scores.means()[scores.systems[0]]}}))
"""


def make(rows: int) -> dict[str, Path]:
    """A made collection of so many rows, 1,000 a query; the shuffled forms hold the same rows."""
    folder = WORK / f"engines-{rows}"
    paths = {
        "qrels": folder / "qrels.txt",
        "text": folder / "made.run",
        "parquet": folder / "made.parquet",
        "shuffled text": folder / "shuffled.run",
        "shuffled parquet": folder / "shuffled.parquet",
    }
    if (folder / "done").exists():
        return paths
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(11)
    parts = []
    with paths["qrels"].open("wb") as qrels:
        for first in range(0, rows // DEPTH, BATCH):
            count = min(BATCH, rows // DEPTH - first)
            frame = _batch(random, first, count)
            part = folder / f"part-{first}.parquet"
            frame.write_parquet(part)
            parts.append(part)
            judged = frame.filter(pl.int_range(pl.len()) % DEPTH < 10 * JUDGED).gather_every(10)
            grades = random.choice([0, 0, 1, 2, 3], judged.height)
            _write(
                judged.with_columns(grade=pl.Series(grades)), "{} 0 {} {}", qrels, "query document grade"
            )  # fmt: skip
    names = [str(part) for part in parts]
    with paths["text"].open("wb") as text:
        for name in names:
            _write_run(pl.read_parquet(name), text)
    pl.scan_parquet(names).sink_parquet(paths["parquet"], row_group_size=250_000)
    # A shuffle of the batches of queries and of the rows of each few: no query stands together.
    with paths["shuffled text"].open("wb") as text:
        for k, frame in enumerate(_mixed(names, random)):
            frame.write_parquet(folder / f"mixed-{k:04d}.parquet")
            _write_run(frame, text)
    mixed = sorted(str(path) for path in folder.glob("mixed-*.parquet"))
    pl.scan_parquet(mixed).sink_parquet(paths["shuffled parquet"], row_group_size=250_000)
    for path in [*parts, *map(Path, mixed)]:
        path.unlink()
    (folder / "done").touch()
    return paths


def _batch(random: np.random.Generator, first: int, count: int) -> pl.DataFrame:
    queries = np.repeat(100_000 + 13 * np.arange(first, first + count), DEPTH)
    steps = random.integers(1, 8_800, (count, DEPTH))
    documents = (np.cumsum(steps, axis=1) % 8_800_000)[:, random.permutation(DEPTH)].reshape(-1)
    scores = -np.sort(-random.gamma(2, 8, (count, DEPTH)), axis=1).reshape(-1)
    return pl.DataFrame(
        {"query": queries, "document": documents, "score": np.round(scores, 6)}
    ).with_columns(
        pl.col("query").cast(pl.String),
        ("msmarco_doc_" + pl.col("document").cast(pl.String).str.zfill(8)).alias("document"),
    )


def _mixed(names: list[str], random: np.random.Generator) -> list[pl.DataFrame]:
    """Slices of every batch, in turn: a query's rows are spread over the whole file."""
    turns = min(20, max(2, len(names)))
    for turn in range(turns):
        slices = []
        for name in names:
            lazy = pl.scan_parquet(name).gather_every(turns, turn)
            slices.append(lazy.collect())
        frame = pl.concat(slices)
        yield frame[random.permutation(frame.height)]  # type: ignore[misc]


def _write(frame: pl.DataFrame, form: str, file: object, columns: str) -> None:
    text = frame.select(line=pl.format(form, *columns.split()))
    text.write_csv(file, include_header=False, quote_style="never")


def _write_run(frame: pl.DataFrame, file: object) -> None:
    numbered = frame.with_columns(rank=pl.int_range(pl.len()) % DEPTH + 1)
    _write(numbered, "{} Q0 {} {} {} made", file, "query document rank score")


def measured(paths: dict[str, Path], form: str, engine: str | None, memory: str, repeats: int):
    """Median seconds and mebibytes of scoring one form on one engine, and its means."""
    small = WORK / "small.run"
    small.write_text("q Q0 a 1 1 t\n")
    code = SCORE.format(
        qrels=str(paths["qrels"]), run=str(paths[form]), engine=engine, memory=memory, small=str(small)
    )  # fmt: skip
    found = [json.loads(once(script(code))[2]) for _ in range(repeats)]
    middle = {
        k: statistics.median(f[k] for f in found) for k in ("seconds", "reading", "mebibytes")
    }
    return {**middle, "means": found[0]["means"]}


def main() -> None:
    """Measures, prints, and keeps the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1, 5, 10, 50])
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--memory", default="500MB")
    parser.add_argument("--make-only", action="store_true")
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    results: dict[str, object] = {"cores": cores, "memory": options.memory, "figures": []}
    times: dict[tuple[str, str], dict[int, float]] = {}
    means: dict[int, dict[str, float]] = {}
    for millions in options.rows:
        rows = millions * 1_000_000
        paths = make(rows)
        if options.make_only:
            continue
        for form in FORMS:
            size = paths[form].stat().st_size / rows
            for engine in ("local", "ray"):
                found = measured(paths, form, engine, options.memory, options.repeats)
                rate = rows / found["seconds"] / cores
                times.setdefault((form, engine), {})[rows] = found["seconds"]
                figure = {"rows": rows, "form": form, "engine": engine, "bytes_a_row": size}
                figure |= {k: found[k] for k in ("seconds", "reading", "mebibytes")}
                results["figures"].append({**figure, "rows_a_second_a_core": rate})  # type: ignore[attr-defined]
                means.setdefault(rows, found["means"])
                if means[rows] != found["means"]:
                    raise SystemExit(f"{form} on {engine}: the means differ")
                print(
                    f"{rows:>12,} {form:17}{engine:6}{found['seconds']:8.2f} s {found['mebibytes']:6.0f} MiB"
                    f"{rate:>12,.0f} rows/s/core {size:6.1f} bytes/row"
                )
                sys.stdout.flush()
    if options.make_only:
        return
    summary: dict[str, object] = {}
    for (form, engine), found in times.items():
        line: dict[str, float] = {}
        if len(found) > 1:
            x, y = np.log(list(found)), np.log(list(found.values()))
            line["exponent"] = float(np.polyfit(x, y, 1)[0])
        if engine == "ray":
            largest = max(found)
            line["times_local"] = found[largest] / times[(form, "local")][largest]
        summary[f"{form}, {engine}"] = line
        print(f"{form}, {engine}: " + ", ".join(f"{k} {v:.2f}" for k, v in line.items()))
    results["summary"] = summary
    keep("engines", results)


if __name__ == "__main__":
    main()
