"""Separate judgements of several assessors: trec_eval's `prefs`, `qrels_prefs` and `qrels_jg` files.

A group has the judgements of one assessor, or of several who agree, for a query. In `prefs` files a
group has subgroups, and levels are compared only within a subgroup.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tare._data.findings import Finding, TableSource
from tare._data.qrels import Qrels
from tare._data.recognised_files import kind_of_text, refuse_other_kind
from tare._data.rows import numbered, text_rows
from tare._data.tables import is_frame, to_polars
from tare._files.opening import name_of, read_text
from tare._kernels import rows_from_dicts
from tare._kernels.ranking import HEAD
from tare.errors import FormatError, raise_all

__all__ = ["AssessorGroups", "Level", "read_assessor_groups", "twice"]

SHAPE = (
    "A line is 'query group document level' (qrels_prefs, qrels_jg) or 'query group subgroup "
    "document level' (prefs)."
)


@dataclass(frozen=True)
class Level:
    """The level that a group of assessors gave to a document; levels are compared within a subgroup."""

    group: str
    subgroup: str
    document: str
    level: float
    where: str = field(default="", compare=False)  # the line or row of the source


class AssessorGroups:
    """Levels by query and group of assessors. Made by `read_assessor_groups`.

    Attributes
    ----------
    name : str
        The source, as named in messages.
    items : tuple of str
        The queries.
    by_query : dict
        The levels of each query.
    findings : tuple of Finding
        Properties of the data that users should know.

    Examples
    --------
    >>> groups = read_assessor_groups([("q", "ann", "a", 1), ("q", "bob", "a", 0)])
    >>> groups.items
    ('q',)
    >>> [(level.group, level.document, level.level) for level in groups.by_query["q"]]
    [('ann', 'a', 1.0), ('bob', 'a', 0.0)]
    """

    def __init__(self, levels: Iterable[tuple[str, Level]], name: str) -> None:
        found: dict[str, list[Level]] = {}
        for query, level in levels:
            found.setdefault(query, []).append(level)
        if not found:
            raise FormatError(
                f"{name}: no judgements found; the source is empty or contains only comments."
            )
        self.name = name
        self.items = tuple(sorted(found, key=str.encode))
        self.by_query = {query: tuple(found[query]) for query in self.items}
        self.findings: tuple[Finding, ...] = ()

    def __len__(self) -> int:
        return sum(len(levels) for levels in self.by_query.values())

    @cached_property
    def document_names(self) -> dict[str, list[str]]:
        """The documents of each query, sorted; their index is their number."""
        return {
            query: sorted({level.document for level in levels}, key=str.encode)
            for query, levels in self.by_query.items()
        }

    @cached_property
    def documents(self) -> Qrels:
        """The documents and their numbers within each query."""
        numbered = (
            (query, {document: float(i) for i, document in enumerate(names)})
            for query, names in self.document_names.items()
        )
        return Qrels(rows_from_dicts(numbered), self.name, [])

    @cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits that identify the judgements, in any order."""
        import hashlib

        digest = hashlib.blake2b(digest_size=4)
        rows = sorted(
            (query, level.group, level.subgroup, level.document, level.level)
            for query, levels in self.by_query.items()
            for level in levels
        )
        for row in rows:
            digest.update("\0".join(map(str, row)).encode() + b"\n")
        return digest.hexdigest()

    def __repr__(self) -> str:
        return (
            f"AssessorGroups({self.name!r}: {len(self):,} judgements, {len(self.items):,} queries)"
        )


def read_assessor_groups(
    source: TableSource | AssessorGroups, width: int | None = None
) -> AssessorGroups:
    """Read separate judgements of several assessors.

    Parameters
    ----------
    source : path, data frame or rows
        Lines `query group document level` or `query group subgroup document level`, a data frame
        with the columns in this order, or rows. "-" is standard input.
    width : {4, 5}, optional
        The number of fields per line. The default is that of the first line.

    Returns
    -------
    AssessorGroups
        The levels by query and group.

    Raises
    ------
    FormatError
        If a line does not follow the format, or there is none.
    UnreadableError
        If the file cannot be read.

    Examples
    --------
    >>> read_assessor_groups([("q", "assessor1", "a", 1), ("q", "assessor2", "a", 0)])
    AssessorGroups('rows': 2 judgements, 1 queries)
    """
    if isinstance(source, AssessorGroups):
        return source
    if isinstance(source, str | os.PathLike):
        name = name_of(source)
        text = read_text(source)
        try:
            return _collected(_lines(text, name), name, width)
        except FormatError:
            refuse_other_kind(name, kind_of_text(text[:HEAD].encode()), "groups")
            raise
    if is_frame(source):
        rows = to_polars(source).iter_rows()
        return _collected(numbered(rows, SHAPE), "data frame", width)
    if isinstance(source, Iterable) and not isinstance(source, Mapping):
        return _collected(numbered(source, SHAPE), "rows", width)
    raise FormatError(
        f"judgements of several assessors cannot be read from a {type(source).__name__}. Accepted: "
        f"a path, a data frame, rows. {SHAPE}"
    )


def twice(name: str, query: str, level: Level) -> FormatError:
    """Return the error for a document that a group of assessors judged twice."""
    return FormatError(
        f"{name}, {level.where}: duplicate document {level.document!r} of query {query!r} in group "
        f"{level.group!r}. Remove one of the two."
    )


def _lines(text: str, name: str) -> Iterator[tuple[str, list[Any]]]:
    for number, fields in text_rows(text, name):
        yield f"line {number}", list(fields)


def _collected(
    rows: Iterable[tuple[str, list[Any]]], name: str, width: int | None
) -> AssessorGroups:
    levels: list[tuple[str, Level]] = []
    problems: list[str] = []
    for where, fields in rows:
        width = width or (len(fields) if len(fields) in (4, 5) else None)
        if len(fields) not in (4, 5) or len(fields) != width:
            expected = width or "4 or 5"
            problems.append(
                f"{name}, {where}: expected {expected} fields, found {len(fields)}. {SHAPE}"
            )
            continue
        level = _number(fields[-1])
        if level is None:
            problems.append(f"{name}, {where}: the level {fields[-1]!r} is not a finite number.")
            continue
        query, group, *subgroup, document = map(str, fields[:-1])
        levels.append((query, Level(group, "".join(subgroup), document, level, where)))
    raise_all(problems)
    return AssessorGroups(levels, name)


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if abs(number) < float("inf") else None
