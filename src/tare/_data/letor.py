"""LETOR data: documents with grades and features, by query, for learning to rank."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare import _kernels as kernels
from tare._data.findings import Finding
from tare._data.qrels import Qrels
from tare._data.rows import raise_problems, refuse_unwritable
from tare._data.runs import Run
from tare._files.addresses import as_path
from tare._files.opening import COMPRESSED, STDIN, PathLike, blocks, name_of, read_all
from tare._files.writing import new_file
from tare._kernels import (
    LETOR_MOST_CELLS,
    LetorArrays,
    LetorReading,
    Rows,
    letor_text,
    rows_from_arrow,
)
from tare.errors import DataError, FormatError, MismatchError, OptionError, nearest, raise_all

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Groups",
    "Letor",
    "LetorText",
    "check_arrays",
    "group_file",
    "offsets_of",
    "owned_arrays",
    "read_groups",
    "read_letor",
    "read_text",
    "write_letor",
]


# Groups: the number of consecutive rows of each query, for files that do not name queries.


SUFFIXES = (".query", ".group")

Groups = PathLike | Sequence[int] | NDArray[np.integer]


def group_file(source: PathLike) -> Path:
    """Return the file with the query groups of LETOR data: `rank.train.query` for `rank.train.gz`."""
    looked = ""
    if os.fspath(source) != STDIN:
        path = Path(source)
        if path.suffix.lower() in COMPRESSED:
            path = path.with_suffix("")
        places = [path.with_name(path.name + suffix) for suffix in SUFFIXES]
        for place in places:
            if place.is_file():
                return place
        looked = f", and {' or '.join(place.name for place in places)} does not exist"
    raise FormatError(
        f"{name_of(source)}: no line names its query{looked}. Add qid: and the query id after each "
        "grade, or pass the path of the group sizes as groups=."
    )


def read_groups(source: PathLike) -> list[int]:
    """Read group sizes, one per line."""
    name = name_of(source)
    sizes, problems = [], []
    for number, line in enumerate(read_all(source).split(b"\n"), 1):
        text = line.decode("utf-8-sig" if number == 1 else "utf-8", "replace").strip()
        if text.isdecimal() and text.isascii() and len(text) < 16 and int(text) > 0:
            sizes.append(int(text))
        elif text and not text.startswith("#"):
            problems.append(
                f"{name}, line {number}: {text[:200]!r} is not the size of a group; each line "
                "needs a whole number of rows, 1 or more."
            )
    raise_all(problems)
    return sizes


def offsets_of(groups: Groups, rows: int, name: str) -> NDArray[np.int64]:
    """Return the first row of each query group of LETOR data; the sizes must add up to the number of rows."""
    if isinstance(groups, str | os.PathLike):
        given, sizes = name_of(groups), read_groups(groups)
    else:
        given, sizes = "groups=", [_size(size) for size in groups]
    if sum(sizes) != rows:
        raise MismatchError(
            f"{name} has {rows:,} rows, but the {len(sizes):,} groups of {given} have "
            f"{sum(sizes):,}. Give the groups that were made with this file."
        )
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)], dtype=np.int64)


def _size(given: object) -> int:
    try:
        size = operator.index(given)  # type: ignore[arg-type]
    except TypeError:
        size = 0
    if size < 1:
        raise FormatError(f"groups= holds {given!r}; whole numbers of rows, 1 or more, are needed.")
    return size


# The arrays of LETOR data: read-only, of one type each, and of lengths that fit together.


def owned_arrays(
    features: ArrayLike, grades: ArrayLike, offsets: ArrayLike
) -> dict[str, NDArray[Any]]:
    """Return features, grades and offsets of LETOR data as read-only arrays; offsets are copied.

    Rankers read offsets after they were checked, so a caller must not be able to change them.
    """
    made: dict[str, NDArray[Any]] = {
        "features": np.ascontiguousarray(features, dtype=np.float32),
        "grades": np.ascontiguousarray(grades, dtype=np.float64),
        "offsets": np.array(offsets, dtype=np.int64),
    }
    views = {name: array.view() for name, array in made.items()}
    for view in views.values():
        view.flags.writeable = False
    return views


def check_arrays(
    name: str, arrays: Mapping[str, NDArray[Any]], queries: int, ids: Sequence[str] | None
) -> None:
    """Raise an error if arrays of LETOR data do not describe so many queries, with one id per row if there are ids."""
    features, grades, offsets = arrays["features"], arrays["grades"], arrays["offsets"]
    ascending = offsets.ndim == 1 and len(offsets) > 0 and (np.diff(offsets) >= 0).all()
    if not ascending or offsets[0] != 0:
        raise MismatchError(
            f"{name}: offsets must begin with 0 and never decrease. Give the first row of each query, and the "
            "number of rows at the end."
        )
    rows = len(grades)
    lengths = {len(features), rows, int(offsets[-1])}
    if ids is not None:
        lengths.add(len(ids))
    if features.ndim != 2 or lengths != {rows} or len(offsets) != queries + 1:
        raise MismatchError(
            f"{name}: features {features.shape}, {rows:,} grades, {queries:,} queries and {len(offsets):,} "
            "offsets do not fit together. Give one grade per row, and one more offset than queries."
        )


# LETOR text: its rows as arrays, the queries they belong to, and findings.


class LetorText(NamedTuple):
    """The arrays of a file of LETOR data, its queries, the first row of each query, and findings."""

    arrays: LetorArrays
    queries: tuple[str, ...]
    offsets: NDArray[np.int64]
    findings: list[Finding]


def read_text(source: PathLike, groups: Groups | None, documents: bool) -> LetorText:
    """Read a file of LETOR data; `groups` are the numbers of rows per query, if lines do not name queries."""
    name = name_of(source)
    try:
        reading = kernels.read_letor(blocks(source), documents=documents)
    except MemoryError:
        raise DataError(
            f"{name}: not enough memory for the dense matrix of its features. "
            "Read the file in parts, or number its features from 1 without gaps."
        ) from None
    raise_problems(name, reading, "letor")
    arrays = _usable(reading, name)
    findings = _findings(arrays, name, documents)
    queries, offsets = tuple(arrays.queries), arrays.offsets
    if queries and groups is not None:
        raise OptionError(
            f"{name}: groups= is for lines without qid:, but these lines name their queries. "
            "Remove groups=."
        )
    if not queries:
        found = groups if groups is not None else group_file(source)
        offsets = offsets_of(found, reading.rows, name)
        queries = tuple(str(number) for number in range(1, len(offsets)))
        findings.append(
            Finding(
                "queries by groups",
                f"{name}: the lines do not name queries; {len(queries):,} groups of rows are "
                "numbered from 1.",
                len(queries),
                severity="note",
            )
        )
    return LetorText(arrays, queries, offsets, findings)


def _usable(reading: LetorReading, name: str) -> LetorArrays:
    if reading.too_large:
        raise FormatError(
            f"{name}: {reading.rows:,} rows with {reading.width:,} features would be a matrix of "
            f"{reading.rows * reading.width:,} cells; at most {LETOR_MOST_CELLS:,} (16 GiB) are accepted. "
            "Number the features from 1 without gaps, or read the file in parts."
        )
    if reading.arrays is None:
        raise FormatError(f"{name}: no rows found; the file is empty or contains only comments.")
    return reading.arrays


def _findings(arrays: LetorArrays, name: str, documents: bool) -> list[Finding]:
    findings = []
    if arrays.scattered:
        message = (
            f"{name}: the rows of {arrays.scattered:,} queries are not consecutive; they were grouped "
            "in their order."
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


# Writer of LETOR text.


def _check(ids: Iterable[str]) -> None:
    for id_ in ids:
        refuse_unwritable(id_, "LETOR text")


def write_letor(
    path: Path,
    queries: tuple[str, ...],
    offsets: NDArray[np.int64],
    grades: NDArray[np.float64],
    features: NDArray[np.float32],
    documents: tuple[str, ...] | None,
) -> None:
    """Write LETOR text, `grade qid:query 1:value 2:value …`, with every feature, and `#docid = …` if known."""
    if path.suffix.lower() in COMPRESSED:
        raise OptionError(
            f"{path}: compressed LETOR files cannot be written; compress the file afterwards."
        )
    _check(chain(queries, filter(None, documents or ())))
    with new_file(path) as file:
        for query, first, last in zip(queries, offsets, offsets[1:], strict=False):
            named = documents[first:last] if documents else ()
            file.write(letor_text(query, grades[first:last], features[first:last], named))


@dataclass(frozen=True, eq=False, repr=False)
class Letor:
    """Documents with features and grades, grouped by query. Made by `read_letor`.

    Attributes
    ----------
    name : str
        The source, as named in messages.
    features : array of float32, shape (rows, features)
        One row per document; features that a line does not name are 0.
    grades : array of float64
        The grade of each row.
    queries : tuple of str
        The queries; the rows of `queries[i]` are `offsets[i]` to `offsets[i + 1]`.
    offsets : array of int64
        The first row of each query, and the number of rows at the end.
    first_feature : int
        The id of the feature in column 0: 1, or 0 if the file counts features from 0.
    document_ids : tuple of str or None
        One id per row ("" if it has none); None if ids were not read.
    findings : tuple of Finding
        Properties of the data that users should know.

    Raises
    ------
    MismatchError
        If the lengths of features, grades, queries, offsets and ids do not fit together.

    Examples
    --------
    >>> letor = Letor("train", [[0.5, 1.0], [0.0, 3.0]], [2, 0], ("q1",), [0, 2])
    >>> letor.qrels().to_dict()
    {'q1': {'q1:1': 2.0, 'q1:2': 0.0}}
    >>> letor.run(feature=2).to_dict()
    {'q1': {'q1:1': 1.0, 'q1:2': 3.0}}
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
        arrays = owned_arrays(self.features, self.grades, self.offsets)
        for field, array in arrays.items():
            object.__setattr__(self, field, array)
        check_arrays(self.name, arrays, len(self.queries), self.document_ids)

    def __len__(self) -> int:
        return len(self.grades)

    @property
    def n_features(self) -> int:
        """The number of features."""
        return int(self.features.shape[1])

    @property
    def documents(self) -> tuple[str, ...]:
        """The document id of each row, or `query:n` for the n-th row of its query."""
        return tuple(self._names["document"].to_list())

    def qrels(self) -> Qrels:
        """Return the grades as qrels; negative grades count as not judged.

        Returns
        -------
        Qrels
            One judgement per row.
        """
        made = Qrels(self._rows(self.grades), self.name, [])
        made.known_pool = "judged"  # systems rank the rows of each query
        return made

    def run(
        self,
        *,
        feature: int | None = None,
        scores: ArrayLike | None = None,
        system: str | None = None,
    ) -> Run:
        """Rank the documents by a feature or by scores.

        Parameters
        ----------
        feature : int, optional
            The id of a feature.
        scores : array_like, optional
            One score per row. Give either `feature` or `scores`.
        system : str, optional
            The name of the system.

        Returns
        -------
        Run
            The ranking of each query.
        """
        if (feature is None) == (scores is None):
            raise OptionError("give either feature= or scores=, not both.")
        if feature is not None:
            values = self.features[:, self._column(feature)].astype(np.float64)
        else:
            values = np.ascontiguousarray(scores, dtype=np.float64)
            self._check_scores(values)
        given = f"feature-{feature}" if feature is not None else "scores"
        return Run(self._rows(values), system or given, self.name, [])

    def select(self, queries: str | Iterable[object]) -> Letor:
        """Return the rows of some queries, in the given order.

        Parameters
        ----------
        queries : str or iterable of str
            The queries to keep.

        Returns
        -------
        Letor
            The selected rows.
        """
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
        """Write LETOR text with all features, numbered from 1.

        Parameters
        ----------
        path : path-like
            The file, without compression.
        """
        write_letor(
            as_path(path), self.queries, self.offsets, self.grades, self.features, self.document_ids
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
                f"{self.name}: duplicate document {document!r} of query {query!r}; {count:,} rows have "
                "the id of an earlier row. Read the file without documents=True to name documents by "
                "their rows."
            )
        return rows

    def _column(self, feature: int) -> int:
        column = feature - self.first_feature
        if not 0 <= column < self.n_features:
            last = self.first_feature + self.n_features - 1
            raise OptionError(
                f"feature={feature} does not exist; {self.name} has the features {self.first_feature} to {last}."
            )
        return column

    def _check_scores(self, values: NDArray[np.float64]) -> None:
        if values.shape != (len(self),):
            raise MismatchError(
                f"scores= has the shape {values.shape}; {self.name} has {len(self):,} rows, and one score per row is needed."
            )
        if not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values))[0])
            raise FormatError(
                f"scores= holds {values[row]} for row {row}; finite numbers are needed."
            )


