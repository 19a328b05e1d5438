"""Qrels and runs given as Python objects, such as (named) tuples, dictionaries and objects with fields: what they are is recognised."""

from __future__ import annotations

import decimal
import numbers
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from tare._data import frames
from tare._data.columns import (
    COLUMNS,
    EXPECTED,
    IDS,
    LONE_SURROGATE,
    RETRIEVED,
    TEXTS,
    Chosen,
    has_lone_surrogate,
    holds_both,
    text_of,
)
from tare._data.findings import Finding
from tare._data.rows import rows_from_mapping
from tare._kernels import Rows
from tare.errors import FormatError

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Native",
    "both_of",
    "frame_of_columns",
    "frame_of_records",
    "is_list",
    "is_ranking",
    "is_record",
    "read_native",
]


# Rows given as Python objects: (named) tuples, dictionaries, and objects with fields.


PARTS = ("query", "document", "score", "grade", "rank", "system")
FIELDS = frozenset(
    (*(s for part in PARTS for s in COLUMNS[part]), *RETRIEVED, *EXPECTED, *IDS, *TEXTS)
)


def is_list(value: object) -> bool:
    """Return whether a value is a list of ids: a list, tuple, set or array."""
    return (
        isinstance(value, list | tuple | AbstractSet | np.ndarray)
        or type(value).__name__ == "Series"
    )


def is_record(value: Any) -> bool:
    """Return whether a value is one row of a table."""
    if isinstance(value, Mapping):
        names = {str(name).strip().lower() for name in value}
        return (
            any(names & set(COLUMNS[part]) for part in ("document",))
            and any(names & {*COLUMNS["query"], *IDS})
        ) or bool(names & {*RETRIEVED, *EXPECTED})
    if isinstance(value, tuple):
        if hasattr(value, "_fields"):
            return bool(set(value._fields) & FIELDS)
        return len(value) == 3 and _is_number(value[2]) and not isinstance(value[1], Mapping)
    if isinstance(value, str | bytes | list) or hasattr(value, "__fspath__"):
        return False
    return any(_has(value, name) for name in (*RETRIEVED[:2], *EXPECTED[:2])) or (
        _has(value, "query_id") and _has(value, "doc_id")
    )


def frame_of_records(rows: Sequence[Any], value: str, chosen: Chosen | None = None) -> pl.DataFrame:
    """Return a frame of rows, which are all tuples, all dictionaries or all objects."""
    first = rows[0]
    wanted = {column for column in (chosen or {}).values() if column is not None}
    for number, row in enumerate(rows, 1):
        if type(row) is not type(first) and not (
            isinstance(row, Mapping) and isinstance(first, Mapping)
        ):
            raise FormatError(
                f"rows, row {number}: a {type(row).__name__}, but row 1 is a {type(first).__name__}."
            )
    if isinstance(first, Mapping):
        names = dict.fromkeys(str(n) for row in rows for n in row)
        kept = [n for n in names if n.strip().lower() in FIELDS or n in wanted]
        return frame_of_columns({n: [row.get(n) for row in rows] for n in kept or names}, "rows")
    if isinstance(first, tuple):
        fields = getattr(first, "_fields", ("query", "document", value))
        for number, row in enumerate(rows, 1):
            if len(row) != len(fields):
                raise FormatError(
                    f"rows, row {number}: {len(row)} values; expected {len(fields)}: "
                    f"({', '.join(map(str, fields))})."
                )
        return frame_of_columns(
            dict(zip(fields, map(list, zip(*rows, strict=True)), strict=True)), "rows"
        )
    kept = [n for n in sorted(FIELDS | wanted) if _has(first, n)]
    return frame_of_columns({n: [getattr(row, n, None) for row in rows] for n in kept}, "rows")


def frame_of_columns(columns: Mapping[str, Iterable[Any]], name: str) -> pl.DataFrame:
    """Return a frame of columns given as Python lists; ids of mixed types become text."""
    import polars as pl

    made = [_series(str(column), list(values), name) for column, values in columns.items()]
    lengths = {len(series) for series in made}
    if len(lengths) > 1:
        found = ", ".join(f"{series.name!r} {len(series):,}" for series in made)
        raise FormatError(f"{name}: the columns have different lengths: {found}.")
    return pl.DataFrame(made)


