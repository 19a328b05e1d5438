"""Rows of summaries from tables and objects, with checks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tare._data.columns import COLUMNS, recognise
from tare._data.findings import Finding, listed
from tare._data.formats import delimited, jsonl, parquet
from tare._data.odd_columns import LONE_SURROGATE
from tare._data.summary_references import Text, authors_of, group_of, references_of, text_of
from tare._files.opening import STDIN, PathLike, name_of, plain_suffix, read_all
from tare.errors import FormatError, raise_all

if TYPE_CHECKING:
    import polars as pl

    from tare._data.scus import Scus

__all__ = [
    "TABLES",
    "Row",
    "Text",
    "checked",
    "rows_of_frame",
    "rows_of_objects",
    "rows_of_table",
]

TABLES = (*jsonl.SUFFIXES, *delimited.SUFFIXES, *parquet.SUFFIXES)
NUMBERED = re.compile(r"(?:reference|ref|target)s?[ _-]?\d+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Row:
    """The text of one system for one item."""

    system: str
    item: str
    text: Text
    references: tuple[Text, ...]
    source: Text | None = None
    base: tuple[Text, ...] = ()
    scus: Scus | None = None
    authors: tuple[str, ...] = ()


def rows_of_table(source: PathLike, system: str | None) -> tuple[list[Row], list[Finding]]:
    """Read the rows of a table file."""
    name = name_of(source)
    fallback = system or Path(name).name.split(".")[0]
    suffix = plain_suffix(source)
    if suffix in jsonl.SUFFIXES or name == name_of(STDIN):
        data = read_all(source)
        if not data.strip():
            raise FormatError(f"{name} is empty. A JSON-lines file has one object per line.")
        return rows_of_objects(jsonl.objects(data, name, "text"), fallback, name)
    if suffix in delimited.SUFFIXES:
        return rows_of_frame(delimited.read(source, marks=False), fallback, name)
    if suffix in parquet.SUFFIXES:
        return rows_of_frame(parquet.read(source), fallback, name)
    raise FormatError(
        f"{name}: a table of summaries is .jsonl, .csv, .tsv or .parquet. For text files with one "
        "summary per line, also give the files of the references."
    )


def rows_of_frame(
    frame: pl.DataFrame, system: str | None, name: str
) -> tuple[list[Row], list[Finding]]:
    """Return the rows of a frame with recognised columns."""
    return rows_of_objects(frame.iter_rows(named=True), system, name)


def rows_of_objects(
    objects: Iterable[Any], system: str | None, name: str
) -> tuple[list[Row], list[Finding]]:
    """Return the rows of dictionaries with recognised keys; one error lists all problems.

    A row without an item has the number of the text among those of its system.
    """
    rows: list[Row] = []
    problems: list[str] = []
    parts: dict[str, str] = {}
    numbered: list[str] = []
    counts: dict[str, int] = {}
    keys: tuple[str, ...] | None = None
    for number, row in enumerate(objects, 1):
        if not isinstance(row, Mapping):
            problems.append(f"{name}, row {number}: expected columns, found {type(row).__name__}.")
            continue
        if keys != tuple(row):
            keys = tuple(row)
            numbered = [key for key in keys if NUMBERED.fullmatch(str(key))]
            parts = _recognised(keys, name)
        try:
            by = str(row[parts["system"]]) if "system" in parts else system or "system"
            counts[by] = counts.get(by, 0) + 1
            item = row[parts["item"]] if "item" in parts else counts[by]
            given = row[parts["references"]] if "references" in parts else None
            references, authors = references_of(given)
            for key in numbered:
                references += group_of(row[key])
            if "authors" in parts:
                authors = authors_of(row[parts["authors"]], references)
            about = text_of(row[parts["source"]]) if row.get(parts.get("source")) else None
            base = group_of(row[parts["base"]]) if "base" in parts else ()
            units = row.get(parts.get("scus"))
            scus = _scus(units, by, str(item), len(references)) if units else None
            text = text_of(row[parts["text"]])
            rows.append(Row(by, str(item), text, references, about, base, scus, authors))
        except (TypeError, ValueError) as error:
            problems.append(f"{name}, row {number}: {error}")
    raise_all(problems)
    recognised = ", ".join(f"{part} = {column!r}" for part, column in parts.items())
    note = Finding("columns", f"{name}: columns recognised: {recognised}.", severity="note")
    return rows, [note]


def checked(rows: list[Row], name: str) -> list[Finding]:
    """Raise an error for rows that cannot be scored; return findings about empty ones."""
    if not rows:
        raise FormatError(f"{name}: no summaries found.")
    problems: list[str] = []
    seen: set[tuple[str, str]] = set()
    for row in rows:
        known = len(seen)
        seen.add((row.system, row.item))
        if len(seen) == known:
            problems.append(
                f"{name}: duplicate item {row.item!r} of system {row.system!r}. "
                "A system has one text per item; remove one of the rows."
            )
        for text in (row.system, row.item, row.text, *row.references, row.source or "", *row.base):
            if not all(_is_text(part) for part in ([text] if isinstance(text, str) else text)):
                problems.append(f"{name}: a text or id of item {row.item!r} {LONE_SURROGATE}")
                break
    raise_all(problems)
    findings = []
    for what, some, outcome in (
        ("empty texts", [r for r in rows if not _has_words(r.text)], "score 0 or have no value"),
        ("no references", [r for r in rows if not r.references], "have no value"),
    ):
        if some:
            message = f"{name}: {len(some):,} rows have {what}; they {outcome}."
            names = [f"{row.system} {row.item}" for row in some[:6]]
            findings.append(Finding(what, message, len(some), examples=listed(names)))
    return findings


def _recognised(keys: tuple[str, ...], name: str) -> dict[str, str]:
    parts = recognise(keys, ["text"], name)
    lowered = {str(key).strip().lower(): key for key in reversed(keys)}
    for part in ("references", "system", "item", "source", "authors", "base", "scus"):
        for spelling in COLUMNS[part]:
            if spelling in lowered and lowered[spelling] not in parts.values():
                parts[part] = lowered[spelling]
                break
    return parts


def _scus(units: Any, system: str, item: str, references: int) -> Scus:
    from tare._data.scus import scus_of_objects

    return scus_of_objects(units, system, item, references)


def _is_text(part: str) -> bool:
    if part.isascii():
        return True
    try:
        part.encode()
    except UnicodeEncodeError:
        return False
    return True


def _has_words(text: Text) -> bool:
    """Return whether a text contains more than white space."""
    return any(part.strip() for part in ([text] if isinstance(text, str) else text))
