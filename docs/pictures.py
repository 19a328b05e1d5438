"""Pictures for the docs: charts of a report, and screenshots if there is a browser.

`sphinx-build` calls `make_pictures` before it reads the pages; the pictures are not kept in the
repository. Charts need the extra "report", and screenshots need playwright and chromium. Without them the
pages have fewer pictures.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from explorer_pictures import WIDTH, explorer_pictures

from tare import evaluate, simulate
from tare.errors import MissingExtraError
from tare.report import report

if TYPE_CHECKING:
    from playwright.sync_api import Page

FOLDER = Path(__file__).parent / "_pictures"
MEASURES = ("nDCG@10", "E(nDCG@10)", "Net(nDCG@10)")
CHARTS = {
    "means": "Mean scores with intervals.",
    "score-against-chance": "Score of each query next to what chance is expected to score.",
    "differences": "Differences between systems, with simultaneous intervals.",
}  # of the report, by the end of the file name


def make_pictures(folder: Path = FOLDER) -> list[Path]:
    """Write the charts, the screenshots and the page parts that show them; return the pictures."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    simulation = simulate(seed=1)
    scores = evaluate(simulation.qrels, simulation.runs, list(MEASURES), pool="judged")
    made = report(scores, title="Five systems on a simulated collection")
    pictures: list[tuple[Path, str]] = []
    with open_browser() as browser:
        if browser is not None:
            page = made.write(folder / "report.html")
            browser.goto(page.resolve().as_uri())
            browser.screenshot(path=folder / "report.png")
            page.unlink()
            text = "The beginning of a report: the main findings and the systems."
            pictures.append((folder / "report.png", text))
        explorer = explorer_pictures(folder, browser)
    try:
        charts = made.save_figures(folder, ("svg",))
    except MissingExtraError as error:
        print(f"docs: no charts on the front page: {error}", file=sys.stderr)
        charts = []
    for path in map(Path, charts):
        text = CHARTS.get(path.stem.partition("-")[2], "")
        if text:
            pictures.append((path, text))
        else:
            path.unlink()
    parts = [
        f"```{{image}} _pictures/{path.name}\n:alt: {text}\n```\n\n*{text}*\n"
        for path, text in pictures
    ]
    (folder / "report.md").write_text("\n".join(parts) or "\n", encoding="utf-8")
    return [path for path, _ in pictures] + explorer


@contextmanager
def open_browser() -> Iterator[Page | None]:
    """Yield a page of the chromium that is installed; nothing if there is none."""
    names = ("chromium-headless-shell", "chromium")  # the same engine, without and with windows
    found = map(shutil.which, names)
    chromium = os.environ.get("TARE_CHROMIUM") or next(filter(None, found), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        print("docs: no screenshots: playwright or chromium is not installed", file=sys.stderr)
        yield None
        return
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser.new_page(viewport={"width": WIDTH, "height": 1250})
        browser.close()


if __name__ == "__main__":
    for made in make_pictures():
        print(made)
