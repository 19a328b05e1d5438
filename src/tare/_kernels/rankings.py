"""Rankings as arrays: the positions and grades of the judged documents of each query."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["JudgedRankings", "Rankings"]


@dataclass(frozen=True, eq=False)
class Rankings:
    """The judged documents of every ranking, one ranking after the other.

    Unjudged documents are not listed; they fill the ranks between the judged ones.

    offsets: the documents of query q are those from offsets[q] to offsets[q + 1].
    ranks: the rank of each document, from 1.
    codes: the grade of each document, as an index into the levels of the qrels; for judgements by
    subtopic or preference the number of the document within its query.
    lows, highs: the first and last rank of each document's tie group; empty if ties are broken.
    retrieved: the length of each ranking, judged or not.
    """

    offsets: NDArray[np.int64]
    ranks: NDArray[np.int32]
    codes: NDArray[np.int32]
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]
    retrieved: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class JudgedRankings(Rankings):
    """The rankings of a run, joined with qrels.

    tied: the number of documents of each query that share their score with another.
    present: 1 for each query of the qrels that the run contains, else 0.
    """

    tied: NDArray[np.int64]
    present: NDArray[np.uint8]

    @classmethod
    def empty(cls) -> JudgedRankings:
        """Return the rankings of no query."""
        none, codes = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
        present = np.zeros(0, dtype=np.uint8)
        return cls(np.zeros(1, dtype=np.int64), codes, codes, none, none, none, none, present)
