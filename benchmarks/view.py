"""Times of `tare view`: the index, the first page, and the page of a query.

    python benchmarks/view.py [--small] [--queries 100000] [--systems 20] [--documents 100] [--folder DIR]
        [--steps data index pages]

The runs are simulated and written as TREC text; 100 documents per query are 5.5 GB. Pages are requested
from the running command over loopback, each with a new order or a new query, so that nothing is answered
from memory. `--steps` runs only some steps, with the files of earlier steps in `--folder`: the pages can
then be measured on an idle machine without indexing again.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
from _records import Comparison, keep, machine, options

STEPS = ("data", "index", "pages")


def write(folder: Path, queries: int, systems: int, documents: int) -> None:
    """Write qrels and runs, one system after the other."""
    rng = np.random.default_rng(1)
    with (folder / "qrels.txt").open("w") as file:
        for q in range(queries):
            grades = rng.integers(0, 3, 20)
            file.write("".join(f"q{q} 0 d{q}-{d} {g}\n" for d, g in enumerate(grades)))
    for s in range(systems):
        with (folder / f"system{s:02d}.run").open("w") as file:
            for q in range(queries):
                order = rng.permutation(documents)
                file.write(
                    "".join(
                        f"q{q} Q0 d{q}-{d} {r} {documents - r} t\n" for r, d in enumerate(order)
                    )
                )


class Reader:
    """Someone who opens pages and waits for them."""

    def __init__(self, link: str) -> None:
        port, _, path = link.removeprefix("http://127.0.0.1:").partition("/")
        self.port, path = int(port), f"/{path}"
        self.cookie = ""
        answer = self.get(path, whole=True)
        self.cookie = answer[1].split(";")[0]

    def get(self, path: str, whole: bool = False) -> tuple[float, str]:
        """Return the seconds that a page takes, and the cookie it sets."""
        start = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request("GET", path, headers={"cookie": self.cookie})
        answer = connection.getresponse()
        body = answer.read()
        seconds = time.perf_counter() - start
        if answer.status >= 400:
            raise SystemExit(f"{path}: {answer.status} {body[:200]!r}")
        connection.close()
        return seconds, answer.headers.get("set-cookie", "")


def _processor_seconds() -> float:
    """Return the processor time of all processes that have ended."""
    found = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found.ru_utime + found.ru_stime


def index_runs(folder: Path, command: list[str]) -> dict[str, float]:
    """Build the index; return its seconds."""
    shutil.rmtree(folder / ".tare-view", ignore_errors=True)
    start, used = time.perf_counter(), _processor_seconds()
    subprocess.run([*command, "--index-only"], cwd=folder, check=True)
    return {
        "index": time.perf_counter() - start,
        "index, processor": _processor_seconds() - used,
    }


def open_pages(
    folder: Path, command: list[str], names: list[str], queries: int, pages: int
) -> dict[str, float]:
    """Request pages from the command; return their seconds."""
    seconds: dict[str, float] = {}
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    reader = Reader(process.stdout.readline().strip())
    seconds["command until the link"] = time.perf_counter() - start
    chance = random.Random(1)
    seconds["first page"] = reader.get("/")[0]
    tables, opened = [], []
    for _ in range(pages):
        a, b = chance.choice(names), chance.choice(names)
        tables.append(reader.get(f"/?a={a}&b={b}&sort=difference")[0])
        place = chance.randrange(queries)
        opened.append(reader.get(f"/query/{place}?a={a}&b={b}&sort=difference")[0])
    for name, found in (("table of queries", tables), ("page of a query", opened)):
        seconds[name] = median(found)
        seconds[f"{name}, 95 %"] = sorted(found)[int(0.95 * len(found))]
    used = _processor_seconds()
    process.terminate()
    process.wait(timeout=60)
    seconds["command and pages, processor"] = _processor_seconds() - used
    return seconds


def main() -> None:
    """Measure, print and save."""
    parser = options(__doc__)
    parser.add_argument("--queries", type=int, default=100_000)
    parser.add_argument("--systems", type=int, default=20)
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--pages", type=int, default=50)
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=STEPS)
    given = parser.parse_args()
    if given.small:
        given.queries, given.systems, given.pages = 100, 3, 3
    if set(given.steps) != set(STEPS) and given.folder is None:
        parser.error("--steps needs --folder, which keeps the files from one step to the next.")
    with tempfile.TemporaryDirectory() as made:
        measure(given, given.folder or Path(made))


def measure(given: argparse.Namespace, folder: Path) -> None:
    """Run the chosen steps; figures of an earlier step are kept in the folder."""
    about = machine(["uvicorn", "fastapi"])
    kept = folder / "index.json"
    names = [f"system{s:02d}" for s in range(given.systems)]
    if "data" in given.steps:
        folder.mkdir(parents=True, exist_ok=True)
        write(folder, given.queries, given.systems, given.documents)
    runs = [f"{name}.run" for name in names]
    command = [sys.executable, "-m", "tare._cli.main", "view", "qrels.txt", *runs]
    if "index" in given.steps:
        kept.write_text(json.dumps(index_runs(folder, command)), encoding="utf-8")
    if "pages" not in given.steps:
        return
    seconds = json.loads(kept.read_text(encoding="utf-8"))
    seconds |= open_pages(folder, command, names, given.queries, given.pages)
    size = sum(p.stat().st_size for p in (folder / ".tare-view").iterdir())
    for name, value in seconds.items():
        print(f"{name:30}{value:9.3f} s")
    shape = f"{given.queries:,} × {given.systems} × {given.documents}"
    goals = {
        "`tare view`, 100,000 queries: first page": seconds["first page"],
        "`tare view`, 100,000 queries: page of a query, median": seconds["page of a query"],
    }
    rows = [Comparison(f"`tare view`, {shape}: {name}", value) for name, value in seconds.items()]
    raw = {"shape": shape, "megabytes of the index": size / 1e6, "seconds": seconds}
    small = given.small or given.queries < 100_000
    keep("view", raw, about=about, goals=goals, comparisons=rows, small=small)


if __name__ == "__main__":
    main()
