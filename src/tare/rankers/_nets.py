"""Gradient descent for RankNet and ListNet: one step per query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._kernels.letor import Loss, NetworkShape, network_epoch, network_scores
from tare.rankers._random_streams import permutation
from tare.rankers._scorers import standardised
from tare.rankers._training import Training

__all__ = ["DescentResult", "GradientDescent", "scale_of"]

Floats = NDArray[np.float64]


def scale_of(training: Training, mode: str) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of each feature; 0 and 1 in the mode "ranklib"."""
    count = training.features.shape[1]
    if mode == "ranklib":
        return np.zeros(count), np.ones(count)
    spread = training.features.std(axis=0, dtype=np.float64)
    # Dividing a constant feature by its rounding error would make it noise.
    spread[spread < 1e-12] = 1.0
    return training.features.mean(axis=0, dtype=np.float64), spread


@dataclass(frozen=True, eq=False)
class DescentResult:
    """The parameters, the mean loss of each epoch, and the epoch that was kept."""

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
        """Return the parameters after the last epoch, or the best one on the validation data."""
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
