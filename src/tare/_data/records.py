"""Rows given as Python objects: (named) tuples, dictionaries, and objects with fields."""

from __future__ import annotations

import decimal
import numbers
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

import numpy as np

from tare._data.columns import COLUMNS, Chosen
from tare._data.list_columns import EXPECTED, IDS, RETRIEVED, TEXTS
from tare._data.odd_columns import LONE_SURROGATE, has_lone_surrogate, text_of
from tare.errors import FormatError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["frame_of_columns", "frame_of_records", "is_list", "is_record"]

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
