"""Measures of diversity, and judgements by subtopic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tare import _core
from tare._kernels.rankings import Rankings

__all__ = ["DiversityKernel", "SubtopicArrays", "SubtopicIndex", "evaluate_diversity"]

SubtopicIndex = _core.SubtopicQrels
DiversityKernel = _core.DiversityKernel


@dataclass(frozen=True, eq=False)
class SubtopicArrays:
    """Judgements by subtopic: the documents of each query, and the judged cells of each document.

    A cell is a pair of a document and a subtopic. `document_offsets` and `subtopic_offsets` are by
    query, `cell_offsets` by document; `cell_subtopics` counts from the first subtopic of the query.
    """

    document_offsets: NDArray[np.int64]
    cell_offsets: NDArray[np.int64]
    subtopic_offsets: NDArray[np.int64]
    cell_subtopics: NDArray[np.int32]
    cell_grades: NDArray[np.float64]
    probabilities: NDArray[np.float64]


What = Literal["values", "expected", "variances", "tails", "greedy", "exact", "worst"]


def evaluate_diversity(
    what: What,
    judged: Rankings,
    streams: NDArray[np.uint64],
    collection: SubtopicArrays,
    kernel: DiversityKernel,
    *,
    observed: NDArray[np.float64] | None = None,
    divisors: NDArray[np.float64] | None = None,
    most_orders: int = 50_000,
    samples: int = 10_000,
    seed: int = 0,
    threads: int = 0,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return one number per query, its standard error (0 if it is exact), and what sums are divided by.

    The codes of `judged` are the numbers of documents within their query. Except for "values", its
    documents are taken as a pool. The divisors depend only on the judgements; they can be passed in
    again to save time.
    """
    return _core.evaluate_diversity(
        what,
        judged.offsets,
        judged.ranks,
        judged.codes,
        judged.lows,
        judged.highs,
        judged.retrieved,
        streams,
        collection.document_offsets,
        collection.cell_offsets,
        collection.subtopic_offsets,
        collection.cell_subtopics,
        collection.cell_grades,
        collection.probabilities,
        kernel,
        np.zeros(0) if observed is None else np.ascontiguousarray(observed),
        np.zeros(0) if divisors is None else divisors,
        most_orders,
        samples,
        seed,
        threads,
    )
