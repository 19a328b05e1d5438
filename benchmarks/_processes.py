"""Whole processes, timed: wall time, processor time and peak memory, medians of a few runs taken in turn."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Timing:
    """Median seconds, processor seconds and mebibytes of one command."""

    seconds: float
    processor: float
    mebibytes: float
    output: str

    def figures(self) -> dict[str, float]:
        """Return the figures as they are saved."""
        return {
            "seconds": round(self.seconds, 4),
            "processor seconds": round(self.processor, 4),
            "mebibytes": round(self.mebibytes, 1),
        }


def once(command: list[str]) -> Timing:
    """Run a command once."""
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
    return Timing(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output)


def in_turn(commands: dict[str, list[str]], repeats: int) -> dict[str, Timing]:
    """Every command once, then every command again: noise falls on all alike."""
    found: dict[str, list[Timing]] = {name: [] for name in commands}
    for _ in range(repeats):
        for name, command in commands.items():
            found[name].append(once(command))
    return {
        name: Timing(
            statistics.median(run.seconds for run in runs),
            statistics.median(run.processor for run in runs),
            statistics.median(run.mebibytes for run in runs),
            runs[0].output,
        )
        for name, runs in found.items()
    }


def script(code: str) -> list[str]:
    """A command that runs Python code."""
    return [sys.executable, "-c", code]


def tare_command() -> str:
    """The `tare` of this environment."""
    return str(Path(sys.executable).with_name("tare"))
