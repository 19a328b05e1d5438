"""Pictures for the docs: charts of a report, and screenshots if there is a browser.

`sphinx-build` calls `make_pictures` before it reads the pages; the pictures are not kept in the
repository. Charts need the extra "report", and the screenshot needs chromium. Without them the
page has fewer pictures.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from explorer_pictures import explorer_pictures
from screenshots import screenshot

from tare import evaluate
from tare._data.simulation import simulate
from tare.errors import MissingExtraError
from tare.report import report

FOLDER = Path(__file__).parent / "_pictures"
MEASURES = ("nDCG@10", "E(nDCG@10)", "Net(nDCG@10)")
CHARTS = {
    "means": "Mean scores with intervals.",
    "score-against-chance": "Score of each query next to what chance is expected to score.",
    "differences": "Differences between systems, with simultaneous intervals.",
}  # of the report, by the end of the file name


def make_pictures(folder: Path = FOLDER) -> list[Path]:
    """Write the charts, the screenshot and the page part that shows them; return the pictures."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    simulation = simulate(seed=1)
    scores = evaluate(simulation.qrels, simulation.runs, list(MEASURES), pool="judged")
    made = report(scores, title="Five systems on a simulated collection")
    pictures: list[tuple[Path, str]] = []
    page = made.write(folder / "report.html")
    shot = screenshot(page.resolve().as_uri(), folder / "report.png")
    if shot is not None:
        pictures.append((shot, "The beginning of a report: the main findings and the systems."))
    page.unlink()
    try:
        charts = made.save_figures(folder, ("svg",))
    except MissingExtraError as error:
        print(f"docs: no charts on the front page: {error}", file=sys.stderr)
        charts = []
    for path in map(Path, charts):
        text = CHARTS.get(path.stem.partition("-")[2])
        if text is None:
            path.unlink()
        else:
            pictures.append((path, text))
    parts = [
        f"```{{image}} _pictures/{path.name}\n:alt: {text}\n```\n\n*{text}*\n"
        for path, text in pictures
    ]
    (folder / "report.md").write_text("\n".join(parts) or "\n", encoding="utf-8")
    return [path for path, _ in pictures] + explorer_pictures(folder)


if __name__ == "__main__":
    for made in make_pictures():
        print(made)
