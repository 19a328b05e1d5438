"""Data frames as predictions, references or sources."""

from __future__ import annotations

from typing import Any

from tare._data import frames
from tare._data.columns import COLUMNS, recognise
from tare.errors import MismatchError

__all__ = ["columns_of", "is_table", "systems_of_frame"]


def is_table(texts: object) -> bool:
    """Return whether texts are a data frame; a series is a list."""
    return hasattr(type(texts), "columns") and frames.is_frame(texts)


def columns_of(what: str, frame: Any, part: str) -> tuple[dict[str, Any], bool]:
    """Return {item: text} from a frame, and whether it has a column of items."""
    table = frames.to_polars(frame)
    column = _column(what, table.columns, part)
    items = _optional(table.columns, "item", column)
    if items is None:
        return {str(k): text for k, text in enumerate(table[column].to_list(), 1)}, False
    found: dict[str, Any] = {}
    for item, text in zip(table[items].to_list(), table[column].to_list(), strict=True):
        if str(item) in found:
            raise MismatchError(
                f"{what}: duplicate item {str(item)!r} in the column {items!r}; expected one row per item."
            )
        found[str(item)] = text
    return found, True


def systems_of_frame(frame: Any, system: str) -> dict[str, Any]:
    """Return {system: its rows} of a frame; one system if no column names it."""
    table = frames.to_polars(frame)
    column = _column("predictions", table.columns, "text")
    named = _optional(table.columns, "system", column)
    if named is None:
        return {system: table}
    parts = table.partition_by(named, maintain_order=True)
    return {str(part[named][0]): part.drop(named) for part in parts}


def _column(what: str, columns: list[str], part: str) -> str:
    """Return the column of the texts; a frame of references may call it text."""
    lowered = {column.strip().lower() for column in columns}
    known = part if part == "text" or lowered & set(COLUMNS[part]) else "text"
    return recognise(columns, [known], f"{what} (a data frame)")[known]


def _optional(columns: list[str], part: str, taken: str) -> str | None:
    lowered = {column.strip().lower(): column for column in reversed(columns) if column != taken}
    return next((lowered[name] for name in COLUMNS[part] if name in lowered), None)
