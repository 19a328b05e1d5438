"""Subtopics: relevance grades of documents, by query and subtopic."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._data import rows as trec
from tare._data.findings import Finding, TableSource, listed
from tare._data.pairs import pairs_of_table
from tare._data.qrels import Qrels
from tare._data.rows import (
    SHOWN,
    fields_of,
    raise_problems,
    raise_sorted,
    refuse_run,
    text_findings,
)
from tare._data.table_files import table_in, write_table
from tare._data.tables import InputTable, Layout, rows_of
from tare._files.addresses import as_path
from tare._files.opening import PathLike, blocks, name_of
from tare._kernels import Rows, SubtopicArrays, SubtopicIndex, read_trec
from tare.errors import FormatError, OptionError

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Subtopics",
    "read_subtopics",
]


# Checks of subtopic judgements, as findings.


def _duplicate_cells(rows: Rows, name: str, unit: str = "line") -> list[Finding]:
    """Raise an error for duplicate judgements of a subtopic with different grades; return a finding for equal ones."""
    conflicts, found = rows.duplicates(0, SHOWN, True)
    messages = []
    for query, cell, line, earlier in found:
        subtopic, _, document = (part.strip(" \t\r\v\f") for part in _parted(cell))
        text = (
            f"{name}, {unit} {line}: document {document!r} of query {query!r}, subtopic "
            f"{subtopic!r}, has a different grade on {unit} {earlier}. Keep one of the two."
        )
        messages.append((line, text))
    raise_sorted(conflicts, messages)
    count, found = rows.duplicates(0, 3, False)
    if count == 0:
        return []
    message = f"{name}: {count:,} duplicate judgements with the same grade; one of each was kept."
    examples = tuple(f"{query} {' '.join(fields_of(cell))}" for query, cell, *_ in found)
    return [Finding("duplicate judgements", message, count, examples=examples)]


def _parted(cell: str) -> tuple[str, str, str]:
    """Cut a cell into subtopic and document, at the tab that tables put there, else at the first blank."""
    if "\t" in cell:
        return cell.partition("\t")
    return cell.partition(next(c for c in cell if c in " \r\v\f"))


def _check_subtopics(subtopics: Subtopics, *, rel: float = 1) -> list[Finding]:
    """Return findings about subtopics: unusual codes, missing queries, and subtopics that cannot be covered."""
    a, name = subtopics.arrays, subtopics.name
    grades: NDArray[np.float64] = a.cell_grades
    cells = np.diff(a.cell_offsets)
    query = np.repeat(
        np.repeat(np.arange(len(subtopics.items)), np.diff(a.document_offsets)), cells
    )
    subtopic = a.subtopic_offsets[query] + a.cell_subtopics
    relevant = np.bincount(subtopic[grades >= rel], minlength=len(a.probabilities))
    names = subtopics.subtopic_names
    findings = []

    zero = np.flatnonzero([n == "0" and r == 0 for n, r in zip(names, relevant, strict=True)])
    if len(zero):
        count = int(np.isin(subtopic, zero).sum())
        findings.append(
            Finding(
                "subtopic 0",
                f"{name}: {count:,} judgements of {len(zero):,} queries have subtopic 0 and no "
                "relevant grade, as in Web 2009: documents that are not relevant to any subtopic. They "
                "are in the pool, and 0 is not counted as a subtopic.",
                count,
                severity="note",
            )
        )
    without_any = set(zero.tolist())
    empty = [j for j in np.flatnonzero(relevant == 0).tolist() if j not in without_any]
    if empty:
        of = np.repeat(np.arange(len(subtopics.items)), np.diff(a.subtopic_offsets))
        examples = [f"{subtopics.items[of[j]]}/{names[j]}" for j in empty]
        findings.append(
            Finding(
                "subtopics without a relevant document",
                f"{name}: {len(empty):,} subtopics have no document of grade {rel:g} or more; they "
                "are not counted, as in ndeval.",
                len(empty),
                severity="note",
                examples=listed(examples),
            )
        )
    negative = int((grades < 0).sum())
    if negative:
        findings.append(
            Finding(
                "negative grades",
                f"{name}: {negative:,} judgements have a negative grade, the lowest "
                f"{grades.min():g} (spam); they are in the pool and not relevant. ndeval rejects "
                "such files.",
                negative,
                severity="note",
            )
        )
    if len(grades) and (grades >= rel).all():
        findings.append(
            Finding(
                "only relevant documents",
                f"{name}: every judgement has grade {rel:g} or more. The other judged documents are "
                "unknown, so the pool 'judged' contains only relevant documents. For measures net of "
                "chance use pool=union, retrieved or corpus=N.",
                len(grades),
            )
        )
    with_any = np.zeros(len(subtopics.items), dtype=bool)
    with_any[query[grades >= rel]] = True
    without = [subtopics.items[q] for q in np.flatnonzero(~with_any)]
    if without:
        findings.append(
            Finding(
                "no relevant document",
                f"{name}: {len(without):,} of {len(subtopics.items):,} queries have no document of "
                f"grade {rel:g} or more; they score 0 and are counted.",
                len(without),
                examples=listed(without),
            )
        )
    return findings + _gaps(subtopics.items, name)


def _gaps(items: tuple[str, ...], name: str) -> list[Finding]:
    """Return a finding about topic numbers that judgements by subtopic lack; Web 2010 lacks two."""
    if not items or not all(item.isdecimal() and len(item) < 9 for item in items):
        return []
    numbers = {int(item) for item in items}
    low, high = min(numbers), max(numbers)
    missing = [str(n) for n in range(low, high + 1) if n not in numbers]
    if not missing or len(missing) > len(items) // 4:
        return []
    message = (
        f"{name}: the queries are numbered {low} to {high}, but {len(missing):,} of these numbers "
        "are missing; such queries of a run are left out."
    )
    return [
        Finding("queries missing", message, len(missing), severity="note", examples=listed(missing))
    ]


# Rows of subtopic judgements from files, frames, dictionaries and tuples.


LAYOUT = Layout(
    "subtopics",
    ("query", "subtopic", "document", "grade"),
    nested="{query: {subtopic: {document: grade}}}",
    accepted="{query: {subtopic: {document: grade}}}, rows (query, subtopic, document, grade)",
)


def _rows_of_text(
    source: PathLike, *, allow_extra_fields: bool = False
) -> tuple[Rows, list[Finding]]:
    """Read lines 'query subtopic document grade'."""
    name = name_of(source)
    rows, reading = read_trec(blocks(source), "subtopics")
    raise_problems(name, reading, "subtopics")
    if not allow_extra_fields:
        refuse_run(name, reading, "subtopics")
    if len(rows) == 0:
        raise FormatError(
            f"{name}: no judgements found; the file is empty or contains only comments."
        )
    return rows, text_findings(reading, name, "qrels")


def _rows_of_table(table: InputTable) -> tuple[Rows, list[Finding]]:
    """Return the rows of a table of judgements by subtopic; a subtopic and a document are joined by a tab."""
    import polars as pl

    cells = pl.DataFrame(
        [table.ids("subtopic").alias("subtopic"), table.ids("document").alias("document")]
    ).select(pl.concat_str("subtopic", "document", separator="\t"))
    columns = [
        table.ids("query").alias("query"),
        cells.to_series().alias("document"),
        table.series("grade"),
    ]
    pairs = replace(table, frame=pl.DataFrame(columns), columns={})
    read = pairs_of_table(pairs, "grade", {"grade": table.columns["grade"]})
    recognised = ", ".join(f"{role} = {column!r}" for role, column in table.columns.items())
    note = Finding("columns", f"{table.name}: columns recognised: {recognised}.", severity="note")
    return read.rows, [note]


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
        *,
        unit: str = "line",
    ) -> None:
        duplicates = _duplicate_cells(rows, name, unit)
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
        self.findings = (*findings, *duplicates, *_check_subtopics(self))

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
        if not write_table(self.to_frame, path):
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
    source: TableSource | Subtopics,
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
    if isinstance(source, str | os.PathLike) and table_in(source) is None:
        rows, findings = _rows_of_text(source, allow_extra_fields=allow_extra_fields)
        return Subtopics(rows, name_of(source), findings, probabilities)
    table = rows_of(source, LAYOUT)
    rows, findings = _rows_of_table(table)
    return Subtopics(rows, table.name, findings, probabilities, unit=table.unit)
