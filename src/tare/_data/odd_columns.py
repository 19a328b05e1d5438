"""Unusual columns: those that Arrow does not support, and types that are neither ids nor numbers."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tare.errors import FormatError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["LONE_SURROGATE", "by_column", "has_lone_surrogate", "ids_of", "refuse_types", "text_of"]

LONE_SURROGATE = "contains a lone surrogate, which is not valid text. Was an emoji cut in half?"


def has_lone_surrogate(text: str) -> bool:
    """Return whether a text contains a lone surrogate, which UTF-8 cannot encode.

    >>> has_lone_surrogate("a"), has_lone_surrogate("a\\ud800")
    (False, True)
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def by_column(frame: Any) -> pl.DataFrame:
    """Convert a narwhals frame to polars column by column.

    Floats become 64-bit numbers, and NaN a missing value. Columns that mix numbers and strings become strings, like the keys
    of dictionaries. Other columns become objects, which are rejected if they are needed.
    """
    import polars as pl

    for name in frame.columns:
        if has_lone_surrogate(str(name)):
            raise FormatError(f"data frame: the column name {name!r} {LONE_SURROGATE}")
    return pl.DataFrame([_series(str(name), frame[name]) for name in frame.columns])


def _series(name: str, column: Any) -> pl.Series:
    import polars as pl

    array = np.asarray(column.to_numpy())
    if array.dtype.kind == "f":
        return pl.Series(name, array.astype(np.float64), nan_to_null=True)
    if array.dtype.kind in "mM":
        return pl.Series(name, array)
    if array.dtype.kind in "iu":
        return pl.Series(name, array.astype(array.dtype.newbyteorder("=")))
    values = [None if _missing(value) else value for value in column.to_list()]
    if all(value is None or isinstance(value, str) or _number(value) for value in values):
        for row, value in enumerate(values, 1):
            if isinstance(value, str) and has_lone_surrogate(value):
                raise FormatError(
                    f"data frame, row {row}, column {name!r}: {value!r} {LONE_SURROGATE}"
                )
        texts = [None if value is None else text_of(value) for value in values]
        return pl.Series(name, texts, dtype=pl.String)
    try:
        return pl.Series(name, values)
    except Exception:  # polars has no type for these values
        return pl.Series(name, values, dtype=pl.Object)


def text_of(value: Any) -> str:
    """Return a number or a text as text; a whole float, which a column with gaps holds, as an integer.

    >>> text_of(3.0), text_of("3.0"), text_of(2.5)
    ('3', '3.0', '2.5')
    """
    whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return str(int(value)) if whole and abs(value) < 2**53 else str(value)


def ids_of(column: pl.Series) -> pl.Series:
    """Return a column of ids as text. Floats that are all whole become integers; NaN is missing."""
    import polars as pl

    if column.dtype in (pl.Float32, pl.Float64):
        column = column.fill_nan(None)
        if bool(((column == column.round(0)) & (column.abs() < 2**53)).all()):
            column = column.cast(pl.Int64)
    return column.cast(pl.String)


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value) or str(value) == "<NA>"


def _number(value: Any) -> bool:
    from decimal import Decimal

    return isinstance(value, numbers.Real | Decimal) and not isinstance(value, bool | np.bool_)


def refuse_types(
    frame: pl.DataFrame, ids: Sequence[str], number: str, name: str, value: str
) -> None:
    """Raise an error if the type of a column is neither an id nor a number, such as a date or list."""
    import polars as pl

    def is_id(kind: pl.DataType) -> bool:
        return kind.is_numeric() or kind in (
            pl.String,
            pl.Categorical,
            pl.Enum,
            pl.Binary,
            pl.Null,
        )

    def is_number(kind: pl.DataType) -> bool:
        return kind.is_numeric() or kind in (
            pl.String,
            pl.Categorical,
            pl.Enum,
            pl.Boolean,
            pl.Null,
        )

    if all(is_id(frame.schema[column]) for column in ids) and is_number(frame.schema[number]):
        return
    types = ", ".join(f"{column!r} {frame.schema[column]}" for column in (*ids, number))
    raise FormatError(
        f"{name}: the columns hold {types}; ids must be text or numbers, and the {value} a number."
    )
