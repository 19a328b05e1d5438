"""From files to numbers, without the start of Python: next to a plain C++ parse and to decompressors.

    python benchmarks/files.py [--small] [--repeats 5]

`parse.cpp` splits each line of the run into its fields and converts its score, on as many threads as there are
cores: it is the limit. tare reads the judgements and the run, joins them and computes three measures. The
decompressors are the one of Python (zlib) and `gzip -dc` (the faster of both counts), and zstandard. All take
turns, and medians count. Needs a C++ compiler.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import statistics
import subprocess
import time
from pathlib import Path
from typing import Any

from _processes import once, script
from _records import HERE, WORK, Comparison, keep, machine, options
from _runs import make

MEASURES = ["AP", "nDCG@10", "RR"]
EVALUATE = """
import json, sys, time
import tare
qrels, run, tiny = {qrels!r}, {run!r}, {tiny!r}
tare.evaluate(tiny[0], tiny[1], {measures!r})  # everything is loaded
start, used = time.perf_counter(), time.process_time()
scores = tare.evaluate(qrels, run, {measures!r})
print(json.dumps([time.perf_counter() - start, time.process_time() - used]))
"""
GUNZIP = """
import gzip, sys, time
buffer = bytearray(1 << 20)
start = time.perf_counter()
with gzip.open({run!r}) as file:
    while file.readinto(buffer): pass
print(time.perf_counter() - start)
"""
UNZSTD = """
import sys, time
import zstandard
start = time.perf_counter()
with open({run!r}, "rb") as file:
    for part in zstandard.ZstdDecompressor().read_to_iter(file, write_size=1 << 20): pass
print(time.perf_counter() - start)
"""


def compiled() -> Path:
    """Compile parse.cpp and return the program."""
    program, source = WORK / "parse", HERE / "parse.cpp"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        compiler = os.environ.get("CXX") or "c++"
        command = [compiler, "-O3", "-std=c++20", "-pthread", str(source), "-o", str(program)]
        subprocess.run(command, check=True)
    return program


def packed(run: Path) -> dict[str, Path]:
    """Write the run as gzip and as zstd."""
    import zstandard

    paths = {
        "gzip": run.with_suffix(".gz"),
        "zstd": run.with_suffix(".zst"),
    }
    if not paths["zstd"].exists():
        data = run.read_bytes()
        paths["gzip"].write_bytes(gzip.compress(data, 6))
        paths["zstd"].write_bytes(zstandard.ZstdCompressor().compress(data))
    return paths


def evaluated(qrels: Path, run: Path, tiny: tuple[Path, Path]) -> tuple[float, float]:
    """Return the wall and processor seconds of one evaluation from files."""
    code = EVALUATE.format(
        qrels=str(qrels), run=str(run), tiny=[str(p) for p in tiny], measures=MEASURES
    )
    wall, processor = json.loads(once(script(code)).output)
    return wall, processor


def gunzipped(run: Path) -> dict[str, float]:
    """Return the seconds of each decompressor of gzip."""
    found = {"zlib": float(once(script(GUNZIP.format(run=str(run)))).output)}
    if program := shutil.which("gzip"):
        start = time.perf_counter()
        subprocess.run([program, "-dc", str(run)], stdout=subprocess.DEVNULL, check=True)
        found["gzip -dc"] = time.perf_counter() - start
    return found


def main() -> None:
    """Measure, print and save."""
    given = options(__doc__).parse_args()
    about = machine(["zstandard"])
    WORK.mkdir(exist_ok=True)
    program, cores = compiled(), len(os.sched_getaffinity(0))
    tiny = make(2, 10)
    qrels, run = make(20 if given.small else 7000)
    few_qrels, few = make(10 if given.small else 2000)
    archives = packed(few)
    times: dict[str, list[float]] = {}

    def note(name: str, seconds: float) -> None:
        times.setdefault(name, []).append(seconds)

    lines = 0
    for _ in range(given.repeats):
        for name, threads, path in (
            ("parse", cores, run),
            ("parse, one thread", 1, run),
            ("parse, 2 M lines", cores, few),
        ):
            words = once([str(program), str(path), str(threads), "1"]).output.split()
            note(name, float(words[0]))
            lines = int(words[1])
        wall, processor = evaluated(qrels, run, tiny)
        note("tare", wall)
        note("tare, processor", processor)
        for name, path in archives.items():
            note(f"tare, {name}", evaluated(few_qrels, path, tiny)[0])
            if name == "zstd":
                note("zstandard", float(once(script(UNZSTD.format(run=str(path)))).output))
            else:
                for who, seconds in gunzipped(path).items():
                    note(f"{who}, {name}", seconds)
    found = {name: statistics.median(each) for name, each in times.items()}
    one = min(found[who] for who in ("zlib, gzip", "gzip -dc, gzip") if who in found)
    for name, seconds in found.items():
        print(f"{name:28}{seconds:8.3f} s")
    goals = {
        "7 M lines, `tare.evaluate` ÷ plain C++ parse on the same cores": found["tare"]
        / found["parse"],
        "gzip: `tare.evaluate` ÷ decompressor": found["tare, gzip"] / one,
        "zstd: `tare.evaluate` ÷ decompressor and plain parse": found["tare, zstd"]
        / (found["zstandard"] + found["parse, 2 M lines"]),
    }
    rows = [
        Comparison(
            "7 M lines and their judgements, `tare.evaluate`",
            found["tare"],
            f"C++ parse of the run, {cores} threads",
            found["parse"],
        ),
        Comparison(
            "the same",
            found["tare"],
            "C++ parse of the run, one thread",
            found["parse, one thread"],
        ),
        Comparison("2 M lines, gzip", found["tare, gzip"], "decompressor only", one),
        Comparison("2 M lines, zstd", found["tare, zstd"], "decompressor only", found["zstandard"]),
    ]
    raw: dict[str, Any] = {"seconds": found, "lines of the last file": lines, "threads": cores}
    keep("files", raw, about=about, goals=goals, comparisons=rows, small=given.small)


if __name__ == "__main__":
    main()
