"""What rankers do most often, in the core: nDCG along a line, boosting rounds, epochs of a net."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tare import _core

__all__ = [
    "Forest",
    "GradedRows",
    "NetworkShape",
    "forest_scores",
    "line_search",
    "ndcg_by_query",
    "network_epoch",
    "network_gradient",
    "network_scores",
    "pair_potentials",
    "stump_sums",
]

Floats = NDArray[np.float64]
Loss = Literal["pairs", "list"]


@dataclass(frozen=True)
class GradedRows:
    """Gains of documents, where each query begins, and 1/IDCG of each query (0 takes it out)."""

    gains: Floats
    offsets: NDArray[np.int64]
    scale: Floats
    cutoff: int


@dataclass(frozen=True)
class NetworkShape:
    """Hidden units (0: a linear net), whether the output is squashed, and whether the gradient is
    RankLib's, with the derivative of the logistic function taken at its value."""

    hidden: int
    squashed: bool = False
    twice: bool = False

    def parameters(self, features: int) -> int:
        """How many numbers the net has."""
        return features + 1 if self.hidden == 0 else features * self.hidden + 2 * self.hidden + 1


@dataclass(frozen=True)
class Forest:
    """The splits of all trees, one after another, and their leaves.

    Tree t has the splits offsets[t] to offsets[t + 1] and one leaf more than splits. Children are
    splits of the same tree, with a higher number than their parent, or ~leaf. The bits of `rules` are
    those of LightGBM's decision_type: 2 sends missing values to the left, 4 makes 0 a missing value,
    8 makes NaN one.
    """

    offsets: NDArray[np.int64]
    features: NDArray[np.int32]
    thresholds: Floats
    rules: NDArray[np.uint8]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    leaves: Floats


def forest_scores(forest: Forest, rows: NDArray[np.float32]) -> Floats:
    """The leaves that each row reaches, added up tree by tree; ValueError for a damaged forest."""
    return _core.forest_scores(
        forest.offsets,
        forest.features,
        forest.thresholds,
        forest.rules,
        forest.left,
        forest.right,
        forest.leaves,
        rows,
    )


def ndcg_by_query(rows: GradedRows, scores: Floats, threads: int = 1) -> Floats:
    """nDCG of each query; of equal scores the earlier row stands first."""
    return _core.ndcg_by_query(scores, rows.gains, rows.offsets, rows.scale, rows.cutoff, threads)


def line_search(
    rows: GradedRows,
    scores: Floats,
    column: NDArray[np.float32],
    steps: Floats,
    threads: int = 1,
) -> Floats:
    """The sum of nDCG over queries for scores + step · column, step by step."""
    return _core.line_search(
        scores, column, steps, rows.gains, rows.offsets, rows.scale, rows.cutoff, threads
    )


def pair_potentials(
    scores: Floats, levels: NDArray[np.int32], offsets: NDArray[np.int64], level_count: int
) -> tuple[Floats, float]:
    """Each document's weight in pairs where it is better, less where it is worse; and the loss."""
    return _core.pair_potentials(scores, levels, offsets, level_count)


def stump_sums(
    bins: NDArray[np.uint8], potentials: Floats, bin_count: int, threads: int = 1
) -> Floats:
    """Features × thresholds: the potentials of the documents above each threshold, added up."""
    return _core.stump_sums(bins, potentials, bin_count, threads)


def network_scores(
    shape: NetworkShape, parameters: Floats, features: NDArray[np.float32]
) -> Floats:
    """What the net makes of each row."""
    return _core.network_scores(parameters, features, shape.hidden, shape.squashed)


def network_gradient(
    shape: NetworkShape,
    parameters: Floats,
    features: NDArray[np.float32],
    grades: Floats,
    offsets: NDArray[np.int64],
    loss: Loss,
) -> tuple[float, Floats]:
    """The loss over all queries, and its gradient."""
    return _core.network_gradient(
        parameters, features, grades, offsets, shape.hidden, shape.squashed, shape.twice, loss
    )


def network_epoch(
    shape: NetworkShape,
    parameters: Floats,
    features: NDArray[np.float32],
    grades: Floats,
    offsets: NDArray[np.int64],
    order: NDArray[np.int64],
    rate: float,
    loss: Loss,
) -> tuple[float, Floats]:
    """One step a query, in this order: the losses met, added up, and the new parameters."""
    return _core.network_epoch(
        parameters,
        features,
        grades,
        offsets,
        order,
        rate,
        shape.hidden,
        shape.squashed,
        shape.twice,
        loss,
    )
