"""Linear rankers: coordinate ascent and logistic regression; and baselines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tare._data.letor import Letor
from tare._kernels import stream_ids
from tare._kernels.letor import line_search, score_order
from tare._kernels.random_numbers import uniforms
from tare.errors import MismatchError, MissingExtraError, OptionError
from tare.rankers._nets import scale_of
from tare.rankers._ranker import (
    Columns,
    Fitted,
    Linear,
    Progress,
    Ranker,
    Training,
    permutation,
    standardised,
)

__all__ = [
    "CoordinateAscent",
    "GradeScorer",
    "Ideal",
    "LogisticRegression",
    "RandomOrder",
    "RandomScorer",
    "SingleFeature",
]


# Baselines: a single feature, a random order and the ideal order.


Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class SingleFeature(Ranker):
    """Baseline that ranks by a single feature.

    Parameters
    ----------
    feature : int, optional
        Id of the feature. By default it is the feature, or its negative, with the best mean nDCG on the
        validation data, or on the training data if there are none.
    mode, normalise, cutoff, threads
        See `Ranker`.

    Raises
    ------
    OptionError
        If an option has an unknown value or is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> import tare
    >>> features = np.array([[0.9, 0.1], [0.2, 0.3], [0.8, 0.5], [0.1, 0.4]])
    >>> letor = tare.Letor("train", features, [2, 0, 1, 0], ("q1", "q2"), [0, 2, 4])
    >>> tare.rankers.SingleFeature().fit(letor).importance()
    {1: 1.0, 2: 0.0}
    """

    feature: int | None = None

    name: ClassVar[str] = "feature"
    title: ClassVar[str] = "SingleFeature"
    citation: ClassVar[str] = ""

    def _learn(
        self, training: Training, valid: Training | None, seed: int, progress: Progress
    ) -> Fitted:
        chosen = valid or training
        weights = np.zeros(training.features.shape[1])
        if self.feature is not None:
            place = self.feature - training.first_feature
            if place >= len(weights) or place < 0:
                raise OptionError(
                    f"SingleFeature: unknown feature {self.feature}. The data have features "
                    f"{training.first_feature} to {training.first_feature + len(weights) - 1}."
                )
            weights[place] = 1.0
            return Fitted(Linear(weights))
        best, at, sign = -1.0, 0, 1.0
        for column, values in enumerate(chosen.columns):
            progress(column, len(weights))
            for way in (1.0, -1.0):
                reached = chosen.mean_ndcg(way * values.astype(np.float64), self.threads)
                if reached > best:
                    best, at, sign = reached, column, way
        weights[at] = sign
        return Fitted(Linear(weights))


@dataclass(frozen=True)
class RandomScorer:
    """Scores rows by random numbers, with one stream per query."""

    seed: int
    count: int

    def scores(self, features: NDArray[np.float32], letor: Letor) -> Floats:
        """Return random scores; every order of the documents of a query is equally likely."""
        made = np.empty(len(letor))
        bounds = zip(letor.offsets.tolist(), letor.offsets[1:].tolist(), strict=False)
        for stream, (low, high) in zip(stream_ids(letor.queries).tolist(), bounds, strict=True):
            made[low:high] = uniforms(self.seed, stream, np.arange(high - low))
        return made

    def importance(self) -> Floats:
        """Return zeros; no feature is used."""
        return np.zeros(self.count)

    def to_dict(self) -> dict[str, Any]:
        """Return the seed and the number of features."""
        return {"kind": "random", "seed": self.seed, "count": self.count}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> RandomScorer:
        """Return the scorer that `to_dict` describes."""
        return cls(int(given["seed"]), int(given["count"]))


@dataclass(frozen=True)
class GradeScorer:
    """Scores rows by their grades."""

    count: int

    def scores(self, features: NDArray[np.float32], letor: Letor) -> Floats:
        """Return the grades."""
        return np.array(letor.grades)

    def importance(self) -> Floats:
        """Return zeros; no feature is used."""
        return np.zeros(self.count)

    def to_dict(self) -> dict[str, Any]:
        """Return the number of features."""
        return {"kind": "ideal", "count": self.count}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> GradeScorer:
        """Return the scorer that `to_dict` describes."""
        return cls(int(given["count"]))


@dataclass(frozen=True, kw_only=True)
class RandomOrder(Ranker):
    """Baseline that ranks documents in random order, given by the seed of `fit`.

    Parameters
    ----------
    mode, normalise, cutoff, threads
        See `Ranker`. They have no effect on the order.

    Raises
    ------
    OptionError
        If an option has an unknown value or is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> import tare
    >>> features = np.array([[0.9, 0.1], [0.2, 0.3], [0.8, 0.5], [0.1, 0.4]])
    >>> letor = tare.Letor("train", features, [2, 0, 1, 0], ("q1", "q2"), [0, 2, 4])
    >>> model = tare.rankers.RandomOrder().fit(letor, seed=1)
    >>> model.score(letor).shape
    (4,)
    """

    name: ClassVar[str] = "random"
    title: ClassVar[str] = "Random"
    citation: ClassVar[str] = ""
    uses_validation: ClassVar[bool] = False

    def _learn(
        self, training: Training, valid: Training | None, seed: int, progress: Progress
    ) -> Fitted:
        return Fitted(RandomScorer(seed, training.features.shape[1]))


@dataclass(frozen=True, kw_only=True)
class Ideal(Ranker):
    """Baseline that ranks documents by their grades; no ranker can exceed it.

    Parameters
    ----------
    mode, normalise, cutoff, threads
        See `Ranker`. They have no effect on the order.

    Raises
    ------
    OptionError
        If an option has an unknown value or is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> import tare
    >>> features = np.array([[0.9, 0.1], [0.2, 0.3], [0.8, 0.5], [0.1, 0.4]])
    >>> letor = tare.Letor("train", features, [2, 0, 1, 0], ("q1", "q2"), [0, 2, 4])
    >>> tare.rankers.Ideal().fit(letor).score(letor).tolist()
    [2.0, 0.0, 1.0, 0.0]
    """

    name: ClassVar[str] = "ideal"
    title: ClassVar[str] = "Ideal"
    citation: ClassVar[str] = ""
    uses_validation: ClassVar[bool] = False

    def _learn(
        self, training: Training, valid: Training | None, seed: int, progress: Progress
    ) -> Fitted:
        return Fitted(GradeScorer(training.features.shape[1]))


# Coordinate ascent: direct optimisation of the measure, one weight at a time.


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
        """Run passes of coordinate ascent over all features until one gains too little."""
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


# Logistic regression: ranking by the probability of relevance, with scikit-learn.


CHOICES = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)


@dataclass(frozen=True, kw_only=True)
class LogisticRegression(Ranker):
    """Logistic regression: ranking by the probability of relevance, with scikit-learn.

    The L2 penalty is |w|² / (2 · inverse_penalty). Needs scikit-learn: ``pip install 'tare-eval[rank]'``.

    Parameters
    ----------
    inverse_penalty : float, default 1.0
        Inverse strength of the penalty. With validation data, it is selected from 0.001 to 100.
    relevant : float, default 1.0
        Lowest grade that counts as relevant.
    iterations : int, default 1000
        Maximum number of iterations of the solver.
    mode : {"corrected", "ranklib"}
        "corrected" standardises the features; "ranklib" uses them as they are. (RankLib itself has no
        logistic regression.)
    normalise, cutoff, threads
        See `Ranker`.

    Raises
    ------
    OptionError
        If an option has an unknown value or is out of range.

    References
    ----------
    D. R. Cox. The regression analysis of binary sequences. JRSS B 20(2), 1958.

    Examples
    --------
    >>> import numpy as np
    >>> import tare
    >>> features = np.array([[0.9, 0.1], [0.2, 0.3], [0.8, 0.5], [0.1, 0.4]])
    >>> letor = tare.Letor("train", features, [2, 0, 1, 0], ("q1", "q2"), [0, 2, 4])
    >>> model = tare.rankers.LogisticRegression().fit(letor)
    >>> list(model.importance())
    [1, 2]
    """

    inverse_penalty: float = 1.0
    relevant: float = 1.0
    iterations: int = 1000

    name: ClassVar[str] = "logisticregression"
    title: ClassVar[str] = "LogisticRegression"
    citation: ClassVar[str] = (
        "D. R. Cox. The regression analysis of binary sequences. JRSS B 20(2), 1958."
    )

    def _training(self, letor: Letor, columns: Columns) -> Training:
        return Training.of(letor, columns, self.normalise, self.cutoff, "ranklib")

    def _learn(
        self, training: Training, valid: Training | None, seed: int, progress: Progress
    ) -> Fitted:
        try:
            from sklearn.linear_model import LogisticRegression as Regression
        except ImportError:
            raise MissingExtraError("scikit-learn", "rank", "LogisticRegression") from None
        relevant = training.grades >= self.relevant
        if relevant.all() or not relevant.any():
            raise MismatchError(
                f"LogisticRegression: {'all' if relevant.all() else 'no'} documents have a grade of "
                f"{self.relevant:g} or more; both classes are needed. Change relevant=."
            )
        scale = scale_of(training, self.mode)
        features = standardised(training.features, *scale)
        tried = (self.inverse_penalty,) if valid is None else CHOICES
        best, weights, chosen = -1.0, np.zeros(features.shape[1]), self.inverse_penalty
        for done, penalty in enumerate(tried):
            progress(done, len(tried))
            coefficients = self._fitted(Regression, features, relevant, penalty) / scale[1]
            reached = 0.0
            if valid is not None:
                reached = valid.mean_ndcg(valid.features @ coefficients, self.threads)
            if reached > best:
                best, weights, chosen = reached, coefficients, penalty
        notes = (
            ()
            if valid is None
            else (f"inverse_penalty={chosen:g} was best on the validation data.",)
        )
        return Fitted(Linear(weights), (), notes)

    def _fitted(self, regression: Any, features: Any, relevant: Any, penalty: float) -> Any:
        import warnings

        from sklearn.exceptions import ConvergenceWarning

        model = regression(C=penalty, max_iter=self.iterations)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # accurate enough for a ranking
            model.fit(features.astype(np.float64), relevant)
        return np.asarray(model.coef_[0], dtype=np.float64)
