"""Pictures of a report for the front page: charts, and a screenshot if there is a browser.

`sphinx-build` calls `make_pictures` before it reads the pages; the pictures are not kept in the
repository. Charts need the extra "report", and the screenshot needs chromium. Without them the
page has fewer pictures.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tare import evaluate
from tare._data.simulation import simulate
from tare.errors import MissingExtraError
from tare.report import report

FOLDER = Path(__file__).parent / "_pictures"
MEASURES = ("nDCG@10", "E(nDCG@10)", "Net(nDCG@10)")
WIDTH, HEIGHT = 1100, 1250
SECONDS = 120  # for the browser
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
    shot = _screenshot(page, folder / "report.png")
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
    return [path for path, _ in pictures]


def _screenshot(page: Path, picture: Path) -> Path | None:
    """Return a picture of the beginning of a page, or None if there is no browser."""
    browser = os.environ.get("TARE_CHROMIUM") or shutil.which("chromium")
    if browser is None:
        print("docs: no screenshot on the front page: chromium is not installed", file=sys.stderr)
        return None
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        command += [f"--user-data-dir={profile}", f"--window-size={WIDTH},{HEIGHT}"]
        command += [f"--screenshot={picture}", page.resolve().as_uri()]
        try:
            subprocess.run(command, capture_output=True, timeout=SECONDS, check=True)
        except (OSError, subprocess.SubprocessError) as error:
            print(f"docs: no screenshot on the front page: {error}", file=sys.stderr)
            return None
    return picture if picture.exists() else None


if __name__ == "__main__":
    for made in make_pictures():
        print(made)
