"""Records: the rows of a file, a data frame or a list, each with its place for messages."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from tare._data import frames
from tare._data.formats import delimited, jsonl, parquet
from tare._data.inputs import Frame
from tare._data.odd_columns import LONE_SURROGATE, has_lone_surrogate
from tare._files.opening import STDIN, PathLike, name_of, plain_suffix, read_all
from tare.errors import FormatError, raise_all

__all__ = ["AnswerSource", "Record", "list_cell", "records_of"]

AnswerSource: TypeAlias = "PathLike | Frame | Mapping[str, Any] | Iterable[Any]"
"""A path, a data frame, one object, a list of objects, or a list of these."""


class Record(NamedTuple):
    """One row with its place, such as "a.jsonl, line 3"."""

    where: str
    row: Mapping[str, Any]


def records_of(source: AnswerSource, what: str) -> tuple[str, list[Record]]:
    """Return the name of a source and its rows; the keys of rows are in lower case."""
    if isinstance(source, str | os.PathLike):
        name = name_of(source)
        return name, _of_file(source, name, what)
    if frames.is_frame(source):
        frame = frames.to_polars(source)
        return "data frame", _numbered(frame.iter_rows(named=True), "data frame", 1)
    if isinstance(source, Mapping):
        return "object", _numbered([source], "object", 1)
    if isinstance(source, Iterable):
        parts = list(source)
        if all(isinstance(part, Mapping) for part in parts):
            return "list", _numbered(parts, "list", 1)
        if all(isinstance(part, str | os.PathLike) or frames.is_frame(part) for part in parts):
            read = [records_of(part, what) for part in parts]
            return ", ".join(n for n, _ in read), [r for _, rows in read for r in rows]
        odd = next(part for part in parts if not isinstance(part, Mapping))
        raise FormatError(f"list: {what} are objects; found a {type(odd).__name__}.")
    raise FormatError(
        f"{what} cannot be read from a {type(source).__name__}. Accepted: a path, a data frame or a list "
        "of objects."
    )


def _of_file(source: PathLike, name: str, what: str) -> list[Record]:
    suffix = plain_suffix(source)
    if suffix in jsonl.SUFFIXES or os.fspath(source) == STDIN:
        data = read_all(source)
        if not data.strip():
            raise FormatError(f"{name} is empty. A JSON-lines file has one object per line.")
        return _numbered(jsonl.objects(data, name, "qid"), name, 1)
    if suffix in delimited.SUFFIXES:
        return _numbered(delimited.read(source, marks=False).iter_rows(named=True), name, 2)
    if suffix in parquet.SUFFIXES:
        return _numbered(parquet.read(source).iter_rows(named=True), name, 1)
    raise FormatError(f"{name}: {what} are read from .jsonl, .csv, .tsv or .parquet files.")


def _numbered(rows: Iterable[Mapping[Any, Any]], name: str, first: int) -> list[Record]:
    problems: list[str] = []
    made = []
    for number, row in enumerate(rows, first):
        where = f"{name}, row {number}"
        if _has_surrogate(row):
            problems.append(f"{where}: a text {LONE_SURROGATE}")
            continue
        made.append(
            Record(where, {str(key).strip().lower(): row[key] for key in reversed(list(row))})
        )
    raise_all(problems)
    return made


def _has_surrogate(row: Mapping[Any, Any]) -> bool:
    return any(isinstance(value, str) and has_lone_surrogate(value) for value in row.values())


def list_cell(value: Any, what: str) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a nested list, which a table without lists holds as JSON text."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise ValueError(f"{what} are a list of objects; found {value!r:.60}") from None
    if not isinstance(value, list | tuple):
        raise ValueError(f"{what} are a list of objects; found {value!r:.60}")
    for part in value:
        if not isinstance(part, Mapping):
            raise ValueError(f"{what} are a list of objects; found {part!r:.60} in it")
        if _has_surrogate(part):
            raise ValueError(f"a text in {what} {LONE_SURROGATE}")
        yield {str(key).strip().lower(): part[key] for key in reversed(list(part))}
