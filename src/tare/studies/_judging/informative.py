"""The policy `informative`: ask first the question whose answer is expected to change most.

For a pair (a, b), given g or not, with w wins in n displays, a win moves U(a) from w/n to (w+1)/(n+1).
If systems are known, Prf is a weighted sum of utilities, so an answer moves the difference of two
systems by the difference of their weights. Differences near zero, whose sign may change, count in full:

    value = Σ_{s<t} E|Δ(s, t)|² / (|difference of s and t| + E|Δ(s, t)|)

Without systems, the value is the expected change of the two utilities. Unseen utilities start at 1/2.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._measures.preference import rank_weights
from tare.studies._judging.design import Study
from tare.studies._judging.queue import Queue
from tare.studies._judging.tasks import Task, random_order

__all__ = ["InformativePolicy"]

Array = NDArray[np.float64]
DEPTH, THETA = 20, 0.2


class InformativePolicy:
    """What is known about every query so far, and the value of each open question."""

    def __init__(self, study: Study) -> None:
        place = random_order([task.id for task in study.tasks], study.design.seed)
        tasks: dict[str, list[Task]] = {}
        for task in sorted(study.tasks, key=lambda t: place[t.id]):
            tasks.setdefault(task.query, []).append(task)
        self.queries = {
            query: _Query(own, study.rankings.get(query, {})) for query, own in tasks.items()
        }

    def answered(self, task: Task, swapped: bool, answer: Mapping[str, Any], sign: int) -> None:
        """Add an answer, or remove it with sign −1."""
        share = {"left": 1.0, "right": 0.0, "equal": 0.5, "bad": 0.5}.get(answer["choice"])
        if share is not None:
            self.queries[task.query].count(task, 1 - share if swapped else share, sign)

    def first(self, queue: Queue, seen: set[str]) -> str | None:
        """Return the open task with the highest value that the assessor has not seen."""
        best: tuple[float, str] | None = None
        for query in self.queries.values():
            values = query.values()
            for i in query.order():
                task = query.ids[i]
                if queue.where[task] is not None and task not in seen:
                    if best is None or values[i] > best[0]:
                        best = (float(values[i]), task)
                    break
        return None if best is None else best[1]


class _Query:
    """One query: wins and displays of each document under each condition."""

    def __init__(self, tasks: list[Task], rankings: Mapping[str, tuple[str, ...]]) -> None:
        self.ids = [task.id for task in tasks]
        self.cells: dict[tuple[str, tuple[str, ...]], int] = {}
        for task in tasks:
            for document in task.shown:
                self.cells.setdefault((document, task.given), len(self.cells))
        self.pairs = np.array([[self.cells[d, t.given] for d in t.shown] for t in tasks])
        self.wins, self.shown = np.zeros(len(self.cells)), np.zeros(len(self.cells))
        self.weights = self._weights(list(rankings.values()))
        self.pairs_of_systems = np.array(
            list(itertools.combinations(range(len(self.weights)), 2)), dtype=np.int64
        ).reshape(-1, 2)
        self._values: Array | None = None
        self._order: list[int] = []

    def _weights(self, rankings: list[tuple[str, ...]]) -> Array:
        """Return systems × cells: the weight of each utility in a system's Prf."""
        made = np.zeros((len(rankings), len(self.cells)))
        for s, ranking in enumerate(rankings):
            depth = min(DEPTH, len(ranking))
            for i, weight in enumerate(rank_weights("rbp", THETA, depth) if depth else ()):
                before = ranking[:i]
                conditions: list[tuple[str, ...]] = [(g,) for g in before] or [()]
                for given in conditions:
                    known = self.cells.get((ranking[i], given), self.cells.get((ranking[i], ())))
                    if known is not None:
                        made[s, known] += weight / len(conditions)
        return made

    def count(self, task: Task, share: float, sign: int) -> None:
        left, right = (self.cells[d, task.given] for d in task.shown)
        self.wins[left] += sign * share
        self.wins[right] += sign * (1 - share)
        self.shown[[left, right]] += sign
        self._values = None

    def order(self) -> list[int]:
        """Return the positions of the tasks, most valuable first."""
        if self._values is None:
            self.values()
        return self._order

    def values(self) -> Array:
        """Return the value of an answer to each task."""
        if self._values is None:
            self._values = self._worth()
            self._order = np.argsort(-self._values, kind="stable").tolist()
        return self._values

    def _worth(self) -> Array:
        utility = (self.wins + 0.5) / (self.shown + 1)
        up = (self.wins + 1.5) / (self.shown + 2) - utility
        down = (self.wins + 0.5) / (self.shown + 2) - utility
        a, b = self.pairs[:, 0], self.pairs[:, 1]
        chance = utility[a] / (utility[a] + utility[b])  # that a wins
        if not len(self.pairs_of_systems):
            change = chance * (up[a] - down[b]) + (1 - chance) * (up[b] - down[a])
            return np.asarray(change, dtype=np.float64)
        s, t = self.pairs_of_systems.T
        apart = self.weights[s] - self.weights[t]  # pairs of systems × cells
        gap = np.abs(apart @ utility)[:, None]
        moved = chance * np.abs(apart[:, a] * up[a] + apart[:, b] * down[b])
        moved += (1 - chance) * np.abs(apart[:, a] * down[a] + apart[:, b] * up[b])
        worth = np.divide(moved**2, gap + moved, out=np.zeros_like(moved), where=moved > 0)
        return np.asarray(worth.sum(axis=0), dtype=np.float64)
