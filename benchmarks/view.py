"""Times of `tare view`: the index, the first page, and the page of a query.

    python benchmarks/view.py [--small] [--queries 100000] [--systems 20] [--documents 10] [--folder DIR]

The runs are simulated and written as TREC text. Pages are requested from the running command over
loopback, each with a new order or a new query, so that nothing is answered from memory. On a busy
machine, processor times say more than wall times. `--documents 100` writes 5 GB of runs.
"""

from __future__ import annotations

import http.client
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
from _records import Comparison, keep, machine, options


def write(folder: Path, queries: int, systems: int, documents: int) -> list[str]:
    """Write qrels and runs, one system after the other."""
    rng = np.random.default_rng(1)
    with (folder / "qrels.txt").open("w") as file:
        for q in range(queries):
            grades = rng.integers(0, 3, 20)
            file.write("".join(f"q{q} 0 d{q}-{d} {g}\n" for d, g in enumerate(grades)))
    names = []
    for s in range(systems):
        names.append(f"system{s:02d}.run")
        with (folder / names[-1]).open("w") as file:
            for q in range(queries):
                order = rng.permutation(documents)
                file.write(
                    "".join(
                        f"q{q} Q0 d{q}-{d} {r} {documents - r} t\n" for r, d in enumerate(order)
                    )
                )
    return names


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


def main() -> None:
    """Measure, print and save."""
    parser = options(__doc__)
    parser.add_argument("--queries", type=int, default=100_000)
    parser.add_argument("--systems", type=int, default=20)
    parser.add_argument("--documents", type=int, default=10)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--pages", type=int, default=50)
    given = parser.parse_args()
    about = machine(["uvicorn", "fastapi", "duckdb"])
    if given.small:
        given.queries, given.systems, given.pages = 100, 3, 3
    seconds: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as made:
        folder = given.folder or Path(made)
        runs = write(folder, given.queries, given.systems, given.documents)
        command = [sys.executable, "-m", "tare._cli.main", "view", "qrels.txt", *runs]
        start, used = time.perf_counter(), _processor_seconds()
        subprocess.run([*command, "--index-only"], cwd=folder, check=True)
        seconds["index"] = time.perf_counter() - start
        seconds["index, processor"] = _processor_seconds() - used
        size = sum(p.stat().st_size for p in (folder / ".tare-view").iterdir())
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        reader = Reader(process.stdout.readline().strip())
        seconds["command until the link"] = time.perf_counter() - start
        names = [run.removesuffix(".run") for run in runs]
        chance = random.Random(1)
        seconds["first page"] = reader.get("/")[0]
        tables, pages = [], []
        for _ in range(given.pages):
            a, b = chance.choice(names), chance.choice(names)
            tables.append(reader.get(f"/?a={a}&b={b}&sort=difference")[0])
            place = chance.randrange(given.queries)
            pages.append(reader.get(f"/query/{place}?a={a}&b={b}&sort=difference")[0])
        for name, found in (("table of queries", tables), ("page of a query", pages)):
            seconds[name] = median(found)
            seconds[f"{name}, 95 %"] = sorted(found)[int(0.95 * len(found))]
        used = _processor_seconds()
        process.terminate()
        process.wait(timeout=60)
        seconds["command and pages, processor"] = _processor_seconds() - used
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
