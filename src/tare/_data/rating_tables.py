"""Tables of ratings, long or wide, with or without a header, as rows of unit, coder and value."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tare._data.columns import COLUMNS
from tare._data.file_kinds import QRELS, kind_of_columns, refuse_other_kind
from tare._data.findings import Finding, listed
from tare._data.text_rows import fields_of
from tare._files.opening import PathLike, name_of, plain_suffix, read_text
from tare._plain_text import lines_of
from tare._tables.delimited import unmarked
from tare.errors import FormatError, TareError

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "PREFERENCES",
    "RatingRows",
    "cells_of",
    "first_seen",
    "is_missing",
    "is_preferences",
    "number_of",
    "rows_of_cells",
    "rows_of_frame",
]

SPELLINGS = {
    "unit": ("unit", "item", "id", "unit_id", "item_id", "document", "doc_id", "summary"),
    "coder": ("coder", "assessor", "annotator", "rater", "judge", "worker", "worker_id", "user"),
    "value": ("value", "rating", "label", "score", "grade", "answer", "category", "judgement"),
}
PREFERENCES = (
    "holds preferences, not ratings. `tare judge export STUDY.db --what ratings -o ratings.csv` writes the answers "
    "of a study as ratings. For other preferences, make a table with unit (the query and the pair), coder (the "
    "assessor) and value (the winner)."
)
MISSING = frozenset(("", "*", ".", "na", "nan", "null", "none", "n/a"))


class RatingRows(NamedTuple):
    """(unit, coder, value) triples, attributes of the units, and findings."""

    rows: Sequence[tuple[Any, Any, Any]]
    attributes: Mapping[str, Mapping[str, Any]] = {}
    findings: Sequence[Finding] = ()


def cells_of(source: PathLike) -> list[list[str]]:
    """Read the cells of a CSV or TSV file."""
    text = read_text(source)
    separator = "\t" if plain_suffix(source) == ".tsv" else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        return [[unmarked(cell) for cell in row] for row in reader if row]
    except csv.Error as error:
        raise FormatError(
            f"{name_of(source)}, line {reader.line_num}: not a readable table ({error})."
        ) from None


def rows_of_cells(rows: list[list[str]], name: str, coders: str) -> RatingRows:
    """Return the ratings of a table of cells, with or without a header."""
    if not rows:
        raise FormatError(f"{name} is empty. Ratings are unit, coder, value, or a matrix.")
    widths = {len(row) for row in rows}
    if len(widths) > 1:
        wrong = next(k for k, row in enumerate(rows) if len(row) != len(rows[0]))
        raise FormatError(
            f"{name}, line {wrong + 1}: expected {len(rows[0])} cells as in line 1, "
            f"found {len(rows[wrong])}."
        )
    headed = any(not is_missing(cell) and number_of(cell) is None for cell in rows[0])
    body_numeric = all(is_missing(c) or number_of(c) is not None for row in rows[1:] for c in row)
    recognised = _recognise(rows[0])
    if recognised is None:
        refuse_preferences(rows[0], name)
        refuse_other_kind(name, _clear_kind(rows[0]), "ratings")
    if recognised is not None or (headed and (body_numeric or coders == "columns")) or _named(rows):
        import polars as pl

        header, body = rows[0], rows[1:]
        if len(set(header)) != len(header):
            twice = next(x for x in header if header.count(x) > 1)
            raise FormatError(f"{name}: duplicate column {twice!r}.")
        columns = {h: [row[k] for row in body] for k, h in enumerate(header)}
        return rows_of_frame(
            pl.DataFrame(columns, schema=dict.fromkeys(header, pl.String)), name, coders
        )
    by_rows = coders != "columns"
    return RatingRows(
        [
            (f"u{c + 1}", f"c{r + 1}", cell) if by_rows else (f"u{r + 1}", f"c{c + 1}", cell)
            for r, row in enumerate(rows)
            for c, cell in enumerate(row)
        ]
    )


def _clear_kind(columns: Sequence[str]) -> str | None:
    """Return what a table is by its columns; judgements can also be ratings."""
    kind = kind_of_columns(columns)
    return None if kind == QRELS else kind


def _named(rows: list[list[str]]) -> bool:
    """Return whether the first row has the names of coders: none of its cells is a value below."""
    first = {c.strip() for c in rows[0] if not is_missing(c)}
    below = {c.strip() for row in rows[1:] for c in row}
    words = all(number_of(c) is None for c in first)
    return bool(below) and words and not first & below


def _recognise(header: Sequence[str]) -> dict[str, str] | None:
    lowered = {h.strip().lower(): h for h in reversed(list(header))}
    found = {}
    for part, spellings in SPELLINGS.items():
        column = next((lowered[s] for s in spellings if s in lowered), None)
        if column is None:
            return None
        found[part] = column
    return found


def refuse_preferences(columns: Sequence[str], name: str) -> None:
    """Raise if a table holds preferences, which are not ratings."""
    lowered = {column.strip().lower() for column in columns}
    if all(lowered & set(COLUMNS[part]) for part in ("left", "right", "preferred")):
        raise FormatError(f"{name} {PREFERENCES}")


def is_preferences(source: PathLike) -> bool:
    """Return whether a text begins with a line 'query document document winner'."""
    try:
        text = read_text(source)
    except TareError:  # such as a spreadsheet; the caller says which formats are read
        return False
    for line in lines_of(text):
        fields = fields_of(line)
        if fields and not fields[0].startswith("#"):
            return len(fields) >= 4 and fields[3] in (*fields[1:3], "left", "right", "equal")
    return False


def rows_of_frame(frame: pl.DataFrame, name: str, coders: str) -> RatingRows:
    """Return the ratings of a long or wide table."""
    parts = _recognise(frame.columns)
    if parts is None:
        refuse_preferences(frame.columns, name)
        refuse_other_kind(name, _clear_kind(frame.columns), "ratings")
    if parts is None:
        return _wide(frame, name, coders)
    columns = [frame[parts[p]].to_list() for p in ("unit", "coder", "value")]
    for part, column in zip(("unit", "coder"), columns, strict=False):
        gap = next((k for k, x in enumerate(column) if x is None or str(x).strip() == ""), None)
        if gap is not None:
            raise FormatError(f"{name}, row {gap + 1}: the {part} is missing.")
    findings, attributes = [], {}
    for column_name in frame.columns:
        if column_name in parts.values():
            continue
        of_unit: dict[str, Any] = {}
        same = True
        for unit, value in zip(columns[0], frame[column_name].to_list(), strict=True):
            same &= of_unit.setdefault(str(unit), value) == value
        if same:
            attributes[column_name] = of_unit
        else:
            findings.append(
                Finding(
                    "column left out",
                    f"{name}: the column {column_name!r} differs within units and was left out",
                    severity="note",
                )
            )
    return RatingRows(list(zip(*columns, strict=True)), attributes, findings)


def _wide(frame: pl.DataFrame, name: str, coders: str) -> RatingRows:
    """Read one row per unit and one column per coder, or the reverse; the first column may be ids."""
    columns = frame.columns
    if not columns:
        raise FormatError(f"{name}: no ratings found; the table has no columns.")
    first = frame[columns[0]].to_list()
    ids = [str(x) for x in first]
    known = columns[0].strip().lower() in (*SPELLINGS["unit"], *SPELLINGS["coder"], "")
    words = any(not is_missing(x) and number_of(x) is None for x in first)
    others = [next((x for x in frame[c].to_list() if not is_missing(x)), None) for c in columns[1:]]
    numbers = any(number_of(x) is not None for x in others)
    has_ids = len(columns) > 1 and (known or (words and numbers))
    if not has_ids:
        ids = [f"u{k + 1}" for k in range(frame.height)]
    elif len(set(ids)) != len(ids):
        twice = [x for x in dict.fromkeys(ids) if ids.count(x) > 1]
        raise FormatError(
            f"{name}: duplicate {', '.join(listed(twice))} in the column {columns[0]!r}. "
            "Give repeated judgements as a long table: unit, coder, value."
        )
    wide = columns[1:] if has_ids else columns
    flipped = coders == "rows"
    return RatingRows(
        [
            (column, row, value) if flipped else (row, column, value)
            for column in wide
            for row, value in zip(ids, frame[column].to_list(), strict=True)
        ]
    )


def first_seen(places: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct numbers in order of appearance, and the index of each number among them."""
    first = np.full(places.max() + 1, len(places))
    np.minimum.at(first, places, np.arange(len(places)))
    order = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(places))]
    rank = np.empty_like(first)
    rank[order] = np.arange(len(order))
    return order, rank[places]


def is_missing(value: Any) -> bool:
    """Return whether a cell is a missing value."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return True
    return isinstance(value, str) and value.strip().lower() in MISSING


def number_of(value: Any) -> float | None:
    """Return the finite number in a cell, or None."""
    if isinstance(value, bool):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if np.isfinite(number) else None
