"""Training data of rankers: features, grades and the nDCG of a ranking."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tare._data.letor import Letor
from tare._kernels.letor import GradedRows, ndcg_by_query
from tare.errors import FormatError, MismatchError
from tare.rankers._normalisation import normalised

__all__ = ["Columns", "Training", "check_finite", "features_of"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Columns:
    """The features that a model knows: the id of the first one, and their number."""

    first: int
    count: int


def check_finite(letor: Letor) -> None:
    """Raise if a feature or a grade is not finite, and name its row."""
    for name, values in (("features", letor.features), ("grades", letor.grades)):
        finite = np.isfinite(values)
        if not finite.all():
            row, *column = (int(k) for k in np.argwhere(~finite)[0])
            query = letor.queries[int(np.searchsorted(letor.offsets, row, side="right")) - 1]
            what = f"feature {column[0] + letor.first_feature}" if column else "the grade"
            raise FormatError(
                f"{letor.name}: {what} of row {row + 1} (query {query!r}) is {values[(row, *column)]}; "
                f"{name} must be finite numbers. Replace the value or remove the row."
            )


def features_of(letor: Letor, columns: Columns, normalise: str) -> NDArray[np.float32]:
    """Return the features that a model knows, matched by id; absent features are 0."""
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
    """The rows of the training data by query, and the nDCG of rankings of them.

    `counted` is the number of queries that a mean is over.
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
        """Return the training data of a mode.

        "corrected" leaves out queries whose documents all have the same grade, and sorts rows by
        ascending grade, so that tied documents count in their worst order. "ranklib" keeps all queries in
        the given order, and queries without a relevant document count as 0.
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
            informative = high > low
            if not informative.any():
                raise MismatchError(
                    f"{letor.name}: no query has documents of different grades, so a ranker cannot learn "
                    f"from its {len(counts):,} queries. Are the grades in the first column?"
                )
            order = np.lexsort((np.arange(len(grades)), grades, of_query))
            order = order[informative[of_query[order]]]
            features, grades = features[order], grades[order]
            offsets = np.concatenate([[0], np.cumsum(counts[informative])], dtype=np.int64)
            left_out = int((~informative).sum())
        else:
            left_out = 0
        gains = np.exp2(np.maximum(grades, 0.0)) - 1
        scale = _scale(gains, offsets, cutoff)
        rows = GradedRows(gains, np.ascontiguousarray(offsets), scale, cutoff)
        return cls(
            np.ascontiguousarray(features),
            np.ascontiguousarray(grades),
            rows.offsets,
            rows,
            len(offsets) - 1,
            left_out,
            columns.first,
        )

    @property
    def queries(self) -> int:
        """The number of queries."""
        return len(self.offsets) - 1

    @cached_property
    def columns(self) -> NDArray[np.float32]:
        """The features, transposed and contiguous."""
        return np.ascontiguousarray(self.features.T)

    @cached_property
    def levels(self) -> tuple[NDArray[np.int32], int]:
        """Grades as integers from 0, and the number of distinct grades."""
        distinct, places = np.unique(self.grades, return_inverse=True)
        return np.ascontiguousarray(places, dtype=np.int32), len(distinct)

    def ndcg(self, scores: Floats, threads: int = 1) -> Floats:
        """Return the nDCG of each query."""
        return ndcg_by_query(self.rows, np.ascontiguousarray(scores), threads)

    def mean_ndcg(self, scores: Floats, threads: int = 1) -> float:
        """Return the mean nDCG over the counted queries."""
        return float(self.ndcg(scores, threads).sum()) / self.counted


def _scale(gains: Floats, offsets: NDArray[np.int64], cutoff: int) -> Floats:
    """Return 1/IDCG of each query, or 0 if the IDCG is 0."""
    counts = np.diff(offsets)
    of_query = np.repeat(np.arange(len(counts)), counts)
    best_first = np.lexsort((-gains, of_query))
    place = np.arange(len(gains)) - offsets[of_query]
    discounted = np.where(place < cutoff, gains[best_first] / np.log2(place + 2.0), 0.0)
    ideal = np.bincount(of_query, discounted, minlength=len(counts))
    return np.divide(1.0, ideal, out=np.zeros(len(counts)), where=ideal > 0)
