"""Write docs/reference/benchmarks.md from the results in benchmarks/results.

python docs/benchmark_pages.py
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BENCHMARKS = ROOT / "benchmarks"
PAGE = ROOT / "docs" / "reference" / "benchmarks.md"
sys.path.insert(0, str(BENCHMARKS))

from _goals import GOALS, quantity  # noqa: E402
from _records import kept  # noqa: E402

sys.path.remove(str(BENCHMARKS))  # its scripts have names that other modules have too

TITLES = {
    "start": "Start and small tasks",
    "ranking": "Rankings",
    "files": "From files to numbers, without the start of Python",
    "doors": "Dictionaries, JSON and Parquet",
    "compat": "The interfaces of other programs",
    "letor": "LETOR files",
    "chance": "Chance",
    "diversity": "Diversity and preferences",
    "statistics": "Statistics",
    "studies": "Studies",
    "judges": "Judges",
    "gate": "Gates and leaderboards",
    "answers": "Battles",
    "text": "ROUGE",
    "bertscore": "BERTScore and expected ROUGE",
    "rankers": "Learning to rank",
    "judging": "The judging server",
    "view": "The explorer",
    "limits": "Large inputs",
    "growth": "How cost grows",
    "nodes": "Several nodes",
    "report": "Reports",
    "build": "Build",
}
SCRIPTS = {"statistics": "significance"}
INTRODUCTION = """# Speed compared with other programs

`make bench` runs tare and other programs in turn on one machine, saves the figures in `benchmarks/results/` and prints
every goal with its figure. `python docs/benchmark_pages.py` writes this page from the saved figures. Compare only
ratios from one run.

"Whole process" and all tasks that are commands include the start of Python and the reading of files. Figures are
medians of the rounds; in *Statistics*, *Studies* and *Judges* the fastest round of each program counts. A ratio is the
time of the other program divided by the time of tare, or the quotient that the goal names. If no `trec_eval` is
installed, its time is computed from that of pytrec_eval in the same run: 0.95 of it for 7 M lines, 0.37 of it for 250
topics, as measured once with both.

Engines and large collections are on another page: [running time at any size](../explanation/scale.md).
"""


def page() -> str:
    """Return the text of the page."""
    results = kept(BENCHMARKS / "results")
    reasons = tomllib.loads((BENCHMARKS / "explanations.toml").read_text(encoding="utf-8"))
    parts = [INTRODUCTION, *_goals(results, reasons)]
    for name, title in TITLES.items():
        if name in results:
            parts += _section(name, title, results[name])
    return "\n".join(parts).rstrip() + "\n"


def _goals(results: Mapping[str, Any], reasons: Mapping[str, str]) -> Iterator[str]:
    rows, missed = [], []
    met = measured = 0
    for name, goals in GOALS.items():
        figures = {g["name"]: g["figure"] for g in results.get(name, {}).get("goals", ())}
        for goal in goals:
            figure = figures.get(goal.name)
            if figure is None:
                rows.append(f"| {goal.name} | | {goal.words()} | not measured |")
                continue
            measured += 1
            met += goal.met(figure)
            shown = quantity(figure, goal.unit)
            rows.append(
                f"| {goal.name} | {shown} | {goal.words()} | {'yes' if goal.met(figure) else '**no**'} |"
            )
            if not goal.met(figure):
                why = reasons.get(goal.name, "The cause is not known yet.").strip()
                missed.append(f"- **{goal.name}** ({shown}; goal: {goal.words()}). {why}")
    yield "## Goals\n"
    yield f"{met} of {measured} measured goals are met.\n"
    yield "| | figure | goal | met |\n| --- | ---: | ---: | --- |"
    yield "\n".join(rows) + "\n"
    if missed:
        yield "## Goals that are not met, and why\n"
        yield "\n".join(missed) + "\n"


def _section(name: str, title: str, result: Mapping[str, Any]) -> Iterator[str]:
    yield f"## {title}\n"
    yield f"`benchmarks/{SCRIPTS.get(name, name)}.py`, {_machine(result['machine'])}\n"
    if name == "growth":
        yield from _growth(result["figures"])
    rows = result["comparisons"]
    if not rows:
        return
    if not any(row["peer"] for row in rows):
        yield "| task | tare |\n| --- | ---: |"
        yield "\n".join(f"| {row['task']} | {_side(row, '')} |" for row in rows) + "\n"
        return
    yield "| task | tare | other program | ratio |\n| --- | ---: | --- | ---: |"
    yield "\n".join(_row(row) for row in rows) + "\n"


def _row(row: Mapping[str, Any]) -> str:
    if not row["peer"]:
        return f"| {row['task']} | {_side(row, '')} | | |"
    ratio = quantity(row["peer_seconds"] / row["seconds"], "")
    return f"| {row['task']} | {_side(row, '')} | {row['peer']}: {_side(row, 'peer_')} | {ratio} |"


def _side(row: Mapping[str, Any], side: str) -> str:
    seconds, memory = row[f"{side}seconds"], row[f"{side}mebibytes"]
    small = seconds < 0.01
    time = quantity(seconds * 1000, "ms") if small else quantity(seconds, "s")
    return time if memory is None else f"{time}, {memory:,.0f} MiB"


def _machine(about: Mapping[str, Any]) -> str:
    busy = about["busy"]
    if busy is None:
        state = "it was not recorded whether the machine was idle"
    elif busy is True:
        state = "**other programs kept the machine busy**"
    elif busy <= 0.1:
        state = f"other programs used {busy:.0%} of the cores"
    else:
        state = f"**other programs used {busy:.0%} of the cores**"
    versions = ", ".join(f"{name} {number}" for name, number in about["versions"].items())
    return (
        f"{about['date']}, {about['cores']} cores, {about['system']}, Python {about['python']}, "
        f"{versions}; {state}."
    )


def _growth(figures: Mapping[str, Any]) -> Iterator[str]:
    yield (
        "Time grows with size to the power of the exponent: 1 is proportional, and fixed costs make it smaller. Time "
        "is processor time of all cores; memory is what the process took beyond its data in memory.\n"
    )
    yield "| what grows | from | to | exponent of time | time at the end | exponent of memory | memory at the end |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    rows = []
    for name, case in figures.items():
        if name == "stages":
            continue
        first, last = case["points"][0], case["points"][-1]
        rows.append(
            f"| {case['what']} | {first['size']:,} | {last['size']:,} | {case['exponent']:.2f} "
            f"| {quantity(last['processor'], 's')} | {case['exponent of memory']:.2f} | {last['mebibytes']:,.0f} MiB |"
        )
    yield "\n".join(rows) + "\n"
    stages = figures["stages"]
    names = list(next(iter(stages.values())))
    yield "What dominates when a run is scored with three measures, in seconds:\n"
    yield f"| lines | {' | '.join(names)} | largest |"
    yield f"| ---: |{' ---: |' * len(names)} --- |"
    made = []
    for lines, parts in stages.items():
        cells = " | ".join(quantity(parts[part], "") for part in names)
        made.append(f"| {lines} | {cells} | {max(parts, key=lambda part: parts[part])} |")
    yield "\n".join(made) + "\n"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
