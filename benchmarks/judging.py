"""Load and faults of `tare judge`: many assessors at once, and a server that is killed among them.

    python benchmarks/judging.py [--small] [--assessors 200] [--judgements 10000] [--pace 1.0] [--kills 10]

Loopback only. Each assessor thinks for `pace` seconds on average and then answers; response times are
those of answers, which carry the next task with them. Answers per second count from the moment when all
assessors have signed in to the last acknowledgement. Checked in the database afterwards: every
acknowledged answer is there once and as it was given, nothing else is, and no task is above its overlap.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from _assessors import Tally, answering
from _records import HERE, Comparison, keep, machine, options

sys.path.insert(0, str(HERE.parent))
from tare._judging import Study, StudyDesign, make_pairs
from tare._judging.design import Text
from tare._web.judge import StudyStore
from tests.postgres import running_server

OVERLAP = 5


def study_of(judgements: int) -> Study:
    """Pairs of twenty documents a query, with texts of some length."""
    pairs, tasks = 190, -(-judgements // OVERLAP)
    pools = {f"q{q}": [f"q{q}-d{d}" for d in range(20)] for q in range(-(-tasks // pairs))}
    body = "A page about many things, some of them new to whoever reads it. " * 12
    texts = {d: Text(f"{d}. {body}") for own in pools.values() for d in own}
    queries = {q: Text(f"what is known about {q}") for q in pools}
    design = StudyDesign("preference", overlap=OVERLAP, repeats=0.0, seed=1)
    return Study(design, tuple(make_pairs(pools)[:tasks]), texts, queries)


class Server:
    """`tare judge serve` in a process of its own."""

    def __init__(self, place: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.command = [sys.executable, "-m", "tare._cli.main", "judge", "serve", place]
        self.command += ["--port", str(self.port)]
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 300
        while time.monotonic() < end:
            with socket.socket() as asked:
                if asked.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise SystemExit("the server did not start")

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


async def killing(server: Server, kills: int, tally: Tally) -> int:
    """Kills the server at even shares of the work, at a moment nobody knows."""
    dice, done = random.Random(7), 0
    while done < kills:
        share = (done + 0.5) / kills * tally.wanted
        while len(tally.acknowledged) < share:
            await asyncio.sleep(0.02)
        await asyncio.sleep(dice.random() * 0.2)
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
        done += 1
    return done


async def played(
    server: Server, study: str, tokens: list[str], pace: float, tally: Tally, kills: int
) -> tuple[int, float]:
    """How often the server was killed, and the seconds from the first answer to the last."""
    seen: list[float] = []
    work = answering(
        server.port, study, tokens, tally, lambda: seen.append(time.perf_counter()), pace
    )
    _, done = await asyncio.gather(work, killing(server, kills, tally))
    return done, seen[1] - seen[0]


def run(place: str, assessors: int, judgements: int, pace: float, kills: int) -> dict[str, object]:
    """One load; the figures, and what the database says."""
    store, keys = StudyStore.create(study_of(judgements), place, invite=assessors)
    store.engine.dispose()
    server = Server(place)
    tally = Tally(wanted=judgements)
    try:
        tokens = [token for _, token in keys.assessors]
        done, wall = asyncio.run(played(server, store.id, tokens, pace, tally, kills))
    finally:
        server.stop()
    times = sorted(tally.seconds)
    with StudyStore.open(place) as store:
        events = store.events()
    judged = [e for e in events if e.kind == "judged"]
    kept = {e.submission: e.data["answer"]["choice"] for e in judged}
    lost = [s for s, choice in tally.acknowledged.items() if kept.get(s) != choice]
    tasks = Counter(e.data["task"] for e in judged)
    pairs = Counter((e.assessor, e.data["task"]) for e in judged)
    return {
        "assessors": assessors,
        "pace_seconds": pace,
        "judgements": len(judged),
        "acknowledged": len(tally.acknowledged),
        "lost": len(lost),
        "double": len(judged) - len(kept) + sum(n - 1 for n in pairs.values()),
        "unacknowledged_but_kept": len(set(kept) - set(tally.acknowledged)),
        "above_overlap": sum(n > OVERLAP for n in tasks.values()),
        "refused": len(tally.refused),
        "refusals": sorted(Counter(r[:80] for r in tally.refused).items())[:5],
        "kills": done,
        "resent": tally.resent,
        "median_ms": round(1000 * times[len(times) // 2], 2),
        "p99_ms": round(1000 * times[int(0.99 * len(times))], 2),
        "max_ms": round(1000 * times[-1], 2),
        "per_second": round(len(judged) / wall, 1),
        "seconds": round(wall, 1),
        "load_average": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    """Measure, print and save."""
    asked = options(__doc__)
    asked.add_argument("--assessors", type=int, default=200)
    asked.add_argument("--judgements", type=int, default=10_000)
    asked.add_argument("--pace", type=float, default=1.0)
    asked.add_argument("--kills", type=int, default=10)
    asked.add_argument("--only", choices=["sqlite", "postgresql"])
    given = asked.parse_args()
    about = machine(["uvicorn", "fastapi", "sqlalchemy"])
    if given.small:
        given.assessors, given.judgements, given.kills = 5, 50, 1
    found: dict[str, dict[str, Any]] = {}
    with running_server() as url, tempfile.TemporaryDirectory() as folder:
        for name in ("sqlite", "postgresql"):
            if given.only not in (None, name):
                continue
            if name == "postgresql" and url is None:
                print("no PostgreSQL here: left out")
                continue
            for what, kills, pace in (
                ("load", 0, given.pace),
                ("faults", given.kills, given.pace / 4),
            ):
                place = str(Path(folder) / f"{what}.db")
                if name == "postgresql":
                    place = database(url or "", what.replace(" ", "_"))
                row = run(place, given.assessors, given.judgements, pace, kills)
                found[f"{name}, {what}"] = row
                print(f"{name}, {what}: {json.dumps(row)}", flush=True)
    goals = {
        "answers lost, duplicate or above the overlap, kills included": sum(
            row[key] for row in found.values() for key in ("lost", "double", "above_overlap")
        )
    }
    if given.only != "postgresql":
        load = found["sqlite, load"]
        goals |= {
            "200 assessors, SQLite: median of the answers": load["median_ms"],
            "200 assessors, SQLite: 99 % of the answers": load["p99_ms"],
        }
    rows = [
        Comparison(f"{name}: {what} of {given.assessors} assessors' answers", row[key] / 1000)
        for name, row in found.items()
        for key, what in (("median_ms", "median"), ("p99_ms", "99 %"))
    ]
    small = given.small or given.only is not None or given.assessors != 200
    keep("judging", found, about=about, goals=goals, comparisons=rows, small=small)


def database(url: str, name: str) -> str:
    """A new database on the server."""
    import psycopg

    with psycopg.connect(url.format(name="postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")  # type: ignore[call-overload]
    return url.format(name=name)


if __name__ == "__main__":
    main()
