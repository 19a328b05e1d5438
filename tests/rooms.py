"""Small studies of every kind, and a client that goes through their pages as a browser would."""

from __future__ import annotations

import gc
import re
import threading
import warnings
from typing import Any
from uuid import uuid4

import httpx
import uvicorn

from tare._judging import Dimension, Study, StudyDesign, Task, make_pairs, make_triplets
from tare._judging.design import Text
from tare._web.judge import StudyStore
from tare._web.judge.server import application, listen, server_of

DOCUMENTS = ("d1", "d2", "d3", "d4")
TEXTS = {
    d: Text(f"This is the text of number {i}.", title=f"Title {i}") for i, d in enumerate(DOCUMENTS)
}
QUERIES = {"q1": Text("how to make coffee")}
SUMMARIES = {
    f"{item}\t{name}": Text(f"{name} says of {item}: rain 🌧 fell on the town.")
    for item in ("i1", "i2")
    for name in ("alpha", "beta", "reference 1", "reference 2")
}
SOURCES = {"i1": Text("Rain fell all day."), "i2": Text("The town was wet.")}
FORMULAS = (  # what spreadsheets run, or take for the beginning of it
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(1)",
    "=cmd|'/C calc'!A0",
    "\t=1+1",
    "\r=1+1",
    "=",
    "-",
    "+x",
    "-x",
    "@x",
)
UNITS = (("1", "Rain fell"), ("2", "The town was flooded"))


def study_of(kind: str = "preference", **more: object) -> Study:
    """A study of a kind, with a few tasks."""
    pools = {"q1": list(DOCUMENTS[: 3 if kind == "conditional" else 4])}
    if kind == "preference":
        return Study(StudyDesign(kind, **more), tuple(make_pairs(pools)), TEXTS, QUERIES)
    if kind == "conditional":
        return Study(StudyDesign(kind, **more), tuple(make_triplets(pools)), TEXTS, QUERIES)
    if kind == "grades":
        more.setdefault("grades", ((0, "off topic"), (1, "related"), (2, "answers it")))
        tasks = tuple(Task("q1", (d,)) for d in DOCUMENTS)
        return Study(StudyDesign(kind, **more), tasks, TEXTS, QUERIES)
    systems = ("alpha", "beta")
    if kind == "ratings":
        more.setdefault(
            "dimensions",
            (Dimension("readability", labels=("poor", "good")), Dimension("coherence", high=3)),
        )
        tasks = tuple(Task(i, (s,)) for i in SOURCES for s in systems)
    elif kind == "headtohead":
        tasks = tuple(Task(i, systems) for i in SOURCES)
    elif kind == "scus":
        tasks = tuple(Task(i, (s,), units=UNITS) for i in SOURCES for s in systems)
    else:
        tasks = tuple(Task(i, ("reference 1", "reference 2")) for i in SOURCES)
    return Study(StudyDesign(kind, **more), tasks, SUMMARIES, SOURCES)


ANSWERS = {
    "preference": {"choice": "left"},
    "conditional": {"choice": "right"},
    "headtohead": {"choice": "equal"},
    "grades": {"grade": "2"},
    "ratings": {"ratings": {"readability": 4, "coherence": 2}},
    "scus": {"present": {"1": "yes", "2": "no"}},
    "markup": {
        "units": [
            {
                "label": "rain",
                "contributors": [
                    {"reference": 0, "start": 0, "end": 4},
                    {"reference": 1, "start": 2, "end": 9},
                ],
            }
        ]
    },
}


class Visitor:
    """Someone with a browser of his own."""

    def __init__(self, url: str) -> None:
        self.client = httpx.Client(base_url=url, follow_redirects=True, timeout=300)

    def open(self, path: str) -> str:
        """A page."""
        return self.client.get(path).text

    @property
    def csrf(self) -> str:
        """What the forms of his page carry."""
        found = re.search(r'name="csrf" value="([0-9a-f]{64})"', self.open("/work"))
        assert found is not None
        return found[1]

    @property
    def number(self) -> int:
        """The number of what is before him."""
        found = re.search(r'name="number" value="(\d+)"', self.open("/work"))
        assert found is not None, "no task"
        return int(found[1])

    def fields(self, answer: dict, **more: object) -> dict:
        """The body of an answer."""
        made = {"csrf": self.csrf, "submission": str(uuid4()), "number": self.number}
        return {**made, "answer": answer, **more}

    def judge(self, answer: dict, **more: object):
        """Answers what is before him."""
        return self.client.post("/judge", json=self.fields(answer, **more))

    def post(self, path: str, **fields: object):
        """Sends JSON with his form's secret."""
        return self.client.post(path, json={"csrf": self.csrf, **fields})


def stop(server: uvicorn.Server, thread: threading.Thread, *, at_once: bool = False) -> None:
    """Stop a server that runs in a thread; at once, it does not wait for idle connections.

    uvicorn leaves a connection open that came in its last moment; its warning would fail a later test.
    """
    server.should_exit, server.force_exit = True, at_once
    thread.join(timeout=300)
    assert not thread.is_alive()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "unclosed", ResourceWarning)
        gc.collect()


class Serving:
    """A store that is served on a free port of this machine, in a thread."""

    def __init__(self, store: StudyStore, *, base: str = "", proxies: tuple[str, ...] = ()) -> None:
        self.store = store
        self.server = server_of(application(store, base=base), proxies=proxies)

    def __enter__(self) -> str:
        opened = listen("127.0.0.1", 0)
        self.thread = threading.Thread(target=self.server.run, args=([opened],), daemon=True)
        self.thread.start()
        return f"http://127.0.0.1:{opened.getsockname()[1]}"

    def __exit__(self, *_: object) -> None:
        stop(self.server, self.thread)
        self.store.engine.dispose()


class House:
    """A study that is served, its keys, and visitors."""

    def __init__(self, study: Study, place: str, invite: int = 3, **options: Any) -> None:
        self.store, self.keys = StudyStore.create(study, place, invite=invite)
        self.serving = Serving(self.store, **options)
        self.visitors: list[Visitor] = []

    def __enter__(self) -> House:
        self.url = self.serving.__enter__()
        return self

    def __exit__(self, *what: object) -> None:
        for visitor in self.visitors:
            visitor.client.close()
        self.serving.__exit__(*what)

    def visitor(self, url: str | None = None) -> Visitor:
        """Someone with no cookie yet."""
        self.visitors.append(Visitor(url or self.url))
        return self.visitors[-1]

    def assessor(self, place: int = 0, url: str | None = None) -> Visitor:
        """One of those invited."""
        visitor = self.visitor(url)
        visitor.open(f"/join/{self.keys.assessors[place][1]}")
        return visitor

    def owner(self) -> Visitor:
        """The owner."""
        visitor = self.visitor()
        visitor.open(f"/owner/{self.keys.owner}")
        return visitor
