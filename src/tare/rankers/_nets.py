"""Rankers by gradient descent: ListNet and RankNet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tare._kernels.letor import Loss, NetworkShape, network_epoch, network_scores
from tare.errors import MismatchError
from tare.rankers._ranker import (
    Fitted,
    Linear,
    Network,
    Progress,
    Ranker,
    Training,
    permutation,
    standardised,
    uniform_between,
)

__all__ = ["DescentResult", "GradientDescent", "ListNet", "RankNet", "scale_of"]


# Gradient descent for RankNet and ListNet: one step per query.


Floats = NDArray[np.float64]


def scale_of(training: Training, mode: str) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of each feature for the input of a network; 0 and 1 in the mode "ranklib"."""
    count = training.features.shape[1]
    if mode == "ranklib":
        return np.zeros(count), np.ones(count)
    spread = training.features.std(axis=0, dtype=np.float64)
    # Dividing a constant feature by its rounding error would make it noise.
    spread[spread < 1e-12] = 1.0
    return training.features.mean(axis=0, dtype=np.float64), spread


@dataclass(frozen=True, eq=False)
class DescentResult:
    """The parameters that gradient descent found, the mean loss of each epoch, and the epoch that was kept."""

    parameters: Floats
    history: tuple[float, ...]
    kept: int


@dataclass(frozen=True, eq=False)
class GradientDescent:
    """Gradient descent over the queries, in random order if `shuffled`."""

    shape: NetworkShape
    loss: Loss
    rate: float
    epochs: int
    shuffled: bool

    def run(
        self,
        parameters: Floats,
        training: Training,
        valid: Training | None,
        scale: tuple[Floats, Floats],
        seed: int,
        progress: Callable[[int, int], None],
    ) -> DescentResult:
        """Run gradient descent; return the parameters after the last epoch, or the best one on the validation data."""
        features = standardised(training.features, *scale)
        held = None if valid is None else standardised(valid.features, *scale)
        history: list[float] = []
        best, best_parameters, kept = -1.0, parameters, 0
        order = np.arange(training.queries, dtype=np.int64)
        for epoch in range(self.epochs):
            progress(epoch, self.epochs)
            if self.shuffled:
                order = permutation(training.queries, seed, epoch)
            total, parameters = network_epoch(
                self.shape,
                parameters,
                features,
                training.grades,
                training.offsets,
                order,
                self.rate,
                self.loss,
            )
            history.append(total / training.queries)
            if valid is not None and held is not None:
                reached = valid.mean_ndcg(network_scores(self.shape, parameters, held))
                if reached > best:
                    best, best_parameters, kept = reached, parameters, epoch + 1
        if valid is None:
            return DescentResult(parameters, tuple(history), self.epochs)
        return DescentResult(best_parameters, tuple(history), kept)


# ListNet: a linear model of the probability that a document is ranked first.


