"""AdaRank: boosting of single features, with weights on the queries that are ranked badly."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tare.rankers._ranker import Fitted, Progress, Ranker
from tare.rankers._scorers import Linear
from tare.rankers._training import Training

__all__ = ["AdaRank"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class AdaRank(Ranker):
    """Each round takes the feature whose ranking is best on the queries that still go wrong.

    With E(q) the nDCG of a ranking, a feature weighs α = ½ ln(Σ P(1 + E) / Σ P(1 − E)), and then
    P(q) ∝ exp(−E of the ensemble). A round that lowers the training measure by more than `tolerance`
    ends the training. With `enqueue`, a feature that is chosen twice in a row is set aside and comes
    back at the end; without, one that was chosen `most_in_row` times without effect is.
    Corrected: RankLib multiplies P up and never brings its sum back to 1, so that it vanishes after
    some hundred rounds and ends the training. Here a fall is measured from the best so far, so that
    many small ones do not add up; `patience` rounds without a new best end a stretch; and the best
    ensemble that was met is kept, on validation data where there are some.

    Xu and Li 2007.
    """

    rounds: int = 500
    tolerance: float = 0.002
    most_in_row: int = 5
    enqueue: bool = True
    patience: int = 50

    name: ClassVar[str] = "adarank"
    title: ClassVar[str] = "AdaRank"
    citation: ClassVar[str] = (
        "J. Xu, H. Li. AdaRank: a boosting algorithm for information retrieval. SIGIR 2007."
    )

    def _learn(
        self, training: Training, valid: Training | None, seed: int, progress: Progress
    ) -> Fitted:
        worth = np.array(
            [training.ndcg(c.astype(np.float64), self.threads) for c in training.columns]
        )
        boost = _Boosting(self, training, valid, worth)
        done = boost.learn(0, self.enqueue, progress)
        while self.enqueue and boost.queue:
            boost.queue.pop()
            done = boost.learn(done, False, progress)
        whole = self.mode == "ranklib" and valid is None
        weights = boost.weights() if whole else boost.best
        return Fitted(Linear(weights), tuple(boost.history))


@dataclass
class _Boosting:
    """Where the training stands."""

    options: AdaRank
    training: Training
    valid: Training | None
    worth: Floats  # features × queries: nDCG of each feature alone
    chosen: list[tuple[int, float]] = field(default_factory=list)
    queue: list[int] = field(default_factory=list)
    history: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        queries = self.worth.shape[1]
        self.p = np.full(queries, 1.0 / queries)
        self.last, self.in_row, self.used = -1, 0, set[int]()
        self.reached, self.before = 0.0, 0.0
        self.backup = self.p
        self.best_reached, self.best = -1.0, np.zeros(len(self.worth))

    def weights(self) -> Floats:
        """What the features weigh by now."""
        made = np.zeros(len(self.worth))
        for feature, alpha in self.chosen:
            made[feature] += alpha
        return made

    def _scores(self, rows: Training) -> Floats:
        """The ensemble's scores; of many features only few have a weight."""
        made, weights = np.zeros(len(rows.grades)), self.weights()
        for feature in np.flatnonzero(weights).tolist():
            made += weights[feature] * rows.columns[feature].astype(np.float64)
        return made

    def _choose(self) -> int:
        value = self.worth @ self.p
        value[[*self.queue, *self.used]] = -np.inf
        return int(value.argmax()) if np.isfinite(value).any() else -1

    def learn(self, start: int, enqueue: bool, progress: Progress) -> int:
        """Rounds until nothing is gained; returns how many were done in all."""
        rounds, threads = self.options.rounds, self.options.threads
        ranklib = self.options.mode == "ranklib"
        since, best = 0, self.reached
        for done in range(start, rounds):
            progress(done, rounds)
            feature = self._choose()
            if feature < 0:
                return done
            if enqueue:
                if feature == self.last and self.chosen:
                    # So strong that nothing else would be learnt: it waits, and its round is undone.
                    self.queue.append(feature)
                    self.chosen.pop()
                    self.history.pop()
                    self.p, self.reached = self.backup, self.before
                    since, best = 0, self.reached
                    if ranklib:
                        self.best_reached = -1.0
                    continue
                self.last, self.backup, self.before = feature, self.p, self.reached
            alone = self.worth[feature]
            right, wrong = float(self.p @ (1 + alone)), float(self.p @ (1 - alone))
            if not (right > 0 and wrong > 0):  # perfect; or, in RankLib, no weight is left
                if wrong <= 0 < right:
                    self.chosen.append((feature, 1.0))
                    self.history.append(1.0)
                    self._keep(1.0)
                return done
            alpha = 0.5 * float(np.log(right / wrong))
            self.chosen.append((feature, alpha))
            e = self.training.ndcg(self._scores(self.training), threads)
            reached = float(e.sum()) / self.training.counted
            if not enqueue:
                self._count_in_row(feature, reached)
            self._keep(reached)
            since, best = (0, reached) if reached > best else (since + 1, best)
            if reached + self.options.tolerance <= (self.reached if ranklib else best):
                self.chosen.pop()
                return done
            self.reached = reached
            self.history.append(reached)
            self.p = self._reweighted(alpha, e)
            if since >= self.options.patience and not ranklib:
                return done + 1
        return rounds

    def _keep(self, reached: float) -> None:
        """Remembers the ensemble if it is the best so far, on validation data where there are some."""
        if self.valid is not None:
            reached = self.valid.mean_ndcg(self._scores(self.valid), self.options.threads)
        if reached > self.best_reached:
            self.best_reached, self.best = reached, self.weights()

    def _reweighted(self, alpha: float, e: Floats) -> Floats:
        if self.options.mode == "ranklib":
            lowered = np.exp(-alpha * e)
            return np.asarray(self.p * lowered / lowered.sum())
        lowered = np.exp(-e)
        return np.asarray(lowered / lowered.sum())

    def _count_in_row(self, feature: int, reached: float) -> None:
        if reached != self.reached or feature != self.last:
            self.in_row = 0
            self.used.clear()
        else:
            self.in_row += 1
            if self.in_row == self.options.most_in_row:
                self.in_row = 0
                self.used.add(feature)
        self.last = feature
