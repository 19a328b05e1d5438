"""Systems for studies of measures: given, perturbed and simulated."""

from __future__ import annotations

import numpy as np

from tare._data.runs import Run, read_run
from tare._data.subtopics import Subtopics
from tare._kernels.random_numbers import check_seed
from tare.errors import OptionError

__all__ = ["check_systems", "first_documents", "perturbed", "simulated"]

Rankings = dict[str, list[str]]
MAX_SYSTEMS = 10_000
WAYS = ("swaps", "drops", "interleaving")


def first_documents(run: Run, depth: int) -> Rankings:
    """Return the first documents of each of a system's rankings; ties are broken by document id, descending."""
    return {
        query: [d for d, _ in sorted(sorted(documents, reverse=True), key=lambda x: -x[1])[:depth]]
        for query, documents in run.by_query()
    }


def as_run(rankings: Rankings, system: str) -> Run:
    """Return a run of a system made from its rankings, whose scores only express the order."""
    scores = {q: {d: float(-i) for i, d in enumerate(order)} for q, order in rankings.items()}
    return read_run({q: s for q, s in scores.items() if s}, system=system)


def check_systems(count: int) -> int:
    """Return the number of systems to perturb or simulate, or raise if it is out of range."""
    if not 2 <= count <= MAX_SYSTEMS:
        raise OptionError(
            f"systems={count} is not valid. It must lie between 2 and {MAX_SYSTEMS:,}."
        )
    return count


def perturbed(runs: list[Run], count: int, *, depth: int = 50, seed: int = 0) -> list[Run]:
    """Return the runs of given systems, cut to a depth, and perturbed copies until there are `count`.

    Copies swap neighbours, drop documents or interleave two runs, in turn and with growing strength.
    """
    check_seed(seed)
    bases = [first_documents(run, depth) for run in runs]
    names = _distinct([run.system for run in runs], [run.name for run in runs])
    made = [as_run(base, name) for base, name in zip(bases, names, strict=True)]
    for number in range(len(made), count):
        random = np.random.Generator(np.random.Philox(key=[seed, number]))
        one, other = (int(x) for x in random.integers(len(bases), size=2))
        way = WAYS[number % len(WAYS)]
        strength = (number - len(bases) + 1) / max(count - len(bases), 1)
        rankings = {
            query: _changed(order, bases[other].get(query, []), way, strength, random)
            for query, order in bases[one].items()
        }
        made.append(as_run(rankings, f"{names[one]}+{way}{number}"))
    return made


def _changed(
    order: list[str], other: list[str], way: str, strength: float, random: np.random.Generator
) -> list[str]:
    if way == "swaps":
        places = np.arange(len(order)) + random.normal(0, 1 + 9 * strength, len(order))
        return [order[i] for i in np.argsort(places, kind="stable")]
    if way == "drops":
        kept = random.random(len(order)) >= 0.1 + 0.5 * strength
        return [d for d, keep in zip(order, kept, strict=True) if keep] or order[:1]
    mixed: dict[str, None] = {}
    lists = [list(order), list(other)]
    while any(lists) and len(mixed) < len(order):
        take = lists[int(random.random() < 0.5)] or lists[0] or lists[1]
        mixed[take.pop(0)] = None
    return list(mixed)


def _distinct(tags: list[str], paths: list[str]) -> list[str]:
    if len(set(tags)) == len(tags):
        return tags
    return [f"{tag}{i + 1}" for i, tag in enumerate(tags)]


def simulated(subtopics: Subtopics, count: int, *, depth: int = 50, seed: int = 0) -> list[Run]:
    """Simulate systems from judgements of subtopics, with varying skill and preference for novelty."""
    check_seed(seed)
    offsets = subtopics.arrays.document_offsets
    made = []
    for number in range(count):
        random = np.random.Generator(np.random.Philox(key=[seed, 1_000_000 + number]))
        skill, novelty = 0.2 + 2.3 * random.random(), random.random()
        rankings: Rankings = {}
        for q, query in enumerate(subtopics.items):
            names = subtopics.document_names[offsets[q] : offsets[q + 1]]
            covered = subtopics.covered(q)
            noise = random.gumbel(size=len(names))
            near = np.argsort(-(skill * covered.any(axis=1) + noise), kind="stable")[: 2 * depth]
            worth = np.ones(covered.shape[1])
            left, order = list(near), list[str]()
            while left and len(order) < depth:
                scores = [skill * covered[d] @ worth + noise[d] for d in left]
                best = left.pop(int(np.argmax(scores)))
                worth = np.where(covered[best], worth * (1 - novelty), worth)
                order.append(names[best])
            rankings[query] = order
        made.append(as_run(rankings, f"simulated{number + 1:02d}"))
    return made
