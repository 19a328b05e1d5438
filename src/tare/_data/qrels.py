"""Qrels: relevance grades of documents, by query."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data import rows as trec
from tare._data.findings import Finding, QrelsSource
from tare._data.formats import nested_json
from tare._data.pairs import read_pairs
from tare._data.recognised_files import form_of
from tare._data.rows import (
    SUBTOPICS_HINT,
    RowTable,
    describe_duplicates,
    raise_sorted,
    refuse_columns,
)
from tare._data.table_files import write_table
from tare._files.addresses import as_path
from tare._files.opening import name_of
from tare._kernels import QrelsIndex, Rows, join_chunks, pack_rows

__all__ = ["Qrels", "read_qrels"]


class Qrels(RowTable):
    """Relevance judgements. Made by `read_qrels`.

    Grades are real numbers. As in trec_eval, a negative grade means that the document was in the
    pool but was not judged: it is not relevant and has no gain.

    Attributes
    ----------
    name : str
        The source, as named in messages.
    findings : tuple of Finding
        Properties of the data that users should know.
    known_pool : str or None
        The pool for chance, if the kind of data determines it (LETOR: judged).

    Examples
    --------
    >>> qrels = read_qrels({"q1": {"d1": 2, "d2": 0}})
    >>> qrels.items, qrels.levels.tolist()
    (('q1',), [0.0, 2.0])
    """

    _value = "grade"
    known_pool: str | None = None

    def __init__(
        self,
        rows: Rows,
        name: str,
        findings: list[Finding],
        *,
        unit: str = "line",
    ) -> None:
        super().__init__(rows, name, [*findings, *_duplicates(rows, name, unit)])
        self._index = QrelsIndex(rows, 0)

    @property
    def index(self) -> QrelsIndex:
        """The judgements, indexed by the compiled core."""
        return self._index

    @cached_property
    def levels(self) -> NDArray[np.float64]:
        """The distinct grades, ascending; a code is an index into this array."""
        return self._index.levels

    @cached_property
    def items(self) -> tuple[str, ...]:
        """The queries, in the order of all results per query."""
        return tuple(self._index.queries)

    @cached_property
    def pool_offsets(self) -> NDArray[np.int64]:
        """The start of each query in `pool`."""
        return self._index.offsets

    @cached_property
    def pool(self) -> NDArray[np.int32]:
        """The codes of all judged documents, by query, best grade first."""
        return self._index.pool

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the rows as bytes, so that workers can receive the judgements."""
        return _restored, (pack_rows(self.rows), self.name, self.findings, self.known_pool)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the qrels to a file.

        Parameters
        ----------
        path : path-like
            The suffix selects the format: .jsonl, .csv, .tsv or .parquet; others are TREC text.
        """
        path = as_path(path)
        if not write_table(self.to_frame, path):
            trec.write_qrels(self.by_query(), path)

    def __repr__(self) -> str:
        grades = ", ".join(f"{level:g}" for level in self.levels[:8])
        more = ", …" if len(self.levels) > 8 else ""
        return (
            f"Qrels({self.name!r}: {len(self):,} judgements, {len(self.items):,} queries, "
            f"grades {grades}{more})"
        )


def read_qrels(
    source: QrelsSource | Qrels,
    *,
    query: str | None = None,
    document: str | None = None,
    grade: str | None = None,
    allow_extra_fields: bool = False,
) -> Qrels:
    """Read relevance judgements.

    Parameters
    ----------
    source : path, data frame, dict or rows
        A file (TREC text, .json, .jsonl, .csv, .tsv, .parquet; text also as .gz or .zst; "-" is
        standard input); a data frame; a dictionary {query: {document: grade}}, or
        {query: [relevant documents]} or a set, all of grade 1; or rows: (named) tuples (query,
        document, grade), or dictionaries and objects with such fields or with a list
        `expected_ids` or `reference_context_ids`. Columns are recognised by name. The findings of
        the qrels contain what was recognised.
    query, document, grade : str, optional
        The columns of a table, if their names are not recognised.
    allow_extra_fields : bool, default False
        Read a text whose lines have more than four fields, as those of a run have. The others are
        ignored.

    Returns
    -------
    Qrels
        The judgements.

    Raises
    ------
    FormatError
        If a line, a column or a value does not follow the format.
    UnreadableError
        If the file cannot be read.

    Examples
    --------
    >>> read_qrels({"q1": {"d1": 2, "d2": 0}})
    Qrels('dictionary': 2 judgements, 1 queries, grades 0, 2)
    >>> read_qrels({"q1": {"d1", "d2"}})
    Qrels('dictionary': 2 judgements, 1 queries, grades 1)
    """
    if isinstance(source, Qrels):
        return source
    chosen = {"query": query, "document": document, "grade": grade}
    if isinstance(source, str | os.PathLike):
        name = name_of(source)
        if form_of(source) == "json":
            refuse_columns(chosen, name)
            parts, findings = nested_json.read(source, "grade")
            part = nested_json.only(parts, name, [part.label for part in parts])
            return Qrels(part.rows, name, findings + part.findings, unit="entry")
    read = read_pairs(source, "grade", chosen, allow_extra_fields=allow_extra_fields)
    return Qrels(read.rows, read.name, read.findings, unit=read.unit)


def _restored(
    packed: bytes, name: str, findings: tuple[Finding, ...], known_pool: str | None = None
) -> Qrels:
    """Restore pickled qrels, whose judgements were checked when they were read."""
    qrels = Qrels.__new__(Qrels)
    RowTable.__init__(qrels, join_chunks([packed]), name, list(findings))
    qrels._index = QrelsIndex(qrels.rows, 0)
    qrels.known_pool = known_pool
    return qrels


def _duplicates(rows: Rows, name: str, unit: str) -> list[Finding]:
    """Raise an error for duplicate judgements of qrels with different grades; return a finding for equal ones."""
    raise_sorted(*describe_duplicates(rows, name, "qrels", unit))
    count, found = rows.duplicates(0, 3, False)
    if count == 0:
        return []
    examples = tuple(f"{query} {document}" for query, document, *_ in found)
    message = f"{name}: {count:,} duplicate judgements with the same grade; one of each was kept."
    if unit == "line":  # the second column of a text file is not read
        message += f" {SUBTOPICS_HINT}"
    return [Finding("duplicate judgements", message, count, examples=examples)]
