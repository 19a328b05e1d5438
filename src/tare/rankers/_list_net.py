"""ListNet: a linear ranker that learns the probability of each document to be first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tare._kernels.rankers import NetworkShape
from tare.errors import MismatchError
from tare.rankers._nets import Descent, scale_of
from tare.rankers._random_streams import between
from tare.rankers._ranker import Fitted, Progress, Ranker
from tare.rankers._scorers import Linear
from tare.rankers._training import Training

__all__ = ["ListNet"]


@dataclass(frozen=True, kw_only=True)
class ListNet(Ranker):
    """The loss is −Σ softmax(grade) · log softmax(score) over the documents of a query.

    Corrected: features are brought to mean 0 and deviation 1, scores are not squashed, and so there is
    no derivative to take at the wrong place, as RankLib does.

    Cao, Qin, Liu, Tsai and Li 2007.
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
        start = between(-0.1, 0.1, count, seed, 1 << 40) if old else np.zeros(count)
        descent = Descent(shape, "list", self.rate, self.epochs, shuffled=not old)
        found = descent.run(start, training, valid, scale, seed, progress)
        if not np.isfinite(found.parameters).all():
            raise MismatchError(
                "ListNet: the weights grew beyond all numbers. Scale the features (normalise="
                "'zscore'), or use a smaller rate."
            )
        notes = (
            () if valid is None else (f"epoch {found.kept} of {self.epochs} kept by validation.",)
        )
        # Neither the centre nor the bias nor the logistic function changes an order.
        return Fitted(Linear(found.parameters[:-1] / scale[1]), found.history, notes)
