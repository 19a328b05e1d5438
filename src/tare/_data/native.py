"""Qrels and runs given as Python objects: what they are is recognised, and reported as a finding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tare._data import frames
from tare._data.columns import COLUMNS, Chosen
from tare._data.findings import Finding
from tare._data.list_columns import holds_both
from tare._data.records import frame_of_columns, frame_of_records, is_list, is_record
from tare._data.rows import rows_from_mapping
from tare._kernels import Rows
from tare.errors import FormatError

__all__ = ["Native", "both_of", "is_ranking", "is_record", "read_native"]

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
