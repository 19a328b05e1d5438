"""Write docs/reference/benchmarks.md from the results in benchmarks/results.

python docs/benchmark_pages.py
"""

from __future__ import annotations

import sys
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

SCRIPTS = {"statistics": "significance"}
INTRODUCTION = """# Speed compared with other programs

`make bench` runs tare and other programs in turn on one machine and saves the figures in `benchmarks/results/`.
`python docs/benchmark_pages.py` makes this page from them. Compare only ratios from one run.

A ratio "A ÷ B" is the time of A divided by the time of B, or their memory. Commands include the start of Python and the
reading of files. Figures are medians of the rounds; in the scripts `significance`, `studies` and `judges` the fastest
round of each program counts. If no `trec_eval` is installed, its time is computed from that of pytrec_eval in the same
run: 0.95 of it for 7 M lines, 0.37 of it for 250 topics, as measured once with both.

Engines and large collections are on another page: [running time at any size](../explanation/scale.md).
"""


def page() -> str:
    """Return the text of the page."""
    results = kept(BENCHMARKS / "results")
    return "\n".join([INTRODUCTION, *_goals(results), *_machines(results)])


def _goals(results: Mapping[str, Any]) -> Iterator[str]:
    rows = []
    met = measured = 0
    for name, goals in GOALS.items():
        figures = {g["name"]: g["figure"] for g in results.get(name, {}).get("goals", ())}
        script = f"`{SCRIPTS.get(name, name)}`"
        for goal in goals:
            figure = figures.get(goal.name)
            if figure is None:
                rows.append(f"| {goal.name} | | {goal.words()} | not measured | {script} |")
                continue
            measured += 1
            met += goal.met(figure)
            shown = quantity(figure, goal.unit)
            answer = "yes" if goal.met(figure) else "**no**"
            rows.append(f"| {goal.name} | {shown} | {goal.words()} | {answer} | {script} |")
    yield "## Goals\n"
    yield f"{met} of {measured} measured goals are met. Each script is a file of the folder `benchmarks`.\n"
    yield "| | figure | goal | met | script |\n| --- | ---: | ---: | --- | --- |"
    yield "\n".join(rows) + "\n"


def _machines(results: Mapping[str, Any]) -> Iterator[str]:
    """Yield when and where the figures were measured, one line per day and machine."""
    measured: dict[str, list[str]] = {}
    for name, result in results.items():
        about = result["machine"]
        machine = (
            f"{about['date']}, {about['cores']} cores, {about['system']}, Python {about['python']}"
        )
        busy = about["busy"]
        known = "" if busy is not None else " (not recorded whether idle)"
        state = (
            f" (**other programs used {busy:.0%} of the cores**)" if (busy or 0) > 0.1 else known
        )
        measured.setdefault(machine, []).append(f"`{SCRIPTS.get(name, name)}`{state}")
    yield "## When and where\n"
    yield "The machine was idle unless something else is said. The versions of all programs are in the saved figures.\n"
    yield "\n".join(f"- {machine}: {', '.join(names)}." for machine, names in measured.items())
    yield ""


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
