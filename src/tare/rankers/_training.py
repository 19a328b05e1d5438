"""Training data as rankers use them: which queries teach something, and what a ranking is worth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tare._data.letor import Letor
from tare._kernels.rankers import GradedRows, ndcg_by_query
from tare.errors import FormatError, MismatchError
from tare.rankers._normalisation import normalised

__all__ = ["Columns", "Training", "check_finite", "features_of"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Columns:
    """Which features a model knows: the first one's id, and how many."""

    first: int
    count: int


def check_finite(letor: Letor) -> None:
    """Refuses features and grades that are not finite, and says where they stand."""
    for name, values in (("features", letor.features), ("grades", letor.grades)):
        finite = np.isfinite(values)
        if not finite.all():
            row, *column = (int(k) for k in np.argwhere(~finite)[0])
            query = letor.queries[int(np.searchsorted(letor.offsets, row, side="right")) - 1]
            what = f"feature {column[0] + letor.first_feature}" if column else "the grade"
            raise FormatError(
                f"{letor.name}: {what} of row {row + 1} (query {query!r}) is {values[(row, *column)]}; "
                f"{name} have to be finite numbers. Replace it, or leave the row out."
            )


def features_of(letor: Letor, columns: Columns, normalise: str) -> NDArray[np.float32]:
    """The features that a model knows, matched by id: absent ones are 0, unknown ones left out."""
    check_finite(letor)
    shift = columns.first - letor.first_feature
    given = letor.features
    if shift or letor.n_features != columns.count:
        given = np.zeros((len(letor), columns.count), dtype=np.float32)
        low, high = max(0, -shift), min(columns.count, letor.n_features - shift)
        if high > low:
            given[:, low:high] = letor.features[:, low + shift : high + shift]
    return normalised(given, letor.offsets, normalise)


@dataclass(frozen=True, eq=False)
class Training:
    """Rows to learn from, the queries among them, and the nDCG that they are to reach.

    `counted` is what sums over queries are divided by for a mean.
    """

    features: NDArray[np.float32]
    grades: Floats
    offsets: NDArray[np.int64]
    rows: GradedRows
    counted: int
    left_out: int
    first_feature: int

    @classmethod
    def of(cls, letor: Letor, columns: Columns, normalise: str, cutoff: int, mode: str) -> Training:
        """Corrected: queries whose documents all have one grade are left out, since they cannot tell
        one ranking from another, and rows stand worst first, so that tied documents count in their
        worst order. As RankLib does it: all queries, as they stand, and those without a relevant
        document count as 0.
        """
        features = features_of(letor, columns, normalise)
        grades, offsets = letor.grades, letor.offsets
        counts = np.diff(offsets)
        of_query = np.repeat(np.arange(len(counts)), counts)
        if mode == "corrected":
            filled = counts > 0
            low, high = np.zeros(len(counts)), np.zeros(len(counts))
            low[filled] = np.minimum.reduceat(grades, offsets[:-1][filled])
            high[filled] = np.maximum.reduceat(grades, offsets[:-1][filled])
            teaches = high > low
            if not teaches.any():
                raise MismatchError(
                    f"{letor.name}: no query has documents of different grades, so there is nothing to "
                    f"learn from {len(counts):,} queries. Are the grades in the first column?"
                )
            order = np.lexsort((np.arange(len(grades)), grades, of_query))
            order = order[teaches[of_query[order]]]
            features, grades = features[order], grades[order]
            offsets = np.concatenate([[0], np.cumsum(counts[teaches])], dtype=np.int64)
            left_out = int((~teaches).sum())
        else:
            left_out = 0
        gains = np.exp2(np.maximum(grades, 0.0)) - 1
        scale = _scale(gains, offsets, cutoff)
        rows = GradedRows(gains, np.ascontiguousarray(offsets), scale, cutoff)
        return cls(
            np.ascontiguousarray(features), np.ascontiguousarray(grades), rows.offsets, rows,
            len(offsets) - 1, left_out, columns.first,
        )  # fmt: skip

    @property
    def queries(self) -> int:
        """How many queries there are."""
        return len(self.offsets) - 1

    @cached_property
    def columns(self) -> NDArray[np.float32]:
        """The features, column by column."""
        return np.ascontiguousarray(self.features.T)

    @cached_property
    def levels(self) -> tuple[NDArray[np.int32], int]:
        """Grades as numbers from 0 up, and how many there are."""
        distinct, places = np.unique(self.grades, return_inverse=True)
        return np.ascontiguousarray(places, dtype=np.int32), len(distinct)

    def ndcg(self, scores: Floats, threads: int = 1) -> Floats:
        """nDCG of each query."""
        return ndcg_by_query(self.rows, np.ascontiguousarray(scores), threads)

    def mean_ndcg(self, scores: Floats, threads: int = 1) -> float:
        """Its mean over the queries that count."""
        return float(self.ndcg(scores, threads).sum()) / self.counted


def _scale(gains: Floats, offsets: NDArray[np.int64], cutoff: int) -> Floats:
    """1/IDCG of each query, 0 where nothing is to be gained."""
    counts = np.diff(offsets)
    of_query = np.repeat(np.arange(len(counts)), counts)
    best_first = np.lexsort((-gains, of_query))
    place = np.arange(len(gains)) - offsets[of_query]
    worth = np.where(place < cutoff, gains[best_first] / np.log2(place + 2.0), 0.0)
    ideal = np.bincount(of_query, worth, minlength=len(counts))
    return np.divide(1.0, ideal, out=np.zeros(len(counts)), where=ideal > 0)
