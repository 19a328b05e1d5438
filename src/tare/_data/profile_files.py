"""Profiles from a file: the subtopics of each query that interest a kind of user.

profile query subtopic [subtopic …]      text, one line per profile and query
profile, query, subtopic                 columns of a table, one row per subtopic
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tare._data import frames
from tare._data.columns import recognise
from tare._data.formats import delimited, jsonl, parquet
from tare._data.text_rows import text_rows
from tare._files.opening import PathLike, name_of, plain_suffix, read_text
from tare.errors import FormatError, raise_all

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Profiles", "read_profiles"]

TABLES = {suffix: module for module in (delimited, jsonl, parquet) for suffix in module.SUFFIXES}
SHAPE = "A line of profiles is 'profile query subtopic [subtopic …]'."
Row = tuple[str, list[str]]


@dataclass(frozen=True)
class Profiles:
    """Subtopics by profile and query; a profile need not cover every query."""

    names: tuple[str, ...]
    wanted: dict[tuple[str, str], frozenset[str]] = field(repr=False)
    source: str = "profiles"

    def of(self, profile: str, query: str) -> frozenset[str]:
        """Return the subtopics of a query in a profile; empty if the profile lacks the query."""
        return self.wanted.get((profile, query), frozenset())

    def __len__(self) -> int:
        return len(self.names)


def read_profiles(source: Any) -> Profiles:
    """Read user profiles from a path, a data frame or {profile: {query: [subtopic, …]}}.

    >>> found = read_profiles({"student": {"51": ["1", "3"]}, "buyer": {"51": ["2"]}})
    >>> found.names, sorted(found.of("student", "51"))
    (('student', 'buyer'), ['1', '3'])
    """
    if isinstance(source, Profiles):
        return source
    if isinstance(source, str | os.PathLike):
        name = name_of(source)
        module = TABLES.get(plain_suffix(source))
        rows = _text_rows(source) if module is None else _frame_rows(module.read(source), name)
        return _collected(rows, name)
    if frames.is_frame(source):
        return _collected(_frame_rows(frames.to_polars(source), "data frame"), "data frame")
    if isinstance(source, Mapping):
        return _collected(_mapping_rows(source), "dictionary")
    raise FormatError(
        f"profiles cannot be read from a {type(source).__name__}. Accepted: a path, a data frame, "
        "{profile: {query: [subtopic, …]}}."
    )


def _text_rows(source: PathLike) -> Iterator[Row]:
    for number, fields in text_rows(read_text(source), name_of(source)):
        yield f"line {number}", fields


def _frame_rows(frame: pl.DataFrame, name: str) -> Iterator[Row]:
    parts = recognise(frame.columns, ["profile", "query", "subtopic"], name, frame=frame)
    for number, row in enumerate(frame.iter_rows(named=True), 1):
        cells = [row[parts[part]] for part in ("profile", "query", "subtopic")]
        yield f"row {number}", [str(cell) for cell in cells if cell is not None and str(cell)]


def _mapping_rows(source: Mapping[Any, Any]) -> Iterator[Row]:
    for profile, queries in source.items():
        where = f"profile {profile!r}"
        if not isinstance(queries, Mapping):
            raise FormatError(f"dictionary: {where} does not hold {{query: [subtopic, …]}}.")
        for query, subtopics in queries.items():
            if isinstance(subtopics, str) or not isinstance(subtopics, Iterable):
                raise FormatError(
                    f"dictionary: {where}, query {query!r}, holds {subtopics!r:.60}; a list of "
                    "subtopics is needed."
                )
            yield where, [str(profile), str(query), *map(str, subtopics)]


def _collected(rows: Iterable[Row], name: str) -> Profiles:
    wanted: dict[tuple[str, str], set[str]] = {}
    problems = []
    for where, fields in rows:
        if len(fields) < 3:
            problems.append(f"{name}, {where}: expected 3 fields, found {len(fields)}. {SHAPE}")
            continue
        profile, query, *subtopics = fields
        wanted.setdefault((profile, query), set()).update(subtopics)
    raise_all(problems)
    if not wanted:
        raise FormatError(f"{name}: no profiles found; the source is empty. {SHAPE}")
    names = tuple(dict.fromkeys(profile for profile, _ in wanted))
    return Profiles(names, {key: frozenset(found) for key, found in wanted.items()}, name)
