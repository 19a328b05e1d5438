"""Tasks: what is shown to an assessor at once, and how tasks are made of pools of documents."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tare._data.counter_random import uniforms
from tare.errors import OptionError

__all__ = ["Task", "make_pairs", "make_triplets", "order_of", "stream_of"]

PAIRS, TRIPLETS, ORDER = 21, 22, 23  # substreams


@dataclass(frozen=True)
class Task:
    """One question: two things to compare, or things to judge, perhaps after others were read.

    `shown` are documents, or systems where `query` is an item they summarised; `units` are content
    units to be looked for; `depth` is how deep in the pool the task reaches; `expected` is the
    known answer of a gold task.
    """

    query: str
    shown: tuple[str, ...]
    given: tuple[str, ...] = ()
    units: tuple[tuple[str, str], ...] = ()
    depth: int = 0
    expected: str | None = None

    @property
    def id(self) -> str:
        """Sixteen digits that tell this task from others and nothing of its contents."""
        shown = sorted(self.shown) if len(self.shown) == 2 else list(self.shown)
        parts = "\x1f".join([self.query, "|", *shown, "|", *self.given, self.expected or ""])
        return hashlib.blake2b(parts.encode(), digest_size=8).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for the store."""
        return {
            "query": self.query,
            "shown": list(self.shown),
            "given": list(self.given),
            "units": [list(unit) for unit in self.units],
            "depth": self.depth,
            "expected": self.expected,
        }

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Task:
        """A task from plain values."""
        return cls(
            str(given["query"]),
            tuple(map(str, given["shown"])),
            tuple(map(str, given.get("given") or ())),
            tuple((str(u), str(label)) for u, label in given.get("units") or ()),
            int(given.get("depth") or 0),
            given.get("expected"),
        )


def stream_of(text: str) -> int:
    """A stream of random numbers of its own for a name."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def order_of(tasks: Sequence[str], seed: int) -> dict[str, int]:
    """The places of tasks in a seeded order that does not depend on how they are listed."""
    draws = {t: float(uniforms(seed, stream_of(t), [0], ORDER)[0]) for t in tasks}
    return {t: i for i, t in enumerate(sorted(draws, key=lambda t: (draws[t], t)))}


def make_pairs(
    pools: Mapping[str, Sequence[str]], *, count: int | None = None, seed: int = 0
) -> list[Task]:
    """Simple preferences: every pair of each query's documents, or `count` of them at random.

    >>> [task.shown for task in make_pairs({"q": ["a", "b", "c"]})]
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    made = []
    for query, documents in pools.items():
        _check_pool(query, documents, 2)
        places = itertools.combinations(range(len(documents)), 2)
        for a, b in _sampled(list(places), count, seed, query, PAIRS):
            made.append(Task(query, (documents[a], documents[b]), depth=b + 1))
    return made


def make_triplets(
    pools: Mapping[str, Sequence[str]],
    *,
    count: int | None = None,
    simple: bool = True,
    seed: int = 0,
) -> list[Task]:
    """Conditional preferences: a document that was read, and two of which one is to come next.

    simple: also ask for each pair that comes up which is better by itself.

    >>> len(make_triplets({"q": ["a", "b", "c"]}, simple=False))
    3
    """
    made: dict[Task, None] = {}
    for query, documents in pools.items():
        _check_pool(query, documents, 3)
        n = len(documents)
        places = [
            (g, a, b) for g in range(n) for a, b in itertools.combinations(range(n), 2)
            if g not in (a, b)
        ]  # fmt: skip
        for g, a, b in _sampled(places, count, seed, query, TRIPLETS):
            pair = (documents[a], documents[b])
            if simple:
                made[Task(query, pair, depth=b + 1)] = None
            made[Task(query, pair, (documents[g],), depth=max(g, b) + 1)] = None
    return list(made)


def _sampled(
    places: Sequence[tuple[int, ...]], count: int | None, seed: int, query: str, substream: int
) -> Iterable[tuple[int, ...]]:
    if count is None or count >= len(places):
        return places
    draws = uniforms(seed, stream_of(query), np.arange(len(places)), substream)
    return [places[i] for i in sorted(np.argsort(draws, kind="stable")[:count].tolist())]


def _check_pool(query: str, documents: Sequence[str], least: int) -> None:
    if len(set(documents)) != len(documents):
        raise OptionError(f"query {query}: a document stands twice in its pool.")
    if len(documents) < least:
        raise OptionError(f"query {query}: {least} documents are needed, found {len(documents)}.")
