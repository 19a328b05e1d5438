"""Rows of subtopic judgements from files, frames, dictionaries and tuples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tare._data import frames
from tare._data.columns import recognise
from tare._data.file_kinds import told_apart
from tare._data.findings import Finding
from tare._data.formats import delimited, jsonl, parquet
from tare._data.formats.guard import guarded
from tare._data.odd_columns import ids_of, refuse_types
from tare._data.problems import raise_problems, refuse_run
from tare._data.rows import text_findings
from tare._files.opening import PathLike, blocks, name_of, plain_suffix
from tare._kernels import Rows, read_trec, rows_from_arrow
from tare.errors import FormatError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["TABLES", "rows_of_cells", "rows_of_file", "rows_of_frame", "rows_of_mapping"]

TABLES = {suffix: module for module in (delimited, jsonl, parquet) for suffix in module.SUFFIXES}


def rows_of_file(
    source: PathLike, *, allow_extra_fields: bool = False
) -> tuple[Rows, list[Finding]]:
    """Read a file in the format of its suffix."""
    name = name_of(source)
    module = TABLES.get(plain_suffix(source))
    if module is not None:
        return rows_of_frame(module.read(source), name)
    rows, reading = read_trec(blocks(source), "subtopics")
    raise_problems(name, reading, "subtopics")
    if not allow_extra_fields:
        refuse_run(name, reading, "subtopics")
    _refuse_empty(rows, name)
    return rows, text_findings(reading, name, "qrels")


def rows_of_frame(frame: pl.DataFrame, name: str) -> tuple[Rows, list[Finding]]:
    """Return the rows of a frame with recognised columns."""
    import polars as pl

    with told_apart(name, frame.columns, "subtopics"):
        wanted = ["query", "subtopic", "document", "grade"]
        parts = recognise(frame.columns, wanted, name, frame=frame)
    ids = [parts["query"], parts["subtopic"], parts["document"]]
    refuse_types(frame, ids, parts["grade"], name, "grade")
    with guarded(name, "a table of subtopic judgements with ids that are text or numbers"):
        joined = frame.select(
            ids_of(frame[parts["query"]]).alias("query"),
            pl.concat_str(
                ids_of(frame[parts["subtopic"]]), ids_of(frame[parts["document"]]), separator="\t"
            ).alias("document"),
            pl.col(parts["grade"]).alias("grade"),
        )
    rows, _ = frames.rows_of(joined, "grade", name)
    _refuse_empty(rows, name)
    recognised = ", ".join(f"{part} = {column!r}" for part, column in parts.items())
    note = Finding("columns", f"{name}: columns recognised: {recognised}.", severity="note")
    return rows, [note]


def rows_of_mapping(source: Mapping[Any, Any]) -> Rows:
    """Return the rows of {query: {subtopic: {document: grade}}}."""

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

    return rows_of_cells(rows())


def rows_of_cells(source: Iterable[Any]) -> Rows:
    """Return the rows of (query, subtopic, document, grade) tuples."""
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
        for what, id_ in (("query", query), ("subtopic", subtopic), ("document", document)):
            if id_ is None or id_ != id_:
                raise FormatError(f"rows: {row!r}: the {what} is missing.")
        columns[0].append(str(query))
        columns[1].append(f"{subtopic}\t{document}")
    if not columns[0]:
        raise FormatError("no judgements found; there are no rows.")
    if not np.isfinite(columns[2]).all():
        raise FormatError("a grade is not a finite number.")
    table = pl.DataFrame(dict(zip(("query", "document", "value"), columns, strict=True)))
    return rows_from_arrow(table.__arrow_c_stream__())


def _refuse_empty(rows: Rows, name: str) -> None:
    if len(rows) == 0:
        raise FormatError(
            f"{name}: no judgements found; the file is empty or contains only comments."
        )
