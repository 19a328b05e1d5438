"""AdaRank: boosting of single features, with higher weights on badly ranked queries."""

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
    """AdaRank: boosting of single features, with higher weights on badly ranked queries.

    Each round selects the feature whose ranking has the best weighted nDCG. With E(q) its nDCG on query q
    and P(q) the weight of the query, the weight of the feature is
    α = ½ ln(Σ P(1 + E) / Σ P(1 − E)). The new weights of the queries are P(q) ∝ exp(−E(q)), with the nDCG
    of the ensemble.

    Parameters
    ----------
    rounds : int, default 500
        Maximum number of rounds.
    tolerance : float, default 0.002
        Stop after a round that lowers the training nDCG by this much or more.
    most_in_row : int, default 5
        Without `enqueue`, leave out a feature that was selected this many times in a row without effect.
    enqueue : bool, default True
        Set a feature aside that is selected twice in a row, and use it again at the end.
    patience : int, default 50
        Stop after this many rounds without a new best (corrected mode only).
    mode : {"corrected", "ranklib"}
        "corrected" fixes the defects of RankLib that are listed below; "ranklib" reproduces them.
    normalise, cutoff, threads
        See `Ranker`.

    Raises
    ------
    OptionError
        If an option has an unknown value or is out of range.

    Notes
    -----
    RankLib never normalises P, so P vanishes after some hundred rounds and training stops. It also
    measures a decrease from the previous round, so many small decreases are not noticed. The corrected
    mode normalises P, measures a decrease from the best round, and keeps the best ensemble (by validation
    data if given).

    References
    ----------
    J. Xu, H. Li. AdaRank: a boosting algorithm for information retrieval. SIGIR 2007.

    Examples
    --------
    >>> import numpy as np
    >>> import tare
    >>> features = np.array([[0.9, 0.1], [0.2, 0.3], [0.8, 0.5], [0.1, 0.4]])
    >>> letor = tare.Letor("train", features, [2, 0, 1, 0], ("q1", "q2"), [0, 2, 4])
    >>> tare.rankers.AdaRank(rounds=10).fit(letor).importance()
    {1: 1.0, 2: 0.0}
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
    """The state of the training."""

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
        """Return the current weights of the features."""
        made = np.zeros(len(self.worth))
        for feature, alpha in self.chosen:
            made[feature] += alpha
        return made

    def _scores(self, rows: Training) -> Floats:
        """Return the scores of the ensemble; only few features have a weight."""
        made, weights = np.zeros(len(rows.grades)), self.weights()
        for feature in np.flatnonzero(weights).tolist():
            made += weights[feature] * rows.columns[feature].astype(np.float64)
        return made

    def _choose(self) -> int:
        value = self.worth @ self.p
        value[[*self.queue, *self.used]] = -np.inf
        return int(value.argmax()) if np.isfinite(value).any() else -1

    def learn(self, start: int, enqueue: bool, progress: Progress) -> int:
        """Run rounds until there is no gain; return the total number of rounds."""
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
                    # A dominant feature: set it aside and undo its round.
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
            if not (right > 0 and wrong > 0):  # perfect ranking, or (RankLib) vanished weights
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
        """Keep the ensemble if it is the best so far, by validation data if given."""
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
