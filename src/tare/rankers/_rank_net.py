"""RankNet: a small neural net that learns which of two documents is better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tare._kernels.rankers import NetworkShape
from tare.errors import MismatchError
from tare.rankers._nets import Descent, scale_of
from tare.rankers._random_streams import between
from tare.rankers._ranker import Fitted, Progress, Ranker
from tare.rankers._scorers import Network
from tare.rankers._training import Training

__all__ = ["RankNet"]


@dataclass(frozen=True, kw_only=True)
class RankNet(Ranker):
    """One hidden layer; the loss is Σ log(1 + exp(s(worse) − s(better))) over the pairs of a query.

    Corrected: features are brought to mean 0 and deviation 1, the output is not squashed, and the
    derivative of the logistic function is taken where it belongs. RankLib takes it at the function's
    value instead of at its argument.

    Burges et al. 2005.
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
        reach = 0.1 if old else 1.0 / np.sqrt(features)
        start = between(-reach, reach, shape.parameters(features), seed, 1 << 40)
        descent = Descent(shape, "pairs", self.rate, self.epochs, shuffled=not old)
        found = descent.run(start, training, valid, scale, seed, progress)
        if not np.isfinite(found.parameters).all():
            raise MismatchError(
                "RankNet: the weights grew beyond all numbers. Scale the features (normalise="
                "'zscore'), or use a smaller rate."
            )
        notes = (
            () if valid is None else (f"epoch {found.kept} of {self.epochs} kept by validation.",)
        )
        return Fitted(Network(shape, found.parameters, *scale), found.history, notes)
