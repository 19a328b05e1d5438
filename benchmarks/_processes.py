"""Whole processes, timed: wall time and peak memory, medians of a few runs taken in turn."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
WORK = HERE / "work"
RESULTS = HERE / "results"


@dataclass(frozen=True)
class Timing:
    """Median seconds and mebibytes of one command."""

    seconds: float
    mebibytes: float
    output: str


def once(command: list[str]) -> tuple[float, float, str]:
    """Seconds, peak mebibytes and the standard output of one run."""
    # Users have compiled modules; without them, each start would compile a hundred.
    usual = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=usual
    )
    assert process.stdout is not None
    output = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    if process.returncode != 0:
        raise SystemExit(f"{command} failed with {process.returncode}")
    return seconds, usage.ru_maxrss / 1024, output


def in_turn(commands: dict[str, list[str]], repeats: int) -> dict[str, Timing]:
    """Every command once, then every command again: noise falls on all alike."""
    found: dict[str, list[tuple[float, float, str]]] = {name: [] for name in commands}
    for _ in range(repeats):
        for name, command in commands.items():
            found[name].append(once(command))
    return {
        name: Timing(
            statistics.median(r[0] for r in runs), statistics.median(r[1] for r in runs), runs[0][2]
        )
        for name, runs in found.items()
    }


def script(code: str) -> list[str]:
    """A command that runs Python code."""
    return [sys.executable, "-c", code]


def tare_command() -> str:
    """The `tare` of this environment."""
    return str(Path(sys.executable).with_name("tare"))


def keep(name: str, results: dict[str, object]) -> None:
    """Keeps results as data."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(results, indent=1) + "\n")
