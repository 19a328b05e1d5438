"""Subtopics: relevance grades of documents, by query and subtopic."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._data import frames
from tare._data.findings import Finding
from tare._data.formats import trec
from tare._data.inputs import Table
from tare._data.qrels import Qrels
from tare._data.subtopic_checks import check_subtopics, duplicate_cells
from tare._data.subtopic_rows import (
    TABLES,
    rows_of_cells,
    rows_of_file,
    rows_of_frame,
    rows_of_mapping,
)
from tare._files.addresses import as_path
from tare._files.opening import name_of
from tare._kernels import Rows, SubtopicArrays, SubtopicIndex
from tare.errors import FormatError, OptionError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Subtopics", "read_subtopics"]

Probabilities = Mapping[Any, Mapping[Any, float]]


class Subtopics:
    """Relevance judgements by subtopic. Made by `read_subtopics`.

    As in ndeval, a subtopic counts if some document is relevant to it. All subtopics are equally
    likely unless `probabilities` are given.

    Attributes
    ----------
    name : str
        The source, as named in messages.
    items : tuple of str
        The queries.
    findings : tuple of Finding
        Properties of the data that users should know.

    Examples
    --------
    >>> subtopics = read_subtopics({"q": {"1": {"a": 1}, "2": {"b": 1}}})
    >>> subtopics.items, subtopics.subtopic_names
    (('q',), ('1', '2'))
    """

    def __init__(
        self,
        rows: Rows,
        name: str,
        findings: list[Finding],
        probabilities: Probabilities | None = None,
    ) -> None:
        duplicates = duplicate_cells(rows, name)
        index = SubtopicIndex(rows)
        self.name = name
        self.items: tuple[str, ...] = tuple(index.queries)
        self._index = index
        self._rows = rows
        arrays = index.arrays()
        given = self._probabilities(probabilities, arrays["subtopic_offsets"])
        self.arrays = SubtopicArrays(**arrays, probabilities=given)
        self.documents = Qrels(index.numbered(), name, [])
        # Normalisers, kept for the next run, because finding ideal rankings takes most of the time.
        self.divisors: dict[str, NDArray[np.float64]] = {}
        self.findings = (*findings, *duplicates, *check_subtopics(self))

    def __len__(self) -> int:
        return len(self.arrays.cell_grades)

    @cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits that identify the judgements, in any order."""
        digest = self._rows.digest(0)
        if (self.arrays.probabilities != 1).any():
            for value in self.arrays.probabilities.view(np.uint64).tolist():
                digest = (digest ^ value) * 0x100000001B3 & (2**64 - 1)
        return f"{digest >> 32:08x}"

    @cached_property
    def document_names(self) -> tuple[str, ...]:
        """The ids of all documents by query, in descending order within each."""
        return tuple(self._index.documents)

    @cached_property
    def subtopic_names(self) -> tuple[str, ...]:
        """The ids of all subtopics by query."""
        return tuple(self._index.subtopics)

    def cells(self) -> Iterator[tuple[str, str, str, float]]:
        """Yield every judgement as (query, subtopic, document, grade)."""
        a = self.arrays
        for q, query in enumerate(self.items):
            first = int(a.subtopic_offsets[q])
            for d in range(a.document_offsets[q], a.document_offsets[q + 1]):
                for c in range(a.cell_offsets[d], a.cell_offsets[d + 1]):
                    subtopic = self.subtopic_names[first + a.cell_subtopics[c]]
                    yield query, subtopic, self.document_names[d], float(a.cell_grades[c])

    def covered(self, query: int, *, rel: float = 1) -> NDArray[np.bool_]:
        """Return which documents are relevant to which subtopics of a query.

        Parameters
        ----------
        query : int
            The index of the query in `items`.
        rel : float, default 1
            The lowest relevant grade.

        Returns
        -------
        array of bool, shape (documents, subtopics)
            Whether each document is relevant to each subtopic.
        """
        a = self.arrays
        first, last = (int(x) for x in a.document_offsets[query : query + 2])
        width = int(a.subtopic_offsets[query + 1] - a.subtopic_offsets[query])
        cells = slice(int(a.cell_offsets[first]), int(a.cell_offsets[last]))
        table = np.zeros((last - first, width), dtype=bool)
        document = np.repeat(
            np.arange(last - first), np.diff(a.cell_offsets[first : last + 1]).astype(np.int64)
        )
        relevant = a.cell_grades[cells] >= rel
        table[document[relevant], a.cell_subtopics[cells][relevant]] = True
        return table

    def to_frame(self) -> pl.DataFrame:
        """Return a polars frame with the columns query, subtopic, document and grade."""
        import polars as pl

        return pl.DataFrame(
            list(self.cells()),
            schema={
                "query": pl.String,
                "subtopic": pl.String,
                "document": pl.String,
                "grade": pl.Float64,
            },
            orient="row",
        )

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write lines `query subtopic document grade`, or the table format of the suffix.

        Parameters
        ----------
        path : path-like
            The suffix selects the format: .jsonl, .csv, .tsv or .parquet; others are text.
        """
        path = as_path(path)
        module = TABLES.get(path.suffix.lower())
        if module is not None:
            module.write(self.to_frame(), path)
        else:
            trec.write_subtopics(self.cells(), path)

    def _probabilities(
        self, given: Probabilities | None, offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        names = self._index.subtopics
        values = np.ones(len(names))
        for query, by_subtopic in (given or {}).items():
            if str(query) not in self.items:
                continue
            q = self.items.index(str(query))
            known = {str(subtopic): float(p) for subtopic, p in by_subtopic.items()}
            for j in range(offsets[q], offsets[q + 1]):
                values[j] = known.get(names[j], 0.0)
                if not 0 <= values[j] < float("inf"):
                    raise OptionError(
                        f"{self.name}: the probability {values[j]!r} of subtopic {names[j]!r} of "
                        f"query {query!r} is not valid; give finite numbers of 0 or more."
                    )
        return values

    def __repr__(self) -> str:
        return (
            f"Subtopics({self.name!r}: {len(self):,} judgements, {len(self.items):,} queries, "
            f"{len(self._index.subtopics):,} subtopics)"
        )


def read_subtopics(
    source: Table | Subtopics,
    *,
    probabilities: Probabilities | None = None,
    allow_extra_fields: bool = False,
) -> Subtopics:
    """Read relevance judgements by subtopic, as ndeval and ir_measures use them.

    Parameters
    ----------
    source : path, data frame, dict or rows
        A file (lines `query subtopic document grade`, .jsonl, .csv, .tsv, .parquet; text also as
        .gz or .zst; "-" is standard input), a data frame, a dictionary
        {query: {subtopic: {document: grade}}}, or rows (query, subtopic, document, grade).
    probabilities : dict, optional
        {query: {subtopic: probability}}. The default is equal probabilities.
    allow_extra_fields : bool, default False
        Read a text whose lines have more than four fields, as those of a run have. The others are
        ignored.

    Returns
    -------
    Subtopics
        The judgements.

    Raises
    ------
    FormatError
        If a line, a column or a value does not follow the format.
    UnreadableError
        If the file cannot be read.

    Examples
    --------
    >>> read_subtopics({"q": {"1": {"a": 1}, "2": {"a": 1, "b": 0}}})
    Subtopics('dictionary': 3 judgements, 1 queries, 2 subtopics)
    """
    if isinstance(source, Subtopics):
        return source
    if isinstance(source, str | os.PathLike):
        rows, findings = rows_of_file(source, allow_extra_fields=allow_extra_fields)
        return Subtopics(rows, name_of(source), findings, probabilities)
    if isinstance(source, Mapping):
        return Subtopics(rows_of_mapping(source), "dictionary", [], probabilities)
    if frames.is_frame(source):
        rows, findings = rows_of_frame(frames.to_polars(source), "data frame")
        return Subtopics(rows, "data frame", findings, probabilities)
    if isinstance(source, Iterable):
        return Subtopics(rows_of_cells(source), "rows", [], probabilities)
    raise FormatError(
        f"subtopics cannot be read from a {type(source).__name__}. Accepted: a path, a data frame, "
        "{query: {subtopic: {document: grade}}}, rows (query, subtopic, document, grade)."
    )
