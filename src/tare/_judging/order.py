"""The queue of open tasks, and the policies that order it: fewest answers first, `battles`, `informative`."""

from __future__ import annotations

import itertools
from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._decide.arena_model import PRIOR, BattleDesign, components_of, derivatives, fit_ratings
from tare._judging.design import Study, Task, random_order, stream_id
from tare._measures.preference import rank_weights
from tare.errors import MismatchError

__all__ = ["BattlePolicy", "InformativePolicy", "Queue", "pair_gains"]


# The queue of open tasks: ordered by the policy, tasks with the fewest answers first.


class Queue:
    """Open tasks, grouped by stratum and by number of answers.

    random: one stratum; every task gets its first answer before any task gets its second.
    pooled: the stratum of a task is its depth in the pool; shallow tasks are completed first.
    """

    def __init__(self, study: Study) -> None:
        ids = [task.id for task in study.tasks]
        self.place = random_order(ids, study.design.seed)
        self.tasks = [""] * len(ids)
        for task, place in self.place.items():
            self.tasks[place] = task
        pooled = study.design.policy == "pooled"
        self.stratum = {t.id: t.depth if pooled else 0 for t in study.tasks}
        self.rotate = not pooled
        self.seed = study.design.seed
        self.starts: dict[str, int] = {}  # of each assessor
        self.where: dict[str, tuple[int, int] | None] = {}
        self.buckets: dict[tuple[int, int], list[int]] = {}
        for place, task in enumerate(self.tasks):
            key = (self.stratum[task], 0)
            self.where[task] = key
            self.buckets.setdefault(key, []).append(place)

    def __len__(self) -> int:
        return sum(map(len, self.buckets.values()))

    def move(self, task: str, taken: int, *, full: bool) -> None:
        """Update the position of a task."""
        key = None if full else (self.stratum[task], taken)
        old = self.where[task]
        if key == old:
            return
        place = self.place[task]
        if old is not None:
            bucket = self.buckets[old]
            del bucket[bisect_left(bucket, place)]
            if not bucket:
                del self.buckets[old]
        if key is not None:
            insort(self.buckets.setdefault(key, []), place)
        self.where[task] = key

    def open(self) -> Iterator[str]:
        """Yield all tasks that need an answer."""
        return (self.tasks[place] for bucket in self.buckets.values() for place in bucket)

    def first(self, assessor: str, seen: set[str]) -> str | None:
        """Return the next task that an assessor has not seen; each assessor starts at a different place."""
        start = self.starts.get(assessor)
        if start is None:
            start = stream_id(f"{self.seed}\x1f{assessor}") % len(self.tasks) if self.rotate else 0
            self.starts[assessor] = start
        for key in sorted(self.buckets):
            bucket = self.buckets[key]
            middle = bisect_left(bucket, start)
            for i in range(middle - len(bucket), middle):  # negative: from the middle to the end
                task = self.tasks[bucket[i]]
                if task not in seen:
                    return task
        return None


# The policy `battles`: ask first for the battle that narrows the rank intervals of the systems
# most.
#
# The answers so far are fitted by Bradley and Terry's model with ties (`studies/_arena`). The next question
# is the pair of systems with the largest expected gain, with the item that has the fewest answers. Pairs
# that connect systems without common battles come first.
#
# With gaps d of ratings and variances v of their estimates, the expected width of all rank intervals is a
# sum over pairs of P(|N(d/√v, 1)| < c). A battle of a and b with information h changes the covariance V of
# the ratings by −h(Vd)(Vd)′/(1 + h d′Vd), so to first order its gain is h/(1 + h d′Vd) × d′V L V d, where L is
# the Laplacian of the derivatives of the width by v.


Floats = NDArray[np.float64]
CRITICAL = NormalDist().inv_cdf(0.975)
OUTCOMES = {"left": 1, "equal": 0, "bad": 0, "right": -1}


