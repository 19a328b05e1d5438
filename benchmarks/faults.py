"""Faults while writing: killed, interrupted, disk full, folder read-only; the old file or the new one is there, whole.

Run as root for the full disk, which is a small tmpfs; elsewhere that part is left out and said so.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results" / "faults.json"
TARE = [sys.executable, "-m", "tare._cli.main"]

# Prepares two versions of each kind of file, then forks at each line it is given: the child writes them in turn.
WRITER = """
import os, sys
from pathlib import Path
import numpy as np
import polars as pl
from tare import read_qrels, read_run
from tare._files.opening import write_all
from tare._measures.saved_scores import load
from tare.rankers._ranker import Model
from tare.rankers._model_files import save
from tare.rankers._ranker import Linear
from tare.rankers._ranker import Columns
from tare._files.writing import write_bytes, write_text

folder = Path(sys.argv[1])

def version(k):
    rows = {f"q{i}": {f"d{j}": float(j + k) for j in range(40)} for i in range(50)}
    cells = pl.DataFrame({"system": ["A"] * 400, "item": [f"q{i}" for i in range(400)], "measure": ["AP"] * 400,
                          "value": [(i + k) / 500 for i in range(400)]})
    run = read_run(rows, system="s")
    load(cells).save(folder / "a.parquet")  # by polars, whose threads do not survive a fork
    run.write(folder / "a.jsonl")
    tables = {name: (folder / name).read_bytes() for name in ("a.parquet", "a.jsonl")}
    model = Model("ridge", "pointwise", {}, 1, Columns(1, 500), Linear(np.arange(500.0) + k), "t", "d", None, (), ())
    return k, run, read_qrels(rows), model, tables

def write(made):
    k, run, qrels, model, tables = made
    run.write(folder / "a.run")
    qrels.write(folder / "a.qrels.gz")
    for name, data in tables.items():
        write_bytes(folder / name, data)
    save(model, folder / "a.json")
    write_text(folder / "a.txt", str(k) * 50_000)

versions = [version(0), version(1)]
print("ready", flush=True)
for line in sys.stdin:
    turns = int(line)
    child = os.fork()
    if child == 0:
        for turn in range(turns):
            write(versions[turn % 2])
        os._exit(0)
    print(child, flush=True)
    os.waitpid(child, 0)
    print("gone", flush=True)
