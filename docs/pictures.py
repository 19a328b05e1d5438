"""Pictures for the front page: charts of a report, and screenshots if there is a browser.

`sphinx-build` calls `make_pictures` before it reads the pages; the pictures are not kept in the
repository. Charts need the extra "report", and the screenshot needs chromium. Without them the
page has fewer pictures.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import tare
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
PAGES = {"view-table": "/?a=dense&b=lexical&sort=size", "view-query": "/query/3?a=dense&b=lexical"}
TEXTS = {
    "view-table": "The explorer's table of queries, largest difference first.",
    "view-query": "Both rankings of a query: lines join the same document, colours are grades.",
}


def make_pictures(folder: Path = FOLDER) -> list[Path]:
    """Write the charts, the screenshot and the page part that shows them; return the pictures."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    simulation = simulate(seed=1)
    scores = evaluate(simulation.qrels, simulation.runs, list(MEASURES), pool="judged")
    made = report(scores, title="Five systems on a simulated collection")
    pictures: list[tuple[Path, str]] = []
    page = made.write(folder / "report.html")
    shot = _screenshot(page.resolve().as_uri(), folder / "report.png")
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
    return [path for path, _ in pictures] + _explorer(folder)


def _explorer(folder: Path) -> list[Path]:
    """Write pictures of the explorer's table and of one query, and the page part that shows them."""
    made: list[Path] = []
    if browser_of() is not None and find_spec("fastapi") is not None:
        with tempfile.TemporaryDirectory() as place, explorer_of(Path(place)) as base:
            for name, path in PAGES.items():
                shot = _screenshot(base + path, folder / f"{name}.png")
                made += [shot] if shot is not None else []
    parts = [
        f"```{{image}} /_pictures/{path.name}\n:alt: {TEXTS[path.stem]}\n```\n\n*{TEXTS[path.stem]}*\n"
        for path in made
    ]
    (folder / "view.md").write_text("\n".join(parts) or "\n", encoding="utf-8")
    return made


def browser_of() -> str | None:
    """Return the browser that takes the pictures."""
    return os.environ.get("TARE_CHROMIUM") or shutil.which("chromium")


@contextmanager
def explorer_of(place: Path) -> Iterator[str]:
    """Serve the explorer of the simulated collection to this process only; yield its address."""
    import uvicorn

    from tare._view.access import Access
    from tare._view.build import opened_index
    from tare._view.inputs import ViewInputs
    from tare._view.notes import Notes
    from tare._view.server import ServedView, server_of

    class Open(Access):
        """No link is needed: the pages are those of a simulation, and live for seconds."""

        def check(self, request: object) -> None:
            """Let the browser in."""

    simulation = simulate(seed=1)
    tare.read_qrels(simulation.qrels).write(place / "qrels.txt")
    runs = []
    for run in tare.read_runs(simulation.runs):
        runs.append(place / f"{run.system}.run")
        run.write(runs[-1])
    inputs = ViewInputs(place / "qrels.txt", tuple(runs))
    index = opened_index(
        inputs,
        lambda: evaluate(
            place / "qrels.txt", [str(r) for r in runs], list(MEASURES), pool="judged"
        ),
        say=lambda text: None,
    )
    opened = socket.socket()
    opened.bind(("127.0.0.1", 0))
    served = ServedView(
        index, Notes(place / "notes.jsonl"), Open("x" * 43), "A simulated collection"
    )
    server: uvicorn.Server = server_of(served, port=opened.getsockname()[1])
    thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{opened.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        index.close()


def _screenshot(address: str, picture: Path) -> Path | None:
    """Return a picture of the beginning of a page, or None if there is no browser."""
    browser = browser_of()
    if browser is None:
        print("docs: no screenshot on the front page: chromium is not installed", file=sys.stderr)
        return None
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        command += [f"--user-data-dir={profile}", f"--window-size={WIDTH},{HEIGHT}"]
        command += [f"--screenshot={picture}", address]
        try:
            subprocess.run(command, capture_output=True, timeout=SECONDS, check=True)
        except (OSError, subprocess.SubprocessError) as error:
            print(f"docs: no screenshot on the front page: {error}", file=sys.stderr)
            return None
    return picture if picture.exists() else None


if __name__ == "__main__":
    for made in make_pictures():
        print(made)