@dataclass(frozen=True, kw_only=True)
class ListNet(Ranker):
    """ListNet: a linear model of the probability that a document is ranked first.

    The loss is −Σ softmax(grade) · log softmax(score) over the documents of a query.

    Parameters
    ----------
    epochs : int, default 1500
        Number of passes over the queries.
    rate : float, default 1e-5
        Learning rate.
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
    RankLib applies the logistic function to the scores and evaluates its derivative at the wrong point. The
    corrected mode uses the scores as they are and standardises the features.

    References
    ----------
    Z. Cao, T. Qin, T.-Y. Liu, M.-F. Tsai, H. Li. Learning to rank: from pairwise approach to listwise
    approach. ICML 2007.

    Examples
    --------
    >>> import numpy as np
    >>> import tare
    >>> features = np.array([[0.9, 0.1], [0.2, 0.3], [0.8, 0.5], [0.1, 0.4]])
    >>> letor = tare.Letor("train", features, [2, 0, 1, 0], ("q1", "q2"), [0, 2, 4])
    >>> model = tare.rankers.ListNet(epochs=50, rate=0.01).fit(letor)
    >>> model.history[-1] < model.history[0]
    True
    """

    epochs: int = 1500
    rate: float = 1e-5

    name: ClassVar[str] = "listnet"
    title: ClassVar[str] = "ListNet"
    citation: ClassVar[str] = (
        "Z. Cao, T. Qin, T.-Y. Liu, M.-F. Tsai, H. Li. Learning to rank: from pairwise approach to "
        "listwise approach. ICML 2007."
    )

    def _learn(
        self, training: Training, valid: Training | None, seed: int, progress: Progress
    ) -> Fitted:
        old = self.mode == "ranklib"
        shape = NetworkShape(0, squashed=old, twice=old)
        scale = scale_of(training, self.mode)
        count = shape.parameters(training.features.shape[1])
        start = uniform_between(-0.1, 0.1, count, seed, 1 << 40) if old else np.zeros(count)
        descent = GradientDescent(shape, "list", self.rate, self.epochs, shuffled=not old)
        found = descent.run(start, training, valid, scale, seed, progress)
        if not np.isfinite(found.parameters).all():
            raise MismatchError(
                "ListNet: the training diverged (a weight is not finite). Scale the features "
                "(normalise='zscore'), or use a smaller rate."
            )
        notes = (
            ()
            if valid is None
            else (f"Epoch {found.kept} of {self.epochs} was best on the validation data.",)
        )
        # Centring, bias and the logistic function do not change the order.
        return Fitted(Linear(found.parameters[:-1] / scale[1]), found.history, notes)


# RankNet: a neural network trained on pairs of documents.


@dataclass(frozen=True, kw_only=True)
class RankNet(Ranker):
    """RankNet: a neural network with one hidden layer, trained on pairs of documents.

    The loss is Σ log(1 + exp(s(worse) − s(better))) over the pairs of a query.

    Parameters
    ----------
    epochs : int, default 100
        Number of passes over the queries.
    hidden : int, default 10
        Number of hidden units.
    rate : float, default 5e-5
        Learning rate.
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
    RankLib evaluates the derivative of the logistic function at its value instead of its argument, and
    applies the logistic function to the output. The corrected mode does neither, and it standardises the
    features.

    References
    ----------
    C. Burges, T. Shaked, E. Renshaw, A. Lazier, M. Deeds, N. Hamilton, G. Hullender. Learning to rank using
    gradient descent. ICML 2005.

    Examples
    --------
    >>> import numpy as np
    >>> import tare
    >>> features = np.array([[0.9, 0.1], [0.2, 0.3], [0.8, 0.5], [0.1, 0.4]])
    >>> letor = tare.Letor("train", features, [2, 0, 1, 0], ("q1", "q2"), [0, 2, 4])
    >>> model = tare.rankers.RankNet(epochs=50, rate=0.01).fit(letor, seed=1)
    >>> model.history[-1] < model.history[0]
    True
    """

    epochs: int = 100
    hidden: int = 10
    rate: float = 5e-5

    name: ClassVar[str] = "ranknet"
    title: ClassVar[str] = "RankNet"
    citation: ClassVar[str] = (
        "C. Burges, T. Shaked, E. Renshaw, A. Lazier, M. Deeds, N. Hamilton, G. Hullender. Learning to "
        "rank using gradient descent. ICML 2005."
    )

    def _learn(
        self, training: Training, valid: Training | None, seed: int, progress: Progress
    ) -> Fitted:
        old = self.mode == "ranklib"
        shape = NetworkShape(self.hidden, squashed=old, twice=old)
        scale = scale_of(training, self.mode)
        features = training.features.shape[1]
        bound = 0.1 if old else 1.0 / np.sqrt(features)
        start = uniform_between(-bound, bound, shape.parameters(features), seed, 1 << 40)
        descent = GradientDescent(shape, "pairs", self.rate, self.epochs, shuffled=not old)
        found = descent.run(start, training, valid, scale, seed, progress)
        if not np.isfinite(found.parameters).all():
            raise MismatchError(
                "RankNet: the training diverged (a weight is not finite). Scale the features "
                "(normalise='zscore'), or use a smaller rate."
            )
        notes = (
            ()
            if valid is None
            else (f"Epoch {found.kept} of {self.epochs} was best on the validation data.",)
        )
        return Fitted(Network(shape, found.parameters, *scale), found.history, notes)
