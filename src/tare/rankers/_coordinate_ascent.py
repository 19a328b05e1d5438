"""Coordinate ascent: direct optimisation of the measure, one weight at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tare._kernels.letor import line_search, score_order
from tare.rankers._random_streams import permutation
from tare.rankers._ranker import Fitted, Progress, Ranker
from tare.rankers._scorers import Linear
from tare.rankers._training import Training

__all__ = ["CoordinateAscent"]

Floats = NDArray[np.float64]

FIRST_STEP = 0.001
SHARE_OF_WEIGHT = 0.05
GROWTH = 2.0
SLACK = 0.001


@dataclass(frozen=True, kw_only=True)
class CoordinateAscent(Ranker):
    """Coordinate ascent: direct optimisation of nDCG, one weight of a linear model at a time.

    Weights start equal. For each feature, in random order, the weight is increased in steps of doubling
    size, then decreased, then set to 0; the best step is kept if it raises the training nDCG.

    Parameters
    ----------
    restarts : int, default 5
        Number of runs with different orders of the features. The best one is kept (by validation data if
        given).
    steps : int, default 25
        Number of steps in each direction.
    tolerance : float, default 0.001
        Stop after a pass over all features that gains less than this.
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
    RankLib evaluates the removal of a feature on unchanged scores, and then adds the feature a second time
    to the scores that it keeps. The corrected mode evaluates scores without the feature.

    References
    ----------
    D. Metzler, W. B. Croft. Linear feature-based models for information retrieval. Information Retrieval
    10(3), 2007.

    Examples
    --------
    >>> import numpy as np
    >>> import tare
    >>> features = np.array([[0.9, 0.1], [0.2, 0.3], [0.8, 0.5], [0.1, 0.4]])
    >>> letor = tare.Letor("train", features, [2, 0, 1, 0], ("q1", "q2"), [0, 2, 4])
    >>> model = tare.rankers.CoordinateAscent(restarts=1).fit(letor)
    >>> list(model.importance())
    [1, 2]
    """

    restarts: int = 5
    steps: int = 25
    tolerance: float = 0.001

    name: ClassVar[str] = "coordinateascent"
    title: ClassVar[str] = "CoordinateAscent"
    citation: ClassVar[str] = (
        "D. Metzler, W. B. Croft. Linear feature-based models for information retrieval. "
        "Information Retrieval 10(3), 2007."
    )

    def _learn(
        self, training: Training, valid: Training | None, seed: int, progress: Progress
    ) -> Fitted:
        best, best_weights = -1.0, np.zeros(training.features.shape[1])
        history: tuple[float, ...] = ()
        for restart in range(self.restarts):
            ascent = _Restart(self, training, seed, restart)
            ascent.run(progress)
            reached = ascent.reached
            if valid is not None:
                reached = valid.mean_ndcg(valid.features @ ascent.weights, self.threads)
            if restart == 0 or reached > best + SLACK:
                best, best_weights, history = reached, ascent.weights, tuple(ascent.history)
        return Fitted(Linear(best_weights), history)


class _Restart:
    """One run from equal weights."""

    def __init__(
        self, options: CoordinateAscent, training: Training, seed: int, restart: int
    ) -> None:
        self.options, self.training, self.seed, self.restart = options, training, seed, restart
        count = training.features.shape[1]
        self.weights = np.full(count, 1.0 / count)
        self.scores = np.asarray(training.features @ self.weights, dtype=np.float64)
        self.reached = training.mean_ndcg(self.scores, options.threads)
        self.history = [self.reached]
        self.order = score_order(training.rows, self.scores)
        self.ordered = self.scores  # the scores that the order belongs to

    def run(self, progress: Progress) -> None:
        """Run passes over all features until one gains too little."""
        count, failures, passes = len(self.weights), 0, 0
        while failures < max(count - 1, 1):
            before = self.reached
            stream = self.restart * 1_000_003 + passes
            for place, feature in enumerate(permutation(count, self.seed, stream).tolist()):
                if place % 8 == 0:
                    # The number of passes is unknown: each pass halves the remaining progress.
                    done = 1 - 0.5 ** (passes + place / count)
                    progress(int(1000 * (self.restart + done)), 1000 * self.options.restarts)
                failures = 0 if self._improve(feature) else failures + 1
                self.history.append(self.reached)
            passes += 1
            if self.reached - before < self.options.tolerance:
                return

    def _values(self, feature: int, steps: Floats) -> Floats:
        column = self.training.columns[feature]
        rows, scores = self.training.rows, self.scores
        if scores is not self.ordered:
            self.order, self.ordered = score_order(rows, scores), scores
        sums = line_search(rows, scores, self.order, column, steps, self.options.threads)
        return np.asarray(sums / self.training.counted)

    def _improve(self, feature: int) -> bool:
        weight = float(self.weights[feature])
        size = FIRST_STEP
        if weight != 0 and size > 0.5 * abs(weight):
            size = SHARE_OF_WEIGHT * abs(weight)
        powers = GROWTH ** np.arange(1, self.options.steps + 1, dtype=np.float64)
        grown: Floats = np.asarray(size * (powers - 1) / (GROWTH - 1), dtype=np.float64)
        for steps in (grown, -grown, np.array([-weight])):
            values = self._values(feature, steps)
            if self.options.mode == "ranklib" and len(steps) == 1:
                return self._removal_of_ranklib(feature, weight)
            at = int(values.argmax())
            if values[at] > self.reached:
                self._move(feature, float(steps[at]), float(values[at]))
                return True
        return False

    def _removal_of_ranklib(self, feature: int, weight: float) -> bool:
        """Reproduce RankLib: the removal is never an improvement, but the scores are changed."""
        self.scores = self.scores + weight * self.training.columns[feature]
        return False

    def _move(self, feature: int, step: float, reached: float) -> None:
        self.weights[feature] += step
        total = float(np.abs(self.weights).sum())
        scores = self.scores + step * self.training.columns[feature].astype(np.float64)
        if total > 0:
            self.weights, scores = self.weights / total, scores / total
        self.scores, self.reached = scores, reached
