"""RankNet: a neural network trained on pairs of documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tare._kernels.letor import NetworkShape
from tare.errors import MismatchError
from tare.rankers._nets import GradientDescent, scale_of
from tare.rankers._random_streams import uniform_between
from tare.rankers._ranker import Fitted, Progress, Ranker
from tare.rankers._scorers import Network
from tare.rankers._training import Training

__all__ = ["RankNet"]


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
