"""Kernels of learning to rank: LETOR text, nDCG along a line, boosting rounds, epochs of a network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tare import _core
from tare._kernels.ranking import Watched
from tare.errors import MAX_PROBLEMS

__all__ = [
    "LETOR_HIGHEST_FEATURE",
    "LETOR_MOST_CELLS",
    "GradedRows",
    "LetorArrays",
    "LetorReading",
    "NetworkShape",
    "letor_text",
    "line_search",
    "ndcg_by_query",
    "network_epoch",
    "network_gradient",
    "network_scores",
    "pair_potentials",
    "read_letor",
    "score_order",
    "stump_sums",
]


# Reader and writer of LETOR text.


LETOR_HIGHEST_FEATURE = _core.LETOR_HIGHEST_FEATURE
LETOR_MOST_CELLS = _core.LETOR_MOST_CELLS

ALL_THREADS = 0


@dataclass(frozen=True)
class LetorArrays:
    """The rows of a LETOR text; `queries` is empty if the lines have no query ids."""

    features: NDArray[np.float32]
    grades: NDArray[np.float64]
    offsets: NDArray[np.int64]
    queries: list[str]
    documents: list[str]
    first_feature: int
    scattered: int


@dataclass(frozen=True)
class LetorReading:
    """The result of reading LETOR text; `arrays` is None if it is invalid or has no rows."""

    arrays: LetorArrays | None
    problems: list[tuple[int, str, str]]
    problem_count: int
    lines: int
    rows: int
    width: int
    too_large: bool
    head: bytes = b""  # the beginning of the text


def read_letor(
    blocks: Iterable[NDArray[np.uint8]], *, documents: bool = False, threads: int = ALL_THREADS
) -> LetorReading:
    """Parse blocks of LETOR text; `documents` keeps the document ids of the comments."""
    reader = _core.LetorReader(documents, threads)
    watched = Watched(blocks)
    for block in watched:
        reader.feed(block)
        if reader.problem_count > MAX_PROBLEMS:  # it may have no end
            break
    arrays = reader.finish()
    return LetorReading(
        None if arrays is None else LetorArrays(**arrays),
        [(n, kind, text.decode("utf-8", "replace")) for n, kind, text in reader.problems],
        reader.problem_count,
        reader.lines,
        reader.rows,
        reader.width,
        reader.too_large,
        watched.head,
    )


def letor_text(
    query: str,
    grades: NDArray[np.float64],
    features: NDArray[np.float32],
    documents: Sequence[str] = (),
) -> bytes:
    """Return the rows of one query as LETOR text, with all features; `documents` is optional."""
    return _core.letor_text(query, grades, features, list(documents))


# Kernels of rankers: nDCG along a line, boosting rounds, epochs of a network.


Floats = NDArray[np.float64]
Loss = Literal["pairs", "list"]


@dataclass(frozen=True)
class GradedRows:
    """Rows of LETOR data for nDCG: gains of documents, offsets of queries, and 1/IDCG of each query (0 excludes a query)."""

    gains: Floats
    offsets: NDArray[np.int64]
    scale: Floats
    cutoff: int


@dataclass(frozen=True)
class NetworkShape:
    """The shape of a network.

    hidden: the number of hidden units; 0 for a linear network.
    squashed: whether the output passes through the logistic function.
    twice: whether to use the gradient of RankLib, which evaluates the derivative of the logistic
    function at its value.
    """

    hidden: int
    squashed: bool = False
    twice: bool = False

    def parameters(self, features: int) -> int:
        """Return the number of parameters."""
        return features + 1 if self.hidden == 0 else features * self.hidden + 2 * self.hidden + 1


def ndcg_by_query(rows: GradedRows, scores: Floats, threads: int = 1) -> Floats:
    """Return nDCG of each query; among equal scores the earlier row ranks first."""
    return _core.ndcg_by_query(scores, rows.gains, rows.offsets, rows.scale, rows.cutoff, threads)


def score_order(rows: GradedRows, scores: Floats) -> NDArray[np.int32]:
    """Return the rows of each query by descending score, counted from its first; earlier rows first."""
    return _core.score_order(scores, rows.offsets)


def line_search(
    rows: GradedRows,
    scores: Floats,
    order: NDArray[np.int32],
    column: NDArray[np.float32],
    steps: Floats,
    threads: int = 1,
) -> Floats:
    """Return the sum of nDCG over queries of scores + step · column, for each step.

    `order` is what `score_order` returns for the scores.
    """
    return _core.line_search(
        scores, order, column, steps, rows.gains, rows.offsets, rows.scale, rows.cutoff, threads
    )


def pair_potentials(
    scores: Floats, levels: NDArray[np.int32], offsets: NDArray[np.int64], level_count: int
) -> tuple[Floats, float]:
    """Return each document's weight in pairs it should win minus those it should lose, and the loss."""
    return _core.pair_potentials(scores, levels, offsets, level_count)


def stump_sums(
    bins: NDArray[np.uint8], potentials: Floats, bin_count: int, threads: int = 1
) -> Floats:
    """Return the sums of potentials above each threshold of a feature, features × thresholds."""
    return _core.stump_sums(bins, potentials, bin_count, threads)


def network_scores(
    shape: NetworkShape, parameters: Floats, features: NDArray[np.float32]
) -> Floats:
    """Return the output of a neural network ranker for each row."""
    return _core.network_scores(parameters, features, shape.hidden, shape.squashed)


def network_gradient(
    shape: NetworkShape,
    parameters: Floats,
    features: NDArray[np.float32],
    grades: Floats,
    offsets: NDArray[np.int64],
    loss: Loss,
) -> tuple[float, Floats]:
    """Return the loss of a neural network ranker over all queries and its gradient."""
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
    """Take one gradient step per query in the given order; return the sum of losses and the new parameters."""
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
