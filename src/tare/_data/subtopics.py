"""Subtopics: the grades that assessors gave to documents, by query and subtopic."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._data import frames
from tare._data.columns import recognise
from tare._data.findings import Finding
from tare._data.formats import delimited, jsonl, parquet, trec
from tare._data.formats.guard import guarded
from tare._data.odd_columns import refuse_types
from tare._data.problems import raise_problems
from tare._data.qrels import Qrels
from tare._data.source import PathLike, blocks, name_of, plain_suffix
from tare._data.subtopic_checks import check_subtopics, duplicate_cells
from tare._kernels import Rows, SubtopicArrays, SubtopicIndex, read_trec, rows_from_arrow
from tare.errors import FormatError, OptionError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Subtopics", "read_subtopics"]

TABLES = {suffix: module for module in (delimited, jsonl, parquet) for suffix in module.SUFFIXES}
Probabilities = Mapping[Any, Mapping[Any, float]]


class Subtopics:
    """Judgements by subtopic, ready to be joined with runs.

    A subtopic counts where some document has a relevant grade for it, as in ndeval; how likely it
    is that a user means it is the same for all, unless `probabilities` says otherwise.
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
        # What measures divide by, kept for the next run: finding the ideals is most of the work.
        self.divisors: dict[str, NDArray[np.float64]] = {}
        self.findings = (*findings, *duplicates, *check_subtopics(self))

    def __len__(self) -> int:
        return len(self.arrays.cell_grades)

    @cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits that tell these judgements from others, whatever their order."""
        digest = self._rows.digest(0)
        if (self.arrays.probabilities != 1).any():
            for value in self.arrays.probabilities.view(np.uint64).tolist():
                digest = (digest ^ value) * 0x100000001B3 & (2**64 - 1)
        return f"{digest >> 32:08x}"

    @cached_property
    def document_names(self) -> tuple[str, ...]:
        """The ids of all documents, query by query, descending within each."""
        return tuple(self._index.documents)

    @cached_property
    def subtopic_names(self) -> tuple[str, ...]:
        """The ids of all subtopics, query by query."""
        return tuple(self._index.subtopics)

    def cells(self) -> Iterator[tuple[str, str, str, float]]:
        """(query, subtopic, document, grade) of every judgement."""
        a = self.arrays
        for q, query in enumerate(self.items):
            first = int(a.subtopic_offsets[q])
            for d in range(a.document_offsets[q], a.document_offsets[q + 1]):
                for c in range(a.cell_offsets[d], a.cell_offsets[d + 1]):
                    subtopic = self.subtopic_names[first + a.cell_subtopics[c]]
                    yield query, subtopic, self.document_names[d], float(a.cell_grades[c])

    def covered(self, query: int, *, rel: float = 1) -> NDArray[np.bool_]:
        """Documents × subtopics of one query: which document is relevant to which subtopic."""
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
        """A polars frame with the columns query, subtopic, document and grade."""
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
        """Writes `query subtopic document grade`, or the table format of the suffix."""
        path = Path(path)
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
                        f"query {query!r} is none; give numbers that are not negative."
                    )
        return values

    def __repr__(self) -> str:
        return (
            f"Subtopics({self.name!r}: {len(self):,} judgements, {len(self.items):,} queries, "
            f"{len(self._index.subtopics):,} subtopics)"
        )


def read_subtopics(source: Any, *, probabilities: Probabilities | None = None) -> Subtopics:
    """Reads judgements by subtopic: `query subtopic document grade`, as ndeval and ir_measures.

    source: a path (text, .jsonl, .csv, .tsv, .parquet, .gz, .zst, "-"), a data frame, a dictionary
    {query: {subtopic: {document: grade}}}, or rows (query, subtopic, document, grade).
    probabilities: {query: {subtopic: probability}}; by default all subtopics are as likely.

    >>> read_subtopics({"q": {"1": {"a": 1}, "2": {"a": 1, "b": 0}}})
    Subtopics('dictionary': 3 judgements, 1 queries, 2 subtopics)
    """
    if isinstance(source, Subtopics):
        return source
    if isinstance(source, str | os.PathLike):
        rows, findings = _read_file(source)
        return Subtopics(rows, os.fspath(source), findings, probabilities)
    if isinstance(source, Mapping):
        return Subtopics(_of_mapping(source), "dictionary", [], probabilities)
    if frames.is_frame(source):
        rows, findings = _of_frame(frames.to_polars(source), "data frame")
        return Subtopics(rows, "data frame", findings, probabilities)
    if isinstance(source, Iterable):
        return Subtopics(_of_rows(source), "rows", [], probabilities)
    raise FormatError(
        f"subtopics cannot be read from a {type(source).__name__}. Accepted: a path, a data frame, "
        "{query: {subtopic: {document: grade}}}, rows (query, subtopic, document, grade)."
    )


def _read_file(source: PathLike) -> tuple[Rows, list[Finding]]:
    name = name_of(source)
    module = TABLES.get(plain_suffix(source))
    if module is not None:
        return _of_frame(module.read(source), name)
    rows, reading = read_trec(blocks(source), "subtopics")
    raise_problems(name, reading, "subtopics")
    _refuse_empty(rows, name)
    return rows, []


def _of_frame(frame: pl.DataFrame, name: str) -> tuple[Rows, list[Finding]]:
    import polars as pl

    parts = recognise(frame.columns, ["query", "subtopic", "document", "grade"], name)
    ids = [parts["query"], parts["subtopic"], parts["document"]]
    refuse_types(frame, ids, parts["grade"], name, "grade")
    with guarded(name, "judgements by subtopic with ids that are text or numbers"):
        joined = frame.select(
            pl.col(parts["query"]).cast(pl.String).alias("query"),
            pl.concat_str(
                pl.col(parts["subtopic"]).cast(pl.String),
                pl.col(parts["document"]).cast(pl.String),
                separator="\t",
            ).alias("document"),
            pl.col(parts["grade"]).alias("grade"),
        )
    rows, _ = frames.rows_of(joined, "grade", name)
    _refuse_empty(rows, name)
    recognised = ", ".join(f"{part} = {column!r}" for part, column in parts.items())
    note = Finding("columns", f"{name}: columns recognised: {recognised}.", severity="note")
    return rows, [note]


def _of_mapping(source: Mapping[Any, Any]) -> Rows:
    def rows() -> Iterator[tuple[Any, Any, Any, Any]]:
        for query, subtopics in source.items():
            if not isinstance(subtopics, Mapping) or not all(
                isinstance(documents, Mapping) for documents in subtopics.values()
            ):
                raise FormatError(
                    f"dictionary: query {query!r} does not hold {{subtopic: {{document: grade}}}}."
                )
            for subtopic, documents in subtopics.items():
                for document, grade in documents.items():
                    yield query, subtopic, document, grade

    return _of_rows(rows())


def _of_rows(source: Iterable[Any]) -> Rows:
    import polars as pl

    columns: tuple[list[str], list[str], list[float]] = ([], [], [])
    for row in source:
        try:
            query, subtopic, document, grade = row
            columns[2].append(float(grade))
        except (TypeError, ValueError):
            raise FormatError(
                f"rows: {row!r} is not (query, subtopic, document, grade) with a number last."
            ) from None
        columns[0].append(str(query))
        columns[1].append(f"{subtopic}\t{document}")
    if not columns[0]:
        raise FormatError("no judgements found; there is no row.")
    if not np.isfinite(columns[2]).all():
        raise FormatError("a grade is not a finite number.")
    table = pl.DataFrame(dict(zip(("query", "document", "value"), columns, strict=True)))
    return rows_from_arrow(table.__arrow_c_stream__())


def _refuse_empty(rows: Rows, name: str) -> None:
    if len(rows) == 0:
        raise FormatError(
            f"{name}: no judgements found; the file is empty or contains only comments."
        )
