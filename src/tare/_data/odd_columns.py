"""Odd columns of data frames: those that Arrow does not take, and types that are no ids or numbers."""

from __future__ import annotations

import decimal
import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tare.errors import FormatError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["HALF", "by_column", "is_half", "refuse_types"]

HALF = "holds a lone surrogate, which is no character. Was a text cut within an emoji?"


def is_half(text: str) -> bool:
    """Whether a text holds half of a character, which UTF-8 cannot write.

    >>> is_half("a"), is_half("a\\ud800")
    (False, True)
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def by_column(frame: Any) -> pl.DataFrame:
    """A polars frame of a narwhals one, column by column, as far as each can be understood.

    Numbers of any byte order become 64-bit numbers; numbers and texts in one column become texts, as
    ids of dictionaries do; a column of anything else holds objects, and is refused by who needs it.
    """
    import polars as pl

    return pl.DataFrame([_series(str(name), frame[name]) for name in frame.columns])


def _series(name: str, column: Any) -> pl.Series:
    import polars as pl

    array = np.asarray(column.to_numpy())
    if array.dtype.kind == "f":
        return pl.Series(name, array.astype(np.float64))
    if array.dtype.kind in "iu":
        return pl.Series(name, array.astype(array.dtype.newbyteorder("=")))
    values = [None if _missing(value) else value for value in column.to_list()]
    if all(value is None or isinstance(value, str) or _number(value) for value in values):
        for row, value in enumerate(values, 1):
            if isinstance(value, str) and is_half(value):
                raise FormatError(f"data frame, row {row}, column {name!r}: {value!r} {HALF}")
        texts = [None if value is None else str(value) for value in values]
        return pl.Series(name, texts, dtype=pl.String)
    try:
        return pl.Series(name, values)
    except Exception:  # nothing that polars has a type for
        return pl.Series(name, values, dtype=pl.Object)


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value) or str(value) == "<NA>"


def _number(value: Any) -> bool:
    return isinstance(value, numbers.Real | decimal.Decimal) and not isinstance(
        value, bool | np.bool_
    )


def refuse_types(
    frame: pl.DataFrame, ids: Sequence[str], number: str, name: str, value: str
) -> None:
    """Refuses columns whose type is no id (truths, times) or no number (spans of time, dates, lists)."""
    import polars as pl

    def is_id(kind: pl.DataType) -> bool:
        return kind.is_numeric() or kind in (
            pl.String, pl.Categorical, pl.Enum, pl.Binary, pl.Null,
        )  # fmt: skip

    def is_number(kind: pl.DataType) -> bool:
        return kind.is_numeric() or kind in (
            pl.String, pl.Categorical, pl.Enum, pl.Boolean, pl.Null,
        )  # fmt: skip

    if all(is_id(frame.schema[column]) for column in ids) and is_number(frame.schema[number]):
        return
    types = ", ".join(f"{column!r} {frame.schema[column]}" for column in (*ids, number))
    raise FormatError(
        f"{name}: the columns hold {types}; ids must be text or numbers, and the {value} a number."
    )