def _series(column: str, values: list[Any], name: str) -> pl.Series:
    import polars as pl

    given = [value for value in values if not _is_missing(value)]
    if given and all(map(is_list, given)):
        lists = [None if _is_missing(value) else list(value) for value in values]
        if any(isinstance(item, Mapping) for items in lists if items for item in items):
            return _structs(column, lists, name)
        texts = [
            None if items is None else [_text(x, name, row, column) for x in items]
            for row, items in enumerate(lists, 1)
        ]
        return pl.Series(column, texts, dtype=pl.List(pl.String))
    if given and all(map(_is_number, given)):
        kinds = {isinstance(value, bool | np.bool_) for value in given}
        whole = all(
            isinstance(value, numbers.Integral) and abs(int(value)) < 2**63 for value in given
        )
        if whole and kinds == {False}:
            return pl.Series(
                column, [None if _is_missing(v) else int(v) for v in values], dtype=pl.Int64
            )
        if not any(isinstance(value, numbers.Integral) for value in given):
            return pl.Series(
                column, [None if _is_missing(v) else _float(v) for v in values], dtype=pl.Float64
            )
    plain = [
        None if _is_missing(v) else _text(v, name, row, column) for row, v in enumerate(values, 1)
    ]
    return pl.Series(column, plain, dtype=pl.String)


def _structs(column: str, lists: list[Any], name: str) -> pl.Series:
    """Return a series of lists of objects, each reduced to a document and a score."""
    import polars as pl

    documents, scores = (*COLUMNS["document"], "id"), COLUMNS["score"]
    out: list[Any] = []
    for row, items in enumerate(lists, 1):
        made = []
        for item in items or []:
            if not isinstance(item, Mapping):
                raise FormatError(
                    f"{name}, row {row}, column {column!r}: expected objects, found {item!r:.60}."
                )
            document = next((item[n] for n in documents if n in item), None)
            score = next((item[n] for n in scores if n in item), None)
            if document is None or not _is_number(score):
                raise FormatError(
                    f"{name}, row {row}, column {column!r}: expected a document and a score, as in "
                    f'{{"corpus_id": "d1", "score": 0.5}}; found {item!r:.60}.'
                )
            made.append({"document": _text(document, name, row, column), "score": _float(score)})
        out.append(None if items is None else made)
    kind = pl.List(pl.Struct({"document": pl.String, "score": pl.Float64}))
    return pl.Series(column, out, dtype=kind)


def _text(value: Any, name: str, row: int, column: str) -> str | None:
    if _is_missing(value):
        return None
    if isinstance(value, Mapping | list | tuple | AbstractSet):
        raise FormatError(
            f"{name}, row {row}, column {column!r}: an id is a {type(value).__name__}; expected a text or a number."
        )
    text = text_of(value)
    if has_lone_surrogate(text):
        raise FormatError(f"{name}, row {row}, column {column!r}: {text!r} {LONE_SURROGATE}")
    return text


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")  # refused as not finite, with its row


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real | decimal.Decimal | np.bool_)


def _is_missing(value: Any) -> bool:
    return (
        value is None
        or (isinstance(value, float) and value != value)
        or type(value).__name__ == "NAType"
    )


def _has(value: Any, name: str) -> bool:
    try:
        return hasattr(value, name)
    except Exception:  # a property of a foreign object
        return False


# Qrels and runs given as Python objects: what they are is recognised, and reported as a finding.


KINDS = {"grade": "qrels", "score": "a run", "rank": "a run"}


@dataclass(frozen=True, eq=False)
class Native:
    """Rows of query, document and value; `unique` if no document can appear twice in a query."""

    rows: Rows
    findings: list[Finding]
    name: str
    unit: str
    unique: bool = False


def is_ranking(source: Mapping[Any, Any]) -> bool:
    """Return whether a dictionary is {query: …}, not {system: source}; only first entries are examined."""
    for value in source.values():
        if isinstance(value, Mapping):
            inside = next(iter(value.values()), None)
            if isinstance(inside, Mapping) or is_list(inside):
                return False
        elif not is_list(value) or is_record(next(iter(value), None)):
            return False
    return True


def both_of(source: Any) -> tuple[Any, Any]:
    """Return the judgements and runs of rows that have both; the source and None for any other."""
    if isinstance(source, Iterator):
        source = list(source)
    if frames.is_frame(source):
        source = frames.to_polars(source)
        return source, source if holds_both(source.columns) else None
    if isinstance(source, str | bytes | Mapping) or not isinstance(source, Iterable):
        return source, None
    given = list(source)
    if given and is_record(given[0]):
        frame = frame_of_records(given, "score")
        if holds_both(frame.columns):
            return frame, frame
    return given, None