"""


class Writer:
    """A process that forks children which write."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.line()

    def line(self) -> str:
        """The next word of the process."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def start(self, turns: int) -> int:
        """The number of a child that writes so often."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{turns}\n")
        self.process.stdin.flush()
        return int(self.line())

    def end(self) -> None:
        """No more children."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def kills(count: int, seed: int = 1) -> dict[str, Any]:
    """kill -9 at random moments of a process that writes without rest."""
    draw = random.Random(seed)
    torn: list[str] = []
    litter = checked = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        writer = Writer(folder)
        versions: dict[str, set[bytes]] = {}
        for turns in (1, 2):  # as an undisturbed process writes them
            writer.start(turns)
            writer.line()
            for path in folder.iterdir():
                versions.setdefault(path.name, set()).add(path.read_bytes())
        assert all(len(both) == 2 for both in versions.values()), versions.keys()
        for _ in range(count):
            child = writer.start(10**6)
            time.sleep(0.002 + draw.expovariate(1 / 0.05))
            os.kill(child, signal.SIGKILL)
            writer.line()
            for path in folder.iterdir():
                if path.name not in versions:
                    litter += 1
                    continue
                checked += 1
                if path.read_bytes() not in versions[path.name]:
                    torn.append(path.name)
        writer.start(2)
        writer.line()
        left = sum(path.name not in versions for path in folder.iterdir())
        writer.end()
    return {
        "kills": count,
        "files checked": checked,
        "torn": torn,
        "unfinished names seen": litter,
        "left after the next writing": left,
    }


@contextlib.contextmanager
def small_disk(size: str) -> Iterator[Path | None]:
    """A tmpfs of that size, or None where it cannot be mounted."""
    folder = Path(tempfile.mkdtemp())
    mounted = os.geteuid() == 0 and shutil.which("mount") is not None
    if mounted:
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)],
            check=False,
            capture_output=True,
        )
        mounted = done.returncode == 0
    try:
        yield folder if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=False)
        shutil.rmtree(folder, ignore_errors=True)


def full_disk(count: int, seed: int = 2) -> dict[str, Any]:
    """Files that do not fit: an error that names the file, the old file whole, nothing beside it."""
    from tare import read_run
    from tare._files.writing import write_bytes
    from tare._web.view import Notes

    draw = random.Random(seed)
    refused = wrong = 0
    with small_disk("256k") as folder:
        if folder is None:
            return {"runs": 0, "left out": "no root, or no tmpfs can be mounted here"}
        for turn in range(count):
            for old in folder.iterdir():
                old.unlink()
            target = (
                folder / ("a.run.gz", "a.run", "a.jsonl", "a.csv", "a.bin", "a.notes")[turn % 6]
            )
            target.write_bytes(b"old\n" * 100 if target.name != "a.notes" else b"")
            if target.name == "a.notes":
                Notes(target).keep("old", "kept")
            before = target.read_bytes()
            (folder / "filler").write_bytes(bytes(draw.randrange(120, 240) << 10))
            rows = {
                "q": {
                    f"document-{draw.random()}": float(i)
                    for i in range(draw.randrange(4_000, 9_000))
                }
            }
            try:
                if target.name == "a.bin":
                    write_bytes(target, bytes(draw.randrange(140, 900) << 10))
                elif target.name == "a.notes":
                    Notes(target).keep("q", "x" * (draw.randrange(140, 900) << 10))
                else:
                    read_run(rows, system="s").write(target)
            except OSError as error:
                refused += 1
                wrong += str(target) not in str(error)
                if target.name == "a.notes":  # a cut line is dropped by the reader
                    wrong += Notes(target).read() != {"old": "kept"}
                else:
                    wrong += target.read_bytes() != before
            wrong += sorted(p.name for p in folder.iterdir()) != sorted({target.name, "filler"})
    return {"runs": count, "refused for lack of room": refused, "wrong": wrong}


def command_faults(count: int, seed: int = 3) -> dict[str, Any]:
    """The command on a full and on a read-only disk, and interrupted: exit codes and files."""
    draw = random.Random(seed)
    wrong: list[str] = []
    codes: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as name:
        data = Path(name)
        lines = [f"q{q} Q0 d{d} {d} {-d} t\n" for q in range(300) for d in range(30)]
        (data / "a.run").write_text("".join(lines))
        (data / "qrels").write_text("".join(f"q{q} 0 d{q % 30} 1\n" for q in range(300)))
        call = [*TARE, "score", "qrels", "a.run", "-m", "AP", "--format", "csv", "--save"]
        with small_disk("4k") as folder:
            if folder is not None:
                done = subprocess.run(
                    [*call, str(folder / "s.parquet")],
                    cwd=data,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                if done.returncode != 3 or "Traceback" in done.stderr or list(folder.iterdir()):
                    wrong.append(f"full disk: {done.returncode} {done.stderr[-300:]}")
                subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
                done = subprocess.run(
                    [*call, str(folder / "s.parquet")],
                    cwd=data,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                if done.returncode != 3 or "Traceback" in done.stderr:
                    wrong.append(f"read-only: {done.returncode} {done.stderr[-300:]}")
        target = data / "s.parquet"
        began = time.perf_counter()
        subprocess.run([*call, str(target)], cwd=data, capture_output=True, check=True)
        took = time.perf_counter() - began
        before = target.read_bytes()
        for _ in range(count):
            process = subprocess.Popen(
                [*call, str(target)],
                cwd=data,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            time.sleep(took * draw.uniform(0.2, 1))
            process.send_signal(signal.SIGINT)
            _, said = process.communicate()
            codes[str(process.returncode)] = codes.get(str(process.returncode), 0) + 1
            if process.returncode not in (0, 130, -2) or target.read_bytes() != before:
                wrong.append(f"Ctrl-C: {process.returncode} {said[-300:]}")
            names = {p.name for p in data.iterdir()}
            if names != {"a.run", "qrels", "s.parquet"}:
                wrong.append(f"Ctrl-C left {names}")
    return {"interrupts": count, "exit codes": codes, "wrong": wrong}


def resumed(count: int, seed: int = 4) -> dict[str, Any]:
    """Studies killed at random moments and begun again: the answer is that of an undisturbed run."""
    draw = random.Random(seed)
    differ = stopped = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cells = [
            f"{s},q{i},{m},{draw.random():.3f}\n"
            for s in "ABCDE"
            for m in ("AP", "RR", "nDCG")
            for i in range(40)
        ]
        (folder / "scores.csv").write_text("system,item,measure,value\n" + "".join(cells))
        call = [
            *TARE,
            "study",
            "discrimination",
            "scores.csv",
            "--draws",
            "300000",
            "--format",
            "json",
        ]
        began = time.perf_counter()
        whole = subprocess.run(call, cwd=folder, capture_output=True, check=True).stdout
        took = time.perf_counter() - began
        for turn in range(count):
            journal = [*call, "--journal", f"{turn}.journal"]
            process = subprocess.Popen(
                journal, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            time.sleep(took * draw.uniform(0.2, 1))
            process.kill()
            stopped += process.wait() != 0
            again = subprocess.run(journal, cwd=folder, capture_output=True, check=False)
            differ += again.stdout != whole
    return {"studies": count, "stopped before the end": stopped, "answers that differ": differ}


def main() -> None:
    """Runs all trials and keeps what they found."""
    options = argparse.ArgumentParser()
    options.add_argument("--kills", type=int, default=300)
    options.add_argument("--full", type=int, default=120)
    options.add_argument("--interrupts", type=int, default=40)
    options.add_argument("--studies", type=int, default=15)
    given = options.parse_args()
    found: dict[str, Any] = {}
    for name, trial in (
        ("kill -9 while writing", lambda: kills(given.kills)),
        ("full disk", lambda: full_disk(given.full)),
        ("the command", lambda: command_faults(given.interrupts)),
        ("studies resumed", lambda: resumed(given.studies)),
    ):
        found[name] = trial()
        print(name, found[name], flush=True)
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
