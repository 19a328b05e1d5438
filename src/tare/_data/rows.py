"""Rows of query, document and value, which qrels and runs are made of."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tare._data.columns import Chosen
from tare._data.findings import Finding
from tare._data.formats.by_suffix import HEADED, TABLES
from tare._data.inputs import Grades
from tare._data.odd_columns import LONE_SURROGATE, has_lone_surrogate
from tare._data.problems import raise_problems, refuse_run
from tare._files.opening import PathLike, blocks, name_of, plain_suffix
from tare._kernels import Rows, RowsBuilder, TextReading, read_trec
from tare.errors import FormatError, OptionError

if TYPE_CHECKING:
    import polars as pl

Layout = Literal["run", "ranks", "qrels"]
"""What rows contain: scores, ranks or grades."""

__all__ = [
    "TABLES",
    "Layout",
    "RowTable",
    "is_trec_text",
    "read_rows",
    "refuse_columns",
    "rows_from_mapping",
    "rows_of_table",
    "some_documents",
    "text_findings",
]


def is_trec_text(source: object) -> bool:
    """Return whether a source is a path to TREC text."""
    return isinstance(source, str | os.PathLike) and plain_suffix(source) not in (*TABLES, ".json")


def first_row(source: PathLike) -> int:
    """Return the number of the first row in messages; a header is row 1."""
    return 2 if plain_suffix(source) in HEADED else 1


def read_rows(
    source: PathLike,
    layout: Layout,
    chosen: Chosen | None = None,
    *,
    allow_extra_fields: bool = False,
) -> tuple[Rows, TextReading | None, list[Finding]]:
    """Read a file in the format of its suffix; files with other suffixes are TREC text."""
    name = name_of(source)
    module = TABLES.get(plain_suffix(source))
    if module is not None:
        rows, findings = rows_of_table(module.read(source), source, layout, chosen)
        return rows, None, findings
    refuse_columns(chosen, name)
    rows, reading = read_trec(blocks(source), layout)
    if reading.problem_count:
        raise_problems(name, reading, layout, rows)
    if layout == "qrels" and not allow_extra_fields:
        refuse_run(name, reading, layout)
    _refuse_empty(rows, name, layout)
    return rows, reading, text_findings(reading, name, layout)


def rows_of_table(
    frame: pl.DataFrame, source: PathLike, layout: Layout, chosen: Chosen | None = None
) -> tuple[Rows, list[Finding]]:
    """Return the rows of a table that was read from a file."""
    from tare._data import frames

    name = name_of(source)
    value = {"run": "score", "ranks": "rank"}.get(layout, "grade")
    rows, findings = frames.rows_of(frame, value, name, first_row(source), chosen)
    _refuse_empty(rows, name, layout)
    return rows, findings


def text_findings(reading: TextReading, name: str, layout: str = "run") -> list[Finding]:
    """Return findings about a text: extra fields, and ranks that contradict the scores."""
    findings = []
    if reading.extra_fields:
        findings.append(
            Finding(
                "extra fields",
                f"{name}: {reading.extra_fields:,} lines have more fields than the format; "
                "the extra fields were ignored.",
                reading.extra_fields,
                severity="warning" if layout == "qrels" else "note",
            )
        )
    if reading.rank_conflicts:
        findings.append(
            Finding(
                "ranks contradict scores",
                f"{name}: the rank column contradicts the scores at {reading.rank_conflicts:,} "
                "places; documents are ranked by score.",
                reading.rank_conflicts,
            )
        )
    return findings


def _refuse_empty(rows: Rows, name: str, layout: str) -> None:
    if len(rows) == 0:
        what = "ranked documents" if layout in ("run", "ranks") else "judgements"
        raise FormatError(f"{name}: no {what} found; the file is empty or contains only comments.")


def refuse_columns(chosen: Chosen | None, name: str) -> None:
    """Raise an error if columns are named for a source that has none."""
    named = [f"{part}={column!r}" for part, column in (chosen or {}).items() if column is not None]
    if named:
        raise OptionError(f"{', '.join(named)}: {name} is not a table with columns.")


def rows_from_mapping(source: Grades, value: str, name: str) -> tuple[Rows, bool]:
    """Return the rows of a dictionary {query: {document: value}}, and whether ids are unique.

    Ids become text, so that 1 and "1" are the same document.
    """
    builder = RowsBuilder()
    try:
        # Plain dictionaries are walked by the core, the rest one query at a time.
        done = builder.add_plain_queries(source) if type(source) is dict else 0
        for query, documents in islice(source.items(), done, None):
            if not isinstance(documents, Mapping):
                raise FormatError(
                    f"{name}: query {query!r} holds a {type(documents).__name__}; "
                    f"expected {{document: {value}}}."
                )
            builder.add_query(str(query), dict(documents))
        rows = builder.finish()
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(_bad_value(source, value, name)) from None
    if not builder.texts or not all(isinstance(query, str) for query in source):
        _refuse_missing_ids(source, name)
    if len(rows) == 0:
        raise FormatError(
            f"{name}: the dictionary is empty; expected {{query: {{document: {value}}}}}."
        )
    unique = builder.texts and (done == len(source) or all(isinstance(q, str) for q in source))
    return rows, unique


def _refuse_missing_ids(source: Grades, name: str) -> None:
    for query, documents in source.items():
        for what, id_ in (("a query", query), *(("a document", each) for each in documents)):
            if id_ is None or id_ != id_:
                of = "" if what == "a query" else f" of query {query!r}"
                raise FormatError(f"{name}: {what}{of} is {id_!r}; an id is a text or a number.")


def _bad_value(source: Grades, value: str, name: str) -> str:
    for query, documents in source.items():
        if has_lone_surrogate(str(query)):
            return f"{name}: the query {query!r} {LONE_SURROGATE}"
        for document, given in documents.items():
            if has_lone_surrogate(str(document)):
                return f"{name}, query {query!r}: the document {document!r} {LONE_SURROGATE}"
            try:
                finite = abs(float(given)) < float("inf")
            except (TypeError, ValueError, OverflowError):
                finite = False
            if not finite or isinstance(given, str):
                return (
                    f"{name}, query {query!r}, document {document!r}: "
                    f"the {value} {given!r} is not a finite number."
                )
    return f"{name}: a {value} is not a finite number."


def some_documents(rows: Rows, count: int) -> list[str]:
    """Return at most `count` documents, of the first queries."""
    found: list[str] = []
    for query in range(len(rows.queries)):
        found += rows.documents(query)[0][: count - len(found)]
        if len(found) >= count:
            break
    return found


class RowTable:
    """Rows of query, document and value: the base class of runs and qrels."""

    _value = "value"

    def __init__(self, rows: Rows, name: str, findings: list[Finding]) -> None:
        self._rows = rows
        self.name = name
        self.findings = tuple(findings)

    @property
    def rows(self) -> Rows:
        """The rows, stored in the compiled core."""
        return self._rows

    @property
    def queries(self) -> tuple[str, ...]:
        """The query ids, sorted."""
        return tuple(sorted(self._rows.queries))

    def __len__(self) -> int:
        return len(self._rows)

    def some_documents(self, count: int) -> list[str]:
        """Return some documents, of the first queries."""
        return some_documents(self._rows, count)

    @cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits that identify the rows, in any order."""
        return f"{self._rows.digest(0) >> 32:08x}"

    def by_query(self) -> Iterator[tuple[str, list[tuple[str, float]]]]:
        """Yield (query, [(document, value), …]), sorted by query id.

        Yields
        ------
        (str, list of (str, float))
            A query, and its documents with their values.
        """
        order = {query: i for i, query in enumerate(self._rows.queries)}
        for query in self.queries:
            documents, values = self._rows.documents(order[query])
            yield query, list(zip(documents, values.tolist(), strict=True))

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return a dictionary {query: {document: value}}.

        Returns
        -------
        dict
            The values by query and document.
        """
        return {query: dict(documents) for query, documents in self.by_query()}

    def to_frame(self) -> pl.DataFrame:
        """Return a polars frame with the columns query, document and the value.

        Returns
        -------
        polars.DataFrame
            One row per document.
        """
        import polars as pl

        columns: dict[str, list[Any]] = {"query": [], "document": [], self._value: []}
        for query, documents in self.by_query():
            columns["query"] += [query] * len(documents)
            columns["document"] += [document for document, _ in documents]
            columns[self._value] += [value for _, value in documents]
        return pl.DataFrame(
            columns, schema={"query": pl.String, "document": pl.String, self._value: pl.Float64}
        )

    def _write_table(self, path: Path) -> bool:
        """Write a table format; return False for TREC text."""
        module = TABLES.get(plain_suffix(path))
        if module is None:
            return False
        module.write(self.to_frame(), path)
        return True
