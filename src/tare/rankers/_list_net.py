"""ListNet: a linear model of the probability that a document is ranked first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tare._kernels.letor import NetworkShape
from tare.errors import MismatchError
from tare.rankers._nets import GradientDescent, scale_of
from tare.rankers._random_streams import uniform_between
from tare.rankers._ranker import Fitted, Progress, Ranker
from tare.rankers._scorers import Linear
from tare.rankers._training import Training

__all__ = ["ListNet"]


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
