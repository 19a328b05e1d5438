"""Files of results: the machine, the goals, comparisons with other programs, and all figures of a benchmark."""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from _goals import GOALS, quantity

HERE = Path(__file__).parent
WORK = HERE / "work"
RESULTS = HERE / "results"


@dataclass(frozen=True)
class Comparison:
    """One task: seconds of tare and of another program, with peak memory if it was measured."""

    task: str
    seconds: float
    peer: str = ""
    peer_seconds: float | None = None
    mebibytes: float | None = None
    peer_mebibytes: float | None = None


def options(about: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options that every benchmark has."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--small",
        action="store_true",
        help="tiny sizes, to try the script; results go to benchmarks/work",
    )
    parser.add_argument("--repeats", type=int, default=5, help="rounds; medians count (default: 5)")
    return parser


def folder(small: bool) -> Path:
    """Return where results are saved: those of tiny sizes are never mixed with others."""
    return WORK / "small" if small else RESULTS


def machine(packages: Sequence[str] = ()) -> dict[str, Any]:
    """Return what the figures depend on; `busy` is the share of the cores that other programs use now."""
    found: dict[str, Any] = {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "cores": len(os.sched_getaffinity(0)),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "busy": busy(),
    }
    versions = {}
    for package in ("tare-eval", "numpy", *packages):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return {**found, "versions": versions}


def busy(seconds: float = 1.0) -> float | None:
    """Return the share of processor time that is used while this process sleeps; None if it is not known."""
    try:
        first = _ticks()
        time.sleep(seconds)
        last = _ticks()
    except OSError:
        return None
    spent = [b - a for a, b in zip(first, last, strict=True)]
    return round(1 - (spent[3] + spent[4]) / max(1, sum(spent)), 2)


def _ticks() -> list[int]:
    line = Path("/proc/stat").read_text().splitlines()[0]
    return [int(field) for field in line.split()[1:9]]


def keep(
    name: str,
    raw: Mapping[str, Any],
    *,
    about: Mapping[str, Any],
    goals: Mapping[str, float] | None = None,
    comparisons: Sequence[Comparison] = (),
    small: bool = False,
) -> None:
    """Save the figures of a benchmark, and print its goals."""
    known = {goal.name: goal for goal in GOALS.get(name, ())}
    if unknown := set(goals or {}) - set(known):
        raise KeyError(f"not in GOALS[{name!r}]: {sorted(unknown)}")
    records = [known[key].record(float(f"{value:.4g}")) for key, value in (goals or {}).items()]
    result = {
        "machine": dict(about),
        "goals": records,
        "comparisons": [asdict(row) for row in comparisons],
        "figures": dict(raw),
    }
    place = folder(small)
    place.mkdir(parents=True, exist_ok=True)
    text = json.dumps(result, indent=1, ensure_ascii=False) + "\n"
    (place / f"{name}.json").write_text(text, encoding="utf-8")
    for record in records:
        goal = known[str(record["name"])]
        figure = quantity(float(str(record["figure"])), goal.unit)
        met = "met" if record["met"] else "NOT MET"
        print(f"{goal.name}: {figure} (goal: {goal.words()}; {met})")


def kept(place: Path = RESULTS) -> dict[str, dict[str, Any]]:
    """Return the saved results of every benchmark that has goals."""
    found = {}
    for name in GOALS:
        path = place / f"{name}.json"
        if path.exists():
            read = json.loads(path.read_text(encoding="utf-8"))
            if "goals" in read:
                found[name] = read
    return found


def goal_lines(results: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return one line per goal: the figure, the goal, and whether it is met."""
    lines = []
    met = measured = 0
    for name, goals in GOALS.items():
        figures = {g["name"]: g["figure"] for g in results.get(name, {}).get("goals", ())}
        for goal in goals:
            figure = figures.get(goal.name)
            found = "not measured"
            if figure is not None:
                measured += 1
                met += goal.met(figure)
                found = "met" if goal.met(figure) else "NOT MET"
            shown = "" if figure is None else quantity(figure, goal.unit)
            lines.append(f"{goal.name:82}{shown:>12}   {goal.words():20} {found}")
    total = sum(map(len, GOALS.values()))
    return [*lines, f"{met} of {measured} measured goals are met; there are {total} goals."]
