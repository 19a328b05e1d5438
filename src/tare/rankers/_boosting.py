"""Boosting of single features: AdaRank and RankBoost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tare._kernels.letor import pair_potentials, stump_sums
from tare.errors import OptionError
from tare.rankers._ranker import Fitted, Linear, Progress, Ranker, Stumps, Training

__all__ = ["AdaRank", "RankBoost"]


# AdaRank: boosting of single features, with higher weights on badly ranked queries.


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
        """Run rounds of AdaRank until there is no gain; return the total number of rounds."""
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
        """Keep the ensemble of boosted features if it is the best so far, by validation data if given."""
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


# RankBoost: boosting of thresholds on single features, trained on pairs of documents.


NEARLY_ONE = 1 - 1e-9  # a threshold that orders every pair would get an infinite weight
NOTHING = 1e-12


@dataclass(frozen=True, kw_only=True)
class RankBoost(Ranker):
    """RankBoost: boosting of thresholds on single features, trained on pairs of documents.

    The weight of a pair is exp(H(worse) − H(better)), with H the current score. Each round adds the
    threshold with the largest r, the weight of correctly minus incorrectly ordered pairs as a share of the
    total weight. It multiplies the total weight by at most √(1 − r²).

    Parameters
    ----------
    rounds : int, default 300
        Maximum number of rounds.
    thresholds : int, default 10
        Number of thresholds per feature, 1 to 255.
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
    RankLib only searches for thresholds with a positive weight. In the corrected mode weights may be
    negative, for features that are smaller on better documents.

    References
    ----------
    Y. Freund, R. Iyer, R. E. Schapire, Y. Singer. An efficient boosting algorithm for combining
    preferences. JMLR 4, 2003.

    Examples
    --------
    >>> import numpy as np
    >>> import tare
    >>> features = np.array([[0.9, 0.1], [0.2, 0.3], [0.8, 0.5], [0.1, 0.4]])
    >>> letor = tare.Letor("train", features, [2, 0, 1, 0], ("q1", "q2"), [0, 2, 4])
    >>> tare.rankers.RankBoost(rounds=10).fit(letor).importance()
    {1: 1.0, 2: 0.0}
    """

    rounds: int = 300
    thresholds: int = 10

    name: ClassVar[str] = "rankboost"
    title: ClassVar[str] = "RankBoost"
    citation: ClassVar[str] = (
        "Y. Freund, R. Iyer, R. E. Schapire, Y. Singer. An efficient boosting algorithm for combining "
        "preferences. JMLR 4, 2003."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.thresholds > 255:
            raise OptionError(
                f"RankBoost: thresholds={self.thresholds} is out of range. Accepted: 1 to 255."
            )

    def _learn(
        self, training: Training, valid: Training | None, seed: int, progress: Progress
    ) -> Fitted:
        cuts = _cuts(training.columns, self.thresholds)
        bins = _bins(training.columns, cuts)
        seen = None if valid is None else _bins(valid.columns, cuts)
        levels, level_count = training.levels
        scores = np.zeros(len(training.grades))
        chosen: list[tuple[int, int, float]] = []
        history: list[float] = []
        best, kept = -1.0, 0
        held = np.zeros(0 if valid is None else len(valid.grades))
        potentials, loss = pair_potentials(scores, levels, training.offsets, level_count)
        pairs = loss
        for done in range(self.rounds):
            progress(done, self.rounds)
            sums = stump_sums(bins, potentials, self.thresholds + 1, self.threads) / loss
            ranked = np.abs(sums) if self.mode == "corrected" else sums
            feature, place = divmod(int(ranked.argmax()), self.thresholds)
            r = float(np.clip(sums[feature, place], -NEARLY_ONE, NEARLY_ONE))
            if abs(r) < NOTHING:
                break
            weight = 0.5 * float(np.log((1 + r) / (1 - r)))
            chosen.append((feature, place, weight))
            scores += weight * (bins[feature] > place)
            potentials, loss = pair_potentials(scores, levels, training.offsets, level_count)
            history.append(loss / pairs)
            if valid is not None and seen is not None:
                held += weight * (seen[feature] > place)
                reached = valid.mean_ndcg(held, self.threads)
                if reached > best:
                    best, kept = reached, len(chosen)
            if loss <= NOTHING * pairs:  # every pair is in order
                break
        if valid is not None:
            chosen = chosen[:kept]
        features = np.array([f for f, _, _ in chosen], dtype=np.int64)
        places = np.array([p for _, p, _ in chosen], dtype=np.int64)
        weights = np.array([w for _, _, w in chosen], dtype=np.float64)
        stumps = Stumps(
            training.features.shape[1], features, cuts[features, places].astype(np.float64), weights
        )
        notes = (
            ()
            if valid is None
            else (f"{kept:,} of {len(history):,} rounds were best on the validation data.",)
        )
        return Fitted(stumps, tuple(history), notes)


def _cuts(columns: NDArray[np.float32], count: int) -> NDArray[np.float32]:
    """Return the thresholds of each feature for RankBoost in ascending order, in equal steps down from the maximum."""
    low, high = columns.min(axis=1), columns.max(axis=1)
    step = (high.astype(np.float64) - low) / count
    cuts = high[:, None] - step[:, None] * np.arange(count)[::-1]
    return np.asarray(cuts, dtype=np.float32)


def _bins(columns: NDArray[np.float32], cuts: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return how many thresholds each value exceeds."""
    bins = np.empty(columns.shape, dtype=np.uint8)
    for f, (values, own) in enumerate(zip(columns, cuts, strict=True)):
        bins[f] = np.searchsorted(own, values, side="left")
    return bins
