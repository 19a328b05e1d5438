"""The policy `battles`: ask first for the battle that narrows the rank intervals of the systems most.

The answers so far are fitted by Bradley and Terry's model with ties (`studies/_arena`). The next question
is the pair of systems with the largest expected gain, with the item that has the fewest answers. Pairs
that connect systems without common battles come first.

With gaps d of ratings and variances v of their estimates, the expected width of all rank intervals is a
sum over pairs of P(|N(d/√v, 1)| < c). A battle of a and b with information h changes the covariance V of
the ratings by −h(Vd)(Vd)′/(1 + h d′Vd), so to first order its gain is h/(1 + h d′Vd) × d′V L V d, where L is
the Laplacian of the derivatives of the width by v.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._decide.arena_model import PRIOR, BattleDesign, components_of, derivatives, fit_ratings
from tare.errors import MismatchError
from tare.studies._judging.design import Study
from tare.studies._judging.queue import Queue
from tare.studies._judging.tasks import Task, random_order

__all__ = ["BattlePolicy", "pair_gains"]

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
        """Add an answer, or remove it with sign −1."""
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
