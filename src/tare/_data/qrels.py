"""Qrels: the grades that assessors gave to documents, by query."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data import frames
from tare._data.findings import Finding
from tare._data.formats import trec
from tare._data.problems import duplicates_told, raise_told
from tare._data.rows import RowTable, read_rows, rows_from_mapping
from tare._data.source import name_of
from tare._kernels import QrelsIndex, Rows, join_chunks, split_rows
from tare.errors import FormatError

__all__ = ["Qrels", "equal_duplicates", "read_qrels"]


class Qrels(RowTable):
    """Judgements, ready to be joined with runs.

    Grades may be any real numbers. A negative grade means, as in trec_eval, that the document was
    in the pool but was not judged: it is never relevant and gains nothing.

    `known_pool` names the pool that chance orders, where the kind of data tells it (LETOR: judged).
    """

    _value = "grade"
    known_pool: str | None = None

    def __init__(
        self, rows: Rows, name: str, findings: list[Finding], *, unit: str = "line"
    ) -> None:
        super().__init__(rows, name, [*findings, *_duplicates(rows, name, unit)])
        self._index = QrelsIndex(rows, 0)

    @property
    def index(self) -> QrelsIndex:
        """The judgements as the core looks them up."""
        return self._index

    @cached_property
    def levels(self) -> NDArray[np.float64]:
        """The distinct grades, ascending; the core knows grades by their place here."""
        return self._index.levels

    @cached_property
    def items(self) -> tuple[str, ...]:
        """The queries, in the order of all per-query results."""
        return tuple(self._index.queries)

    @cached_property
    def pool_offsets(self) -> NDArray[np.int64]:
        """Where each query's judgements begin in `pool`."""
        return self._index.offsets

    @cached_property
    def pool(self) -> NDArray[np.int32]:
        """The codes of all judged documents, query by query, best grade first."""
        return self._index.pool

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as bytes of rows, so that workers elsewhere can have the judgements too."""
        return _restored, (split_rows(self.rows, 1), self.name, self.findings, self.known_pool)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the qrels in the format of the suffix; TREC text if none is known."""
        path = Path(path)
        if not self._write_table(path):
            trec.write_qrels(self.by_query(), path)

    def __repr__(self) -> str:
        grades = ", ".join(f"{level:g}" for level in self.levels[:8])
        more = ", …" if len(self.levels) > 8 else ""
        return (
            f"Qrels({self.name!r}: {len(self):,} judgements, {len(self.items):,} queries, "
            f"grades {grades}{more})"
        )


def read_qrels(source: Any) -> Qrels:
    """Reads qrels from a path, a data frame or a dictionary {query: {document: grade}}.

    Files: TREC text, .jsonl, .csv, .tsv, .parquet, and .gz or .zst of the texts; "-" reads
    standard input. Columns of tables are recognised by name.

    >>> read_qrels({"q1": {"d1": 2, "d2": 0}})
    Qrels('dictionary': 2 judgements, 1 queries, grades 0, 2)
    """
    if isinstance(source, Qrels):
        return source
    if isinstance(source, str | os.PathLike):
        rows, reading, findings = read_rows(source, "qrels")
        return Qrels(rows, name_of(source), findings, unit="row" if reading is None else "line")
    if isinstance(source, Mapping):
        rows = rows_from_mapping(source, "grade", "dictionary")
        return Qrels(rows, "dictionary", [], unit="entry")
    if frames.is_frame(source):
        rows, findings = frames.rows_of(frames.to_polars(source), "grade", "data frame")
        return Qrels(rows, "data frame", findings, unit="row")
    raise FormatError(
        f"qrels cannot be read from a {type(source).__name__}. "
        "Accepted: a path, a data frame, a dictionary {query: {document: grade}}."
    )


def _restored(
    chunks: list[bytes], name: str, findings: tuple[Finding, ...], known_pool: str | None = None
) -> Qrels:
    """Pickled judgements again; what was found in them is known already."""
    qrels = Qrels.__new__(Qrels)
    RowTable.__init__(qrels, join_chunks(chunks), name, list(findings))
    qrels._index = QrelsIndex(qrels.rows, 0)
    qrels.known_pool = known_pool
    return qrels


def _duplicates(rows: Rows, name: str, unit: str) -> list[Finding]:
    """Equal duplicates are a finding; conflicting ones leave the grade unknown, so are refused."""
    raise_told(*duplicates_told(rows, name, "qrels", unit))
    count, found = rows.duplicates(0, 3, False)
    return equal_duplicates(name, count, [(query, document) for query, document, *_ in found])


def equal_duplicates(name: str, count: int, found: list[tuple[str, str]]) -> list[Finding]:
    """The finding about judgements that stand twice with the same grade, if there are any."""
    if count == 0:
        return []
    examples = tuple(f"{query} {document}" for query, document in found)
    message = f"{name}: {count:,} judgements stand twice with the same grade; one of each was kept."
    return [Finding("duplicate judgements", message, count, examples=examples)]