def read_letor(
    source: PathLike | Letor, *, groups: Groups | None = None, documents: bool = False
) -> Letor:
    """Read LETOR or SVMlight text: lines `grade qid:query id:value id:value … # comment`.

    Parameters
    ----------
    source : path
        A file, also .gz or .zst; "-" is standard input.
    groups : path or sequence of int, optional
        The number of consecutive rows of each query, for lines without qid. The default is the file
        with the same name and the suffix .query or .group. These queries are numbered from 1.
    documents : bool, default False
        Keep the document ids of comments `docid = …`. This needs more memory.

    Returns
    -------
    Letor
        The features and grades.

    Raises
    ------
    FormatError
        If a line does not follow the format.
    UnreadableError
        If the file cannot be read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "train.txt"
    ...     _ = path.write_text("2 qid:1 1:0.5 2:1\\n0 qid:1 2:3\\n")
    ...     read_letor(path).features.tolist()
    [[0.5, 1.0], [0.0, 3.0]]
    """
    if isinstance(source, Letor):
        return source
    if not isinstance(source, str | os.PathLike):
        raise FormatError(
            f"LETOR data cannot be read from a {type(source).__name__}. Accepted: a path."
        )
    name = name_of(source)
    text = read_text(source, groups, documents)
    ids = tuple(text.arrays.documents) if any(text.arrays.documents) else None
    return Letor(
        name,
        text.arrays.features,
        text.arrays.grades,
        text.queries,
        text.offsets,
        text.arrays.first_feature,
        ids,
        tuple(text.findings),
    )
