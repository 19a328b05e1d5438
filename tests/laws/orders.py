"""Every order of a small pool, scored: what chance is made of."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import tare
from tare._measures import Measure, definitions, make
from tests.reference.catalogue import all_variants
from tests.reference.graded_measures import orders

Grade = float | None
GRADES: tuple[Grade, ...] = (0, 0, 1, 1, 2, 3, 0.5, 1.5, -1, None, None)


@dataclass(frozen=True)
class Case:
    """One query: the grades of what was retrieved, in rank order, and of what was missed."""

    retrieved: tuple[Grade, ...]
    missed: tuple[float, ...] = ()

    def documents(self, pool: str) -> dict[str, Grade]:
        """The documents of the pool, by name."""
        found = {f"d{i}": grade for i, grade in enumerate(self.retrieved)}
        missed: dict[str, Grade] = {f"m{i}": grade for i, grade in enumerate(self.missed)}
        if pool == "retrieved":
            return found
        if pool == "judged":
            return {d: g for d, g in (found | missed).items() if g is not None}
        every = found | missed
        if pool.startswith("corpus="):
            extra = int(pool.partition("=")[2]) - len(every)
            every |= {f"u{i}": None for i in range(extra)}
        return every

    def qrels(self) -> dict[str, float]:
        """The judgements."""
        return {d: g for d, g in self.documents("union").items() if g is not None}

    def run(self) -> dict[str, float]:
        """The ranking as it is."""
        return {f"d{i}": 100.0 - i for i in range(len(self.retrieved))}


def ranked(names: Sequence[str]) -> dict[str, float]:
    """A run of documents in this order."""
    return {name: 100.0 - i for i, name in enumerate(names)}


def named_orders(documents: dict[str, Grade]) -> list[dict[str, float]]:
    """A run for each order that can be told from the others by its grades; all equally likely."""
    runs = []
    for order in orders(list(documents.values())):
        left: dict[Grade, list[str]] = {}
        for name, grade in documents.items():
            left.setdefault(grade, []).append(name)
        runs.append(ranked([left[grade].pop() for grade in order]))
    return runs


def over_orders(
    cases: dict[str, Case], pool: str, measures: Sequence[Measure], **policies: object
) -> dict[str, NDArray[np.float64]]:
    """For each case the values of all orders of its pool: orders × measures."""
    qrels: dict[str, dict[str, float]] = {}
    runs: dict[str, dict[str, float]] = {}
    places: dict[str, list[str]] = {}
    for name, case in cases.items():
        for i, run in enumerate(named_orders(case.documents(pool))):
            query = f"{name}/{i}"
            qrels[query], runs[query] = case.qrels(), run
            places.setdefault(name, []).append(query)
    scores = tare.evaluate(qrels, runs, measures, **policies)
    at = {item: i for i, item in enumerate(scores.items)}
    return {name: scores.values[0][[at[q] for q in queries]] for name, queries in places.items()}


def distinct(documents: dict[str, Grade]) -> int:
    """How many orders can be told apart."""
    count, left = 1, len(documents)
    for copies in Counter(documents.values()).values():
        for i in range(copies):
            count = count * (left - i) // (i + 1)
        left -= copies
    return count


def cases(count: int, seed: int, *, largest: int = 7, most: int = 5040) -> dict[str, Case]:
    """Random cases whose whole pool holds up to `largest` documents, one at least judged."""
    draw = random.Random(seed)
    found: dict[str, Case] = {}
    while len(found) < count:
        n = draw.randint(1, largest)
        retrieved = tuple(draw.choice(GRADES) for _ in range(draw.randint(1, n)))
        missed = tuple(
            draw.choice([g for g in GRADES if g is not None]) for _ in range(n - len(retrieved))
        )
        case = Case(retrieved, missed)
        if case.qrels() and distinct(case.documents("union")) <= most:
            found[f"q{len(found):03d}"] = case
    return found


def every_cutoff(largest: int = 8) -> list[Measure]:
    """Every variant of the catalogue, and every measure at every cutoff."""
    found = dict.fromkeys(all_variants())
    for definition in definitions():
        if definition.family == "ranking" and definition.cutoff in ("required", "optional"):
            for k in range(1, largest + 1):
                found[make(definition.name, cutoff=k)] = None
    return list(found)