class BattlePolicy:
    """The battles so far, and the order in which pairs of systems are asked for."""

    def __init__(self, study: Study) -> None:
        self.place = random_order([task.id for task in study.tasks], study.design.seed)
        self.systems = tuple(sorted({s for task in study.tasks for s in task.shown}))
        known = {name: k for k, name in enumerate(self.systems)}
        self.tasks: dict[tuple[int, int], list[Task]] = {}
        for task in sorted(study.tasks, key=lambda t: self.place[t.id]):
            a, b = sorted(known[s] for s in task.shown)
            self.tasks.setdefault((a, b), []).append(task)
        self.known = known
        self.counts = np.zeros((len(self.systems), len(self.systems), 3))
        self.by_item: dict[str, int] = dict.fromkeys((task.query for task in study.tasks), 0)
        self._order: list[tuple[int, int]] | None = None

    def answered(self, task: Task, swapped: bool, answer: Mapping[str, Any], sign: int) -> None:
        """Record an answer to a battle in the order of tasks, or take it back with sign −1."""
        outcome = OUTCOMES.get(answer["choice"])
        if outcome is None:
            return
        a, b = (self.known[s] for s in task.shown)
        outcome = -outcome if swapped else outcome
        if a > b:
            a, b, outcome = b, a, -outcome
        self.counts[a, b, 1 - outcome] += sign
        self.by_item[task.query] += sign
        self._order = None

    def first(self, queue: Queue, seen: set[str]) -> str | None:
        """Return the open task with the highest value that the assessor has not seen."""
        if self._order is None:
            self._order = self._pairs()
        for pair in self._order:
            free = [
                t for t in self.tasks[pair] if queue.where[t.id] is not None and t.id not in seen
            ]
            if free:
                return min(
                    free,
                    key=lambda t: (self._taken(queue, t), self.by_item[t.query], self.place[t.id]),
                ).id
        return None

    @staticmethod
    def _taken(queue: Queue, task: Task) -> int:
        where = queue.where[task.id]
        return 0 if where is None else where[1]

    def gains(self) -> Floats:
        """Return the expected gain of a battle of each pair; infinite if it connects components."""
        size = len(self.systems)
        a, b, kind = np.nonzero(self.counts > 0)
        made = np.zeros((size, size))
        component = components_of(a, b, size)
        try:
            design = BattleDesign(
                self.systems,
                a,
                b,
                np.asarray(1 - kind, dtype=np.float64),
                np.zeros((len(a), 0)),
                (),
                np.zeros(0),
                np.arange(len(a)),
                np.ones(len(a)),
                self.counts[a, b, kind],
                "battle",
                component,
            )
            fit = fit_ratings(design, prior=PRIOR)
        except MismatchError:  # no winner so far
            pass
        else:
            covariance = np.asarray(np.linalg.inv(fit.hessian)[:size, :size], dtype=np.float64)
            eta = fit.ratings[:, None] - fit.ratings[None, :]
            information = derivatives(np.zeros_like(eta), eta, fit.tau, fit.rule).eta_eta
            made = pair_gains(fit.ratings, covariance, information, component)
        made[component[:, None] != component[None, :]] = np.inf
        return made

    def _pairs(self) -> list[tuple[int, int]]:
        """Return the pairs, best first; among equal gains the one with the fewest battles."""
        gains = self.gains()
        battles = self.counts.sum(axis=2)
        first = {pair: self.place[tasks[0].id] for pair, tasks in self.tasks.items()}
        return sorted(self.tasks, key=lambda p: (-round(float(gains[p]), 12), battles[p], first[p]))


def pair_gains(
    ratings: Floats, covariance: Floats, information: Floats, component: NDArray[np.int64]
) -> Floats:
    """Return by how much one battle of each pair is expected to narrow the mean rank interval."""
    own = np.diag(covariance)
    variances = np.maximum(own[:, None] + own[None, :] - 2 * covariance, 1e-12)
    z = np.abs(ratings[:, None] - ratings[None, :]) / np.sqrt(variances)
    slope = (_density(CRITICAL - z) - _density(CRITICAL + z)) * z / (2 * variances)
    np.fill_diagonal(slope, 0.0)
    # Systems of different components are never compared.
    slope = np.where(component[:, None] == component[None, :], slope, 0.0)
    laplacian = np.diag(slope.sum(axis=1)) - slope
    moved = covariance @ laplacian @ covariance
    diagonal = np.diag(moved)
    change = diagonal[:, None] + diagonal[None, :] - 2 * moved
    made = information / (1 + information * variances) * np.maximum(change, 0.0)
    np.fill_diagonal(made, 0.0)
    return np.asarray(2 * made / len(ratings))


def _density(x: Floats) -> Floats:
    return np.asarray(np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi))


# The policy `informative`: ask first the question whose answer is expected to change most.
#
# For a pair (a, b), given g or not, with w wins in n displays, a win moves U(a) from w/n to (w+1)/(n+1).
# If systems are known, Prf is a weighted sum of utilities, so an answer moves the difference of two
# systems by the difference of their weights. Differences near zero, whose sign may change, count in full:
#
#     value = Σ_{s<t} E|Δ(s, t)|² / (|difference of s and t| + E|Δ(s, t)|)
#
# Without systems, the value is the expected change of the two utilities. Unseen utilities start at 1/2.


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
        """Record an answer about a query in the informative order, or take it back with sign −1."""
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
        """Return the positions of the open tasks, those whose answers are worth most first."""
        if self._values is None:
            self.values()
        return self._order

    def values(self) -> Array:
        """Return how much an answer to each open task is worth for the order of systems."""
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
