"""LETOR data: graded documents with features, by query, as learning to rank uses them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare import _kernels as kernels
from tare._data.findings import Finding
from tare._data.formats.letor import write_letor
from tare._data.groups import Groups, beside, offsets_of
from tare._data.problems import raise_problems
from tare._data.qrels import Qrels
from tare._data.run import Run
from tare._data.source import PathLike, blocks, name_of
from tare._kernels import LETOR_MOST_CELLS, LetorArrays, LetorReading, Rows, rows_from_arrow
from tare.errors import DataError, FormatError, MismatchError, OptionError, nearest

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Letor", "read_letor"]


@dataclass(frozen=True, eq=False, repr=False)
class Letor:
    """Rows of features and a grade, those of a query together.

    `features` has a row for each document. Its column 0 is the feature `first_feature`: 1, as the
    format asks for, or 0 where the file numbers features from 0. Features that a line does not
    name are 0. The rows of `queries[i]` are those from `offsets[i]` up to `offsets[i + 1]`.
    `document_ids` holds an id for each row, "" where there is none; None where none were read.
    """

    name: str
    features: NDArray[np.float32]
    grades: NDArray[np.float64]
    queries: tuple[str, ...]
    offsets: NDArray[np.int64]
    first_feature: int = 1
    document_ids: tuple[str, ...] | None = None
    findings: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        kinds = {"features": np.float32, "grades": np.float64, "offsets": np.int64}
        for field, kind in kinds.items():
            array = np.ascontiguousarray(getattr(self, field), dtype=kind).view()
            array.flags.writeable = False
            object.__setattr__(self, field, array)
        rows = len(self.grades)
        lengths = {len(self.features), rows, int(self.offsets[-1])}
        if self.document_ids is not None:
            lengths.add(len(self.document_ids))
        of_queries = len(self.offsets) == len(self.queries) + 1
        if self.features.ndim != 2 or lengths != {rows} or not of_queries:
            raise MismatchError(
                f"{self.name}: features {self.features.shape}, {rows:,} grades, "
                f"{len(self.queries):,} queries and {len(self.offsets):,} offsets do not belong "
                "together. There is a grade a row, and an offset more than there are queries."
            )

    def __len__(self) -> int:
        return len(self.grades)

    @property
    def n_features(self) -> int:
        """How many columns the matrix has."""
        return int(self.features.shape[1])

    @property
    def documents(self) -> tuple[str, ...]:
        """A name for each row: the document's id, else `query:n` for the n-th row of its query."""
        return tuple(self._names["document"].to_list())

    def qrels(self) -> Qrels:
        """The grades as judgements; a negative grade counts as not judged, as in all qrels."""
        made = Qrels(self._rows(self.grades), self.name, [])
        made.known_pool = "judged"  # systems order the rows of each query
        return made

    def run(
        self,
        *,
        feature: int | None = None,
        scores: ArrayLike | None = None,
        system: str | None = None,
    ) -> Run:
        """The documents ranked by one feature, known by its id, or by scores, one a row."""
        if (feature is None) == (scores is None):
            raise OptionError("either feature= or scores= is needed, and not both.")
        if feature is not None:
            values = self.features[:, self._column(feature)].astype(np.float64)
        else:
            values = np.ascontiguousarray(scores, dtype=np.float64)
            self._check_scores(values)
        given = f"feature-{feature}" if feature is not None else "scores"
        return Run(self._rows(values), system or given, self.name, [])

    def select(self, queries: Iterable[Any]) -> Letor:
        """The rows of some queries, in the order given."""
        wanted = [queries] if isinstance(queries, str) else [str(query) for query in queries]
        places = {query: i for i, query in enumerate(self.queries)}
        for query in wanted:
            if query not in places:
                raise MismatchError(
                    f"{self.name} has no query {query!r}.{nearest(query, self.queries)}"
                )
        if len(set(wanted)) < len(wanted):
            twice = next(query for query in wanted if wanted.count(query) > 1)
            raise OptionError(f"query {twice!r} is selected twice; name each query once.")
        at = np.array([places[query] for query in wanted], dtype=np.int64)
        counts = np.diff(self.offsets)[at]
        offsets = np.concatenate([[0], np.cumsum(counts)], dtype=np.int64)
        rows = np.arange(offsets[-1]) + np.repeat(self.offsets[at] - offsets[:-1], counts)
        ids = self.document_ids
        return Letor(
            self.name,
            self.features[rows],
            self.grades[rows],
            tuple(wanted),
            offsets,
            self.first_feature,
            None if ids is None else tuple(ids[row] for row in rows.tolist()),
            self.findings,
        )

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes LETOR text with all features, numbered from 1; it reads back to the same."""
        write_letor(
            Path(path), self.queries, self.offsets, self.grades, self.features, self.document_ids
        )

    def __repr__(self) -> str:
        return (
            f"Letor({self.name!r}: {len(self):,} rows, {len(self.queries):,} queries, "
            f"{self.n_features:,} features)"
        )

    @cached_property
    def _names(self) -> pl.DataFrame:
        import polars as pl

        counts = np.diff(self.offsets)
        of_query = np.repeat(np.arange(len(counts)), counts)
        row = np.arange(len(self)) - self.offsets[of_query] + 1
        frame = pl.DataFrame(
            {"query": pl.Series(self.queries, dtype=pl.String).gather(of_query), "row": row}
        )
        document = pl.concat_str("query", pl.lit(":"), "row")
        if self.document_ids is not None:
            given = pl.lit(pl.Series(self.document_ids, dtype=pl.String))
            document = pl.when(given != "").then(given).otherwise(document)
        return frame.select("query", document.alias("document"))

    def _rows(self, values: NDArray[np.float64]) -> Rows:
        import polars as pl

        table = self._names.with_columns(pl.Series("value", values))
        rows = rows_from_arrow(table.__arrow_c_stream__())
        count, found = rows.duplicates(0, 1, False)
        if count:
            query, document, *_ = found[0]
            raise FormatError(
                f"{self.name}: document {document!r} stands twice under query {query!r}; "
                f"{count:,} rows are named like an earlier one. A document may stand once in a "
                "ranking; read the file without documents=True to name documents by their rows."
            )
        return rows

    def _column(self, feature: int) -> int:
        column = feature - self.first_feature
        if not 0 <= column < self.n_features:
            last = self.first_feature + self.n_features - 1
            raise OptionError(
                f"feature={feature} is not there; {self.name} has the features "
                f"{self.first_feature} to {last}."
            )
        return column

    def _check_scores(self, values: NDArray[np.float64]) -> None:
        if values.shape != (len(self),):
            raise MismatchError(
                f"scores= has the shape {values.shape}; {self.name} has {len(self):,} rows, and "
                "one score a row is needed."
            )
        if not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values))[0])
            raise FormatError(
                f"scores= holds {values[row]} for row {row}; finite numbers are needed."
            )


def read_letor(
    source: PathLike | Letor, *, groups: Groups | None = None, documents: bool = False
) -> Letor:
    """Reads LETOR or SVMlight text: `grade qid:query id:value id:value … # comment`.

    The source is a path, also of a .gz or .zst file, or "-" for standard input. Where lines have
    no qid, the queries are consecutive rows, numbered from 1: as many as `groups` says, which is a
    path to group sizes, one a line, or the sizes; without it they are looked for beside the file,
    those of `rank.train` in `rank.train.query`. `documents` keeps the ids of comments with
    `docid = …`, at a cost in memory.

    >>> read_letor("train.txt")  # doctest: +SKIP
    Letor('train.txt': 9,630 rows, 471 queries, 46 features)
    """
    if isinstance(source, Letor):
        return source
    name = name_of(source)
    try:
        reading = kernels.read_letor(blocks(source), documents=documents)
    except MemoryError:
        raise DataError(
            f"{name}: the memory does not hold the dense matrix of its features. "
            "Read the file in parts, or number its features from 1 without gaps."
        ) from None
    raise_problems(name, reading, "letor")
    arrays = _usable(reading, name)
    findings = _findings(arrays, name, documents)
    queries, offsets = tuple(arrays.queries), arrays.offsets
    if queries and groups is not None:
        raise OptionError(
            f"{name}: groups= is for lines without qid:, but these lines name their queries. "
            "Leave groups= out."
        )
    if not queries:
        found = groups if groups is not None else beside(source)
        offsets = offsets_of(found, reading.rows, name)
        queries = tuple(str(number) for number in range(1, len(offsets)))
        findings.append(
            Finding(
                "queries by groups",
                f"{name}: the lines name no queries; {len(queries):,} groups of rows are numbered "
                "from 1.",
                len(queries),
                severity="note",
            )
        )
    ids = tuple(arrays.documents) if any(arrays.documents) else None
    return Letor(
        name,
        arrays.features,
        arrays.grades,
        queries,
        offsets,
        arrays.first_feature,
        ids,
        tuple(findings),
    )


def _usable(reading: LetorReading, name: str) -> LetorArrays:
    if reading.too_large:
        raise FormatError(
            f"{name}: {reading.rows:,} rows with {reading.width:,} features would be a matrix of "
            f"{reading.rows * reading.width:,} cells; {LETOR_MOST_CELLS:,} (16 GiB) are accepted. "
            "Number the features from 1 without gaps, or read the file in parts."
        )
    if reading.arrays is None:
        raise FormatError(f"{name}: no rows found; the file is empty or contains only comments.")
    return reading.arrays


def _findings(arrays: LetorArrays, name: str, documents: bool) -> list[Finding]:
    findings = []
    if arrays.scattered:
        message = (
            f"{name}: the rows of {arrays.scattered:,} queries do not stand together; they were "
            "brought together, in order."
        )
        findings.append(Finding("scattered queries", message, arrays.scattered))
    if arrays.first_feature == 0:
        message = f"{name}: features are numbered from 0; feature 0 is column 0 of the matrix."
        findings.append(Finding("features from 0", message, severity="note"))
    unnamed = sum(not document for document in arrays.documents)
    if documents and unnamed:
        message = f"{name}: {unnamed:,} rows have no comment 'docid = …'; they are named by row."
        findings.append(Finding("documents without an id", message, unnamed, severity="note"))
    return findings
