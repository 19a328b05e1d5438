"""Engines: rates of scoring, memory, how time grows with rows, and what Ray costs on the same cores.

python benchmarks/engines.py [--rows 1 5 10 50] [--forms text parquet …] [--repeats 1] [--memory 500MB]

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
from typing import IO

import numpy as np
import polars as pl
from _processes import once, script
from _records import RESULTS, WORK

DEPTH = 1000
JUDGED = 40
BATCH = 500  # queries made at once
ENGINES = ("local", "ray")
FORMS = ("text", "parquet")
SCORE = """
import json, os, resource, sys, time
from pathlib import Path
import tare
from tare.engines import Local, Ray
def processor():  # seconds of this process and of those it started, Ray's workers among them
    stats = {{}}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        stats[int(stat.parent.name)] = int(fields[1]), int(fields[11]) + int(fields[12])
    family, more = set(), {{os.getpid()}}
    while more:
        family |= more
        more = {{pid for pid, (parent, _) in stats.items() if parent in family}} - family
    return sum(stats[pid][1] for pid in family) / os.sysconf("SC_CLK_TCK")
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
used, start = processor(), time.perf_counter()
scores = tare.evaluate(qrels, run, ["AP", "nDCG@10", "RR"], engine=engine)
seconds = time.perf_counter() - start
used = processor() - used
if name == "ray":
    engine.close()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({{"seconds": seconds, "processor": used, "reading": reading, "mebibytes": peak,
                   "means": scores.means()[scores.systems[0]]}}))
"""


def make(rows: int) -> dict[str, Path]:
    """A made collection of so many rows, 1,000 a query; both forms hold the same rows."""
    folder = WORK / f"engines-{rows}"
    paths = {
        "qrels": folder / "qrels.txt",
        "text": folder / "made.run",
        "parquet": folder / "made.parquet",
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
                judged.with_columns(grade=pl.Series(grades)),
                "{} 0 {} {}",
                qrels,
                "query document grade",
            )
    names = [str(part) for part in parts]
    with paths["text"].open("wb") as text:
        for name in names:
            _write_run(pl.read_parquet(name), text)
    pl.scan_parquet(names).sink_parquet(paths["parquet"], row_group_size=250_000)
    for path in parts:
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


def _write(frame: pl.DataFrame, form: str, file: Path | IO[bytes], columns: str) -> None:
    text = frame.select(line=pl.format(form, *columns.split()))
    text.write_csv(file, include_header=False, quote_style="never")


def _write_run(frame: pl.DataFrame, file: object) -> None:
    numbered = frame.with_columns(rank=pl.int_range(pl.len()) % DEPTH + 1)
    _write(numbered, "{} Q0 {} {} {} made", file, "query document rank score")


FIGURES = ("seconds", "processor", "reading", "mebibytes")


def measured(
    paths: dict[str, Path], form: str, memory: str, repeats: int
) -> dict[str, dict[str, float]]:
    """Medians of scoring one form on both engines, taken in turn; their means must agree."""
    small = WORK / "small.run"
    small.write_text("q Q0 a 1 1 t\n")
    files = {"qrels": str(paths["qrels"]), "run": str(paths[form]), "small": str(small)}
    found: dict[str, list[dict[str, float]]] = {engine: [] for engine in ENGINES}
    for _ in range(repeats):
        for engine in ENGINES:
            code = SCORE.format(engine=engine, memory=memory, **files)
            found[engine].append(json.loads(once(script(code)).output))
    if len({json.dumps(f["means"]) for each in found.values() for f in each}) > 1:
        raise SystemExit(f"{form}: the means differ")
    return {
        engine: {k: statistics.median(f[k] for f in each) for k in FIGURES}
        for engine, each in found.items()
    }


def exponent(points: dict[int, float]) -> float:
    """How time grows with rows: the slope of the logarithms."""
    return float(np.polyfit(np.log(list(points)), np.log(list(points.values())), 1)[0])


def summary_of(figures: list[dict[str, object]]) -> dict[str, dict[str, float]]:
    """Exponents of each form on each engine, and what Ray costs at the largest size."""
    times: dict[tuple[str, str], dict[str, dict[int, float]]] = {}
    for figure in figures:
        series = times.setdefault((figure["form"], figure["engine"]), {})  # type: ignore[arg-type]
        for what in ("seconds", "processor"):
            series.setdefault(what, {})[figure["rows"]] = figure[what]  # type: ignore[index, assignment]
    summary: dict[str, dict[str, float]] = {}
    for (form, engine), series in times.items():
        line = summary[f"{form}, {engine}"] = {}
        for what, points in series.items():
            if len(points) > 1:
                line[f"exponent of {what}"] = exponent(points)
            if engine == "ray":
                local = times[(form, "local")][what]
                line[f"times local, {what}"] = points[max(points)] / local[max(points)]
    return summary


def main() -> None:
    """Measures, prints, and keeps the figures; those of other sizes and forms stay."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1, 5, 10, 50])
    parser.add_argument("--forms", nargs="+", default=list(FORMS), choices=FORMS)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--memory", default="500MB")
    parser.add_argument("--make-only", action="store_true")
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    kept = RESULTS / "engines.json"
    known = json.loads(kept.read_text())["figures"] if kept.exists() else []
    figures = {(f["rows"], f["form"], f["engine"]): f for f in known}
    for rows in sorted(millions * 1_000_000 for millions in options.rows):
        paths = make(rows)
        for form in () if options.make_only else options.forms:
            size = paths[form].stat().st_size / rows
            for engine, found in measured(paths, form, options.memory, options.repeats).items():
                rate, busy = rows / found["seconds"] / cores, rows / found["processor"]
                figures[(rows, form, engine)] = {
                    "rows": rows,
                    "form": form,
                    "engine": engine,
                    "bytes_a_row": size,
                    **found,
                    "rows_a_second_a_core": rate,
                    "rows_a_processor_second": busy,
                    "cores": cores,
                    "memory": options.memory,
                    "repeats": options.repeats,
                }
                print(
                    f"{rows:>12,} {form:17}{engine:6}{found['seconds']:8.2f} s"
                    f"{found['processor']:8.2f} s of processors{found['mebibytes']:6.0f} MiB"
                    f"{rate:>12,.0f} rows/s/core{busy:>12,.0f} rows/s of processor"
                )
                sys.stdout.flush()
            ordered = [figures[key] for key in sorted(figures)]
            found_all = {"figures": ordered, "summary": summary_of(ordered)}
            kept.write_text(json.dumps(found_all, indent=1) + "\n")
    if not options.make_only:
        for name, line in summary_of(ordered).items():
            print(f"{name}: " + ", ".join(f"{k} {v:.2f}" for k, v in line.items()))


if __name__ == "__main__":
    main()
