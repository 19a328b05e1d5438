"""Write the predictions of docs/explanation/scale.md from the figures of benchmarks/scale.py.

python docs/scale_pages.py [--figures benchmarks/results/scale.json]
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))
from _scale_model import Fitted, Work, fitted  # noqa: E402

PAGE = ROOT / "docs" / "explanation" / "scale.md"
FIRST, LAST = "<!-- predictions: docs/scale_pages.py -->", "<!-- end of predictions -->"
NAMES = {
    "text": "text, grouped",
    "parquet": "Parquet, grouped",
    "shuffled parquet": "Parquet, mixed",
}
DEPTH = 1_000  # rows per query
CORES, DISK, START = 8, 1e9, 10.0
NODES = (1, 10, 100)


def model_of(figures: dict[str, Any]) -> Fitted:
    """Return the model, fitted to all whole runs."""
    runs = [(Work(**run["work"]), float(run["seconds"])) for run in figures["runs"]]
    return fitted(figures["stages"], runs)


def shown(seconds: float) -> str:
    """Return a time with two digits."""
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{_two_digits(seconds / size)} {unit}"
    return f"{_two_digits(seconds)} s"


def _two_digits(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def section(figures: dict[str, Any]) -> str:
    """Return the section of the page: whole runs against the model, and predictions."""
    model = model_of(figures)
    network = sorted(figures["moved per second"])[len(figures["moved per second"]) // 2]
    lines = [
        f"Whole runs on `local`, {figures['machine']['cores']} cores, {figures['machine']['date']}. Each is predicted "
        "by a model that was fitted to the other runs:",
        "",
        "| | rows | measured | predicted, 90 % interval |",
        "| --- | ---: | ---: | ---: |",
    ]
    for k, (work, seconds) in enumerate(model.runs):
        others = [run for j, run in enumerate(model.runs) if j != k]
        middle, low, high = fitted(figures["stages"], others).predict(work)
        lines.append(
            f"| {NAMES[work.form]} | {work.rows / 1e6:g} M | {shown(seconds)} | {shown(middle)} "
            f"({shown(low)} to {shown(high)}) |"
        )
    lines += [
        "",
        f"Predictions for nodes with {CORES} cores that read {DISK / 1e9:g} GB/s each and send "
        f"{network / 1e9:.2g} GB/s (as measured between two Ray nodes on one machine), with 90 % intervals:",
        "",
        "| | rows | " + " | ".join(f"{n} node{'s' if n > 1 else ''}" for n in NODES) + " |",
        "| --- | ---: |" + " ---: |" * len(NODES),
    ]
    for form, name in NAMES.items():
        for rows in (1e9, 1e10, 1e11):
            cells = []
            for nodes in NODES:
                work = Work(form, rows, rows / DEPTH, nodes, CORES, START, DISK, network)
                middle, low, high = model.predict(work)
                cells.append(f"{shown(middle)} ({shown(low)} to {shown(high)})")
            lines.append(f"| {name} | {rows / 1e9:g} billion | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Replace or append the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--figures", type=Path, default=ROOT / "benchmarks/results/scale.json")
    parser.add_argument("--page", type=Path, default=PAGE)
    given = parser.parse_args()
    made = section(json.loads(given.figures.read_text(encoding="utf-8")))
    text = given.page.read_text(encoding="utf-8")
    before, _, rest = text.partition(FIRST)
    after = rest.partition(LAST)[2]
    given.page.write_text(
        f"{before.rstrip()}\n\n{FIRST}\n{made}\n{LAST}\n\n{after.lstrip()}", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
