"""Tasks: what is shown to an assessor at once, and how tasks are made from pools of documents."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tare._data.simulation import uniforms
from tare.errors import OptionError

__all__ = [
    "MAX_TASKS",
    "Task",
    "check_count",
    "make_pairs",
    "make_triplets",
    "random_order",
    "stream_id",
]

MAX_TASKS = 200_000
MAX_DRAWN_FROM = 10_000_000  # pairs or triplets of a query
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


def check_count(tasks: int) -> None:
    """Raise if there are more tasks than a study can have; called before they are made."""
    if tasks > MAX_TASKS:
        raise OptionError(
            f"the data make {tasks:,} tasks; a study can have at most {MAX_TASKS:,}. Set data.pairs or "
            "data.triplets or a smaller data.depth, or list the tasks in a file (data.tasks)."
        )


def make_pairs(
    pools: Mapping[str, Sequence[str]], *, count: int | None = None, seed: int = 0
) -> list[Task]:
    """Create simple preferences: every pair of each query's documents, or `count` of them at random.

    >>> [task.shown for task in make_pairs({"q": ["a", "b", "c"]})]
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    made = []
    totals = [math.comb(len(documents), 2) for documents in pools.values()]
    check_count(sum(_size(total, count) for total in totals))
    for (query, documents), total in zip(pools.items(), totals, strict=True):
        _check_pool(query, documents, 2)
        for place in _sampled(total, count, seed, query, PAIRS, "pairs"):
            a, b = _pair_at(place, len(documents))
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
    sizes = [len(documents) for documents in pools.values()]
    totals = [n * math.comb(n - 1, 2) if n > 2 else 0 for n in sizes]
    pairs = sum(math.comb(n, 2) for n in sizes) if simple and count is None else 0
    check_count(sum(_size(total, count) for total in totals) + pairs)
    for (query, documents), total in zip(pools.items(), totals, strict=True):
        _check_pool(query, documents, 3)
        n = len(documents)
        for place in _sampled(total, count, seed, query, TRIPLETS, "triplets"):
            g, within = divmod(place, math.comb(n - 1, 2))
            a, b = (i + (i >= g) for i in _pair_at(within, n - 1))  # of the others
            pair = (documents[a], documents[b])
            if simple:
                made[Task(query, pair, depth=b + 1)] = None
            made[Task(query, pair, (documents[g],), depth=max(g, b) + 1)] = None
    return list(made)


def _size(total: int, count: int | None) -> int:
    return total if count is None else min(count, total)


def _pair_at(place: int, n: int) -> tuple[int, int]:
    """Return the pair of n at a place in lexicographic order.

    >>> [_pair_at(place, 4) for place in range(6)]
    [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    """
    left = math.comb(n, 2) - 1 - place  # pairs after it
    row = (math.isqrt(8 * left + 1) - 1) // 2
    return n - 2 - row, n - 1 - (left - row * (row + 1) // 2)


def _sampled(
    total: int, count: int | None, seed: int, query: str, substream: int, what: str
) -> Iterable[int]:
    """Return the places of what is drawn, in order."""
    if count is None or count >= total:
        return range(total)
    if total > MAX_DRAWN_FROM:
        raise OptionError(
            f"query {query}: its documents make {total:,} {what}, and at most {MAX_DRAWN_FROM:,} can be drawn "
            "from. Name runs with a smaller data.depth, or list the tasks in a file (data.tasks)."
        )
    draws = uniforms(seed, stream_id(query), np.arange(total), substream)
    return sorted(np.argsort(draws, kind="stable")[:count].tolist())


def _check_pool(query: str, documents: Sequence[str], least: int) -> None:
    if len(set(documents)) != len(documents):
        raise OptionError(f"query {query}: duplicate document in the pool.")
    if len(documents) < least:
        raise OptionError(
            f"query {query}: expected at least {least} documents, found {len(documents)}."
        )