def read_native(source: Any, value: str, chosen: Chosen | None = None) -> Native:
    """Read the rows of an object; `value` is "score", "rank" or "grade"."""
    if isinstance(source, Mapping):
        return _of_mapping(source, value, chosen)
    if frames.is_frame(source):
        frame = frames.to_polars(source)
        rows, findings = frames.rows_of(frame, value, "data frame", chosen=chosen)
        if frame.height == 0 or (value == "grade" and len(rows) == 0):
            what = "judgements" if value == "grade" else "ranked documents"
            raise FormatError(f"data frame: no {what} found; the table is empty.")
        return Native(rows, findings, "data frame", "row")
    if isinstance(source, Iterable) and not isinstance(source, str | bytes | AbstractSet):
        return _of_rows(list(source), value, chosen)
    raise _unknown(type(source).__name__, value)


def _unknown(found: str, value: str) -> FormatError:
    what = "grade" if value == "grade" else "score"
    lists = "[relevant documents]" if value == "grade" else "[documents, best first]"
    return FormatError(
        f"{KINDS[value]} cannot be read from a {found}. Accepted: a path, a data frame, a dictionary "
        f"{{query: {{document: {what}}}}} or {{query: {lists}}}, or rows (query, document, {what}). "
        "Lists of ids without queries are scored with tare.evaluate_lists(retrieved, relevant, measures)."
    )


def _of_rows(given: list[Any], value: str, chosen: Chosen | None) -> Native:
    if not given:
        raise FormatError(f"rows: no rows found; the list for {KINDS[value]} is empty.")
    first = given[0]
    if not is_record(first) and not isinstance(first, Mapping):
        raise _unknown(f"list of {type(first).__name__}", value)
    frame = frame_of_records(given, value, chosen)
    rows, findings = frames.rows_of(frame, value, "rows", chosen=chosen)
    kind = type(first).__name__
    note = Finding(
        "input", f"rows: recognised {len(given):,} rows of type {kind}.", severity="note"
    )
    return Native(rows, [note, *findings], "rows", "row")


def _of_mapping(source: Mapping[Any, Any], value: str, chosen: Chosen | None) -> Native:
    if _is_columns(source, value, chosen):
        frame = frame_of_columns(source, "dictionary of columns")
        rows, findings = frames.rows_of(frame, value, "dictionary of columns", chosen=chosen)
        return Native(rows, findings, "dictionary of columns", "row")
    if source and all(map(is_list, islice(source.values(), 1))):
        return _of_lists(source, value)
    rows, unique = rows_from_mapping(source, "grade" if value == "grade" else "score", "dictionary")
    return Native(rows, [], "dictionary", "entry", unique)


def _is_columns(source: Mapping[Any, Any], value: str, chosen: Chosen | None) -> bool:
    """Return whether a dictionary is {column: values}."""
    names = (
        {str(name).strip().lower() for name in islice(source, 50)} if len(source) <= 50 else set()
    )
    wanted = {
        part: {*COLUMNS[part], str((chosen or {}).get(part)).lower()}
        for part in ("query", "document")
    }
    return (
        all(names & spellings for spellings in wanted.values())
        and len(names) > 2
        and all(
            is_list(values) and not isinstance(values, AbstractSet) for values in source.values()
        )
    )


def _of_lists(source: Mapping[Any, Any], value: str) -> Native:
    lists = []
    for query, documents in source.items():
        if not is_list(documents):
            raise FormatError(
                f"dictionary: query {query!r} holds a {type(documents).__name__}, but the first query a "
                "list; expected {query: [documents]}."
            )
        if value != "grade" and isinstance(documents, AbstractSet):
            raise FormatError(
                f"dictionary: query {query!r} holds a set, which has no order. Give a list of documents, "
                "best first, or {document: score}."
            )
        lists.append(
            sorted(documents, key=str) if isinstance(documents, AbstractSet) else documents
        )
    column = "expected_ids" if value == "grade" else "retrieved_ids"
    frame = frame_of_columns(
        {"query_id": [str(query) for query in source], column: lists}, "dictionary"
    )
    rows, findings = frames.rows_of(frame, value, "dictionary")
    what = "relevant documents" if value == "grade" else "documents, best first"
    note = Finding("input", f"dictionary: recognised {{query: [{what}]}}.", severity="note")
    if len(rows) == 0:
        raise FormatError(f"dictionary: no documents found; expected {{query: [{what}]}}.")
    return Native(
        rows, [note, *(f for f in findings if f.kind != "input")], "dictionary", "entry", True
    )
