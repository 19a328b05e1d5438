"""Preferences: which of two documents an assessor prefers, perhaps after reading others."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tare._data import frames
from tare._data.columns import COLUMNS, recognise
from tare._data.file_kinds import kind_of_text, refuse_other_kind, told_apart
from tare._data.findings import Finding
from tare._data.formats import delimited, jsonl, parquet
from tare._data.inputs import Table
from tare._data.preference_checks import check_preferences
from tare._data.qrels import Qrels, read_qrels
from tare._data.text_rows import fields_of, numbered, refuse_unwritable, text_rows
from tare._data.utilities import QueryUtilities, Utilities, count
from tare._files.addresses import as_path
from tare._files.opening import name_of, plain_suffix, read_text, write_all
from tare._kernels.ranking import HEAD
from tare.errors import FormatError, raise_all

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Judgement", "Preferences", "counted", "read_preferences"]

TABLES = {suffix: module for module in (delimited, jsonl, parquet) for suffix in module.SUFFIXES}
EQUAL = ("equal", "tie", "tied", "=", "both", "none")
SHAPE = "A line of preferences is 'query document document winner [assessor [given …]]'."


@dataclass(frozen=True)
class Judgement:
    """One judgement; `preferred` is the left or the right document, or None for a tie."""

    query: str
    left: str
    right: str
    preferred: str | None
    assessor: str = ""
    given: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """The win of the left document: 1, 0, or 0.5 for a tie."""
        return 0.5 if self.preferred is None else float(self.preferred == self.left)


class Preferences:
    """Preference judgements of any number of assessors. Made by `read_preferences`.

    Every judgement counts; disagreement between assessors is not resolved by a vote.

    Attributes
    ----------
    judgements : tuple of Judgement
        All judgements.
    items : tuple of str
        The queries.
    name : str
        The source, as named in messages.
    findings : tuple of Finding
        Properties of the data that users should know.

    Examples
    --------
    >>> preferences = read_preferences([("q", "a", "b", "a")])
    >>> preferences.to_qrels().to_dict()
    {'q': {'a': 1.0, 'b': 0.0}}
    """

    def __init__(self, judgements: Iterable[Judgement], name: str, findings: list[Finding]) -> None:
        self.judgements = tuple(judgements)
        self.name = name
        if not self.judgements:
            raise FormatError(f"{name}: no preferences found; the source is empty.")
        self.items = tuple(sorted({j.query for j in self.judgements}, key=str.encode))
        self.findings = (*findings, *check_preferences(self))

    def __len__(self) -> int:
        return len(self.judgements)

    @cached_property
    def by_query(self) -> dict[str, list[Judgement]]:
        """The judgements of each query."""
        found: dict[str, list[Judgement]] = {query: [] for query in self.items}
        for judgement in self.judgements:
            found[judgement.query].append(judgement)
        return found

    @cached_property
    def utilities(self) -> Utilities:
        """The utilities U(d) and U(d | g)."""
        return Utilities.of(
            ((query, counted(judgements)) for query, judgements in self.by_query.items()),
            self.name,
        )

    @property
    def documents(self) -> Qrels:
        """The documents and their index within each query."""
        return self.utilities.documents

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits that identify the utilities."""
        return self.utilities.digest

    def to_qrels(self) -> Qrels:
        """Return qrels with U(d) as grades, for measures of graded judgements such as Compat.

        Returns
        -------
        Qrels
            One judgement per document that was shown.
        """
        return read_qrels(
            {
                query: {
                    d: float(u)
                    for d, u in zip(part.documents, part.estimated, strict=True)
                    if u == u
                }
                for query, part in zip(self.items, self.utilities.by_query, strict=True)
            }
        )

    def to_frame(self) -> pl.DataFrame:
        """Return a polars frame with one row per judgement; ids in `given` are separated by spaces."""
        import polars as pl

        rows = [
            (j.query, " ".join(j.given), j.left, j.right, j.preferred or "equal", j.assessor)
            for j in self.judgements
        ]
        names = ["query", "given", "left", "right", "preferred", "assessor"]
        return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the judgements to a file.

        Parameters
        ----------
        path : path-like
            The suffix selects the format: .jsonl, .csv, .tsv or .parquet; others are text with lines
            `query document document winner [assessor [given …]]`.
        """
        path = as_path(path)
        module = TABLES.get(path.suffix.lower())
        if module is not None:
            module.write(self.to_frame(), path)
            return
        lines = []
        for j in self.judgements:
            fields = [j.query, j.left, j.right, j.preferred or "equal"]
            if j.assessor or j.given:
                fields += [j.assessor or "-", *j.given]
            for k, each in enumerate(fields):
                refuse_unwritable(each, "text", first=k == 0)
            lines.append(" ".join(fields) + "\n")
        write_all(path, "".join(lines).encode())

    def __repr__(self) -> str:
        conditional = sum(bool(j.given) for j in self.judgements)
        return (
            f"Preferences({self.name!r}: {len(self) - conditional:,} simple and {conditional:,} "
            f"conditional judgements, {len(self.items):,} queries)"
        )


def counted(judgements: Iterable[Judgement]) -> QueryUtilities:
    """Return the utilities of the documents of one query."""
    judgements = list(judgements)
    documents = sorted({d for j in judgements for d in (j.left, j.right, *j.given)}, key=str.encode)
    place = {d: i for i, d in enumerate(documents)}
    return count(
        documents,
        (
            (tuple(place[g] for g in j.given), place[j.left], place[j.right], j.share)
            for j in judgements
        ),
    )


def read_preferences(source: Table | Preferences) -> Preferences:
    """Read preference judgements.

    Parameters
    ----------
    source : path, data frame or rows
        A file (lines `query document document winner [assessor [given …]]`, .jsonl, .csv, .tsv,
        .parquet; text also as .gz or .zst; "-" is standard input), a data frame, or rows
        (query, left, right, preferred[, assessor[, given]]). The winner is one of the two ids,
        `left`, `right` or `equal`. Ids in the column `given` are separated by spaces.

    Returns
    -------
    Preferences
        The judgements.

    Raises
    ------
    FormatError
        If a line, a column or a value does not follow the format.
    UnreadableError
        If the file cannot be read.

    Examples
    --------
    >>> read_preferences([("q", "a", "b", "a"), ("q", "b", "c", "equal")])
    Preferences('rows': 2 simple and 0 conditional judgements, 1 queries)
    """
    if isinstance(source, Preferences):
        return source
    if isinstance(source, str | os.PathLike):
        name = name_of(source)
        module = TABLES.get(plain_suffix(source))
        if module is not None:
            return _collected(_frame_rows(module.read(source), name), name)
        text = read_text(source)
        try:
            return _collected(_text_rows(text, name), name)
        except FormatError:
            refuse_other_kind(name, kind_of_text(text[:HEAD].encode()), "preferences")
            raise
    if frames.is_frame(source):
        return _collected(_frame_rows(frames.to_polars(source), "data frame"), "data frame")
    if isinstance(source, Iterable) and not isinstance(source, Mapping):
        return _collected(numbered(source, SHAPE), "rows")
    raise FormatError(
        f"preferences cannot be read from a {type(source).__name__}. Accepted: a path, a data "
        "frame, rows (query, left, right, preferred)."
    )


def _text_rows(text: str, name: str) -> Iterator[tuple[str, list[Any]]]:
    for number, fields in text_rows(text, name):
        assessor = fields[4] if len(fields) > 4 and fields[4] != "-" else ""
        yield f"line {number}", [*fields[:4], assessor, fields[5:]]


def _frame_rows(frame: pl.DataFrame, name: str) -> Iterator[tuple[str, list[Any]]]:
    with told_apart(name, frame.columns, "preferences"):
        wanted = ["query", "left", "right", "preferred"]
        parts = recognise(frame.columns, wanted, name, frame=frame)
    lowered = {c.lower(): c for c in frame.columns}
    more = [
        next((lowered[s] for s in COLUMNS[part] if s in lowered), None)
        for part in ("assessor", "given")
    ]
    for i, row in enumerate(frame.iter_rows(named=True), 1):
        extra = [row[c] if c is not None else None for c in more]
        yield f"row {i}", [*(row[parts[p]] for p in parts), extra[0] or "", extra[1] or ()]


def _collected(rows: Iterable[tuple[str, list[Any]]], name: str) -> Preferences:
    judgements, problems = [], []
    for where, fields in rows:
        try:
            judgements.append(_judgement(fields))
        except ValueError as error:
            problems.append(f"{name}, {where}: {error}")
    raise_all(problems)
    return Preferences(judgements, name, [])


def _judgement(fields: list[Any]) -> Judgement:
    known = [f for f in fields[:4] if f is not None and str(f).strip()]
    if len(known) < 4:
        raise ValueError(f"expected 4 fields, found {len(known)}. {SHAPE}")
    query, left, right, winner = (str(f).strip(" \t") for f in fields[:4])
    assessor = str(fields[4] or "") if len(fields) > 4 else ""
    given = fields[5] if len(fields) > 5 else ()
    if not isinstance(given, str | list | tuple):
        raise ValueError(f"given holds {given!r:.60}; accepted: ids separated by spaces.")
    given = tuple(fields_of(given) if isinstance(given, str) else map(str, given or ()))
    if left == right:
        raise ValueError(f"document {left!r} is compared with itself.")
    if left in given or right in given:
        raise ValueError("a given document cannot be one of the two compared documents.")
    preferred = {"left": left, "right": right}.get(winner.lower(), winner)
    if winner.lower() in EQUAL and winner not in (left, right):
        return Judgement(query, left, right, None, assessor, given)
    if preferred not in (left, right):
        raise ValueError(
            f"the winner {winner!r} is neither {left!r} nor {right!r}. Accepted: these two, left, "
            "right and equal."
        )
    return Judgement(query, left, right, preferred, assessor, given)
