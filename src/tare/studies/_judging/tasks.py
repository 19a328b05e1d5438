"""Tasks: what is shown to an assessor at once, and how tasks are made from pools of documents."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tare._data.counter_random import uniforms
from tare.errors import OptionError

__all__ = ["Task", "make_pairs", "make_triplets", "random_order", "stream_id"]

PAIRS, TRIPLETS, ORDER = 21, 22, 23  # substreams


@dataclass(frozen=True)
class Task:
    """One question: two texts to compare or a text to judge, perhaps after reading others.

    `shown` are documents, or systems if `query` is an item that they summarised; `units` are content
    units to look for; `depth` is the depth of the task in the pool; `expected` is the known answer of a
    gold task.
    """

    query: str
    shown: tuple[str, ...]
    given: tuple[str, ...] = ()
    units: tuple[tuple[str, str], ...] = ()
    depth: int = 0
    expected: str | None = None

    @property
    def id(self) -> str:
        """Sixteen digits that identify the task and reveal nothing about its contents."""
        shown = sorted(self.shown) if len(self.shown) == 2 else list(self.shown)
        parts = "\x1f".join([self.query, "|", *shown, "|", *self.given, self.expected or ""])
        return hashlib.blake2b(parts.encode(), digest_size=8).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for the database."""
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
        """Create a task from plain values."""
        return cls(
            str(given["query"]),
            tuple(map(str, given["shown"])),
            tuple(map(str, given.get("given") or ())),
            tuple((str(u), str(label)) for u, label in given.get("units") or ()),
            int(given.get("depth") or 0),
            given.get("expected"),
        )


def stream_id(text: str) -> int:
    """Return the id of a separate stream of random numbers for a name."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def random_order(tasks: Sequence[str], seed: int) -> dict[str, int]:
    """Return the positions of tasks in a random order that does not depend on how they are listed."""
    draws = {t: float(uniforms(seed, stream_id(t), [0], ORDER)[0]) for t in tasks}
    return {t: i for i, t in enumerate(sorted(draws, key=lambda t: (draws[t], t)))}


def make_pairs(
    pools: Mapping[str, Sequence[str]], *, count: int | None = None, seed: int = 0
) -> list[Task]:
    """Create simple preferences: every pair of each query's documents, or `count` of them at random.

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
    """Create conditional preferences: one document that was read, and two candidates for the next.

    simple: also ask which document of each pair is better by itself.

    >>> len(make_triplets({"q": ["a", "b", "c"]}, simple=False))
    3
    """
    made: dict[Task, None] = {}
    for query, documents in pools.items():
        _check_pool(query, documents, 3)
        n = len(documents)
        places = [
            (g, a, b)
            for g in range(n)
            for a, b in itertools.combinations(range(n), 2)
            if g not in (a, b)
        ]
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
    draws = uniforms(seed, stream_id(query), np.arange(len(places)), substream)
    return [places[i] for i in sorted(np.argsort(draws, kind="stable")[:count].tolist())]


def _check_pool(query: str, documents: Sequence[str], least: int) -> None:
    if len(set(documents)) != len(documents):
        raise OptionError(f"query {query}: duplicate document in the pool.")
    if len(documents) < least:
        raise OptionError(
            f"query {query}: expected at least {least} documents, found {len(documents)}."
        )
