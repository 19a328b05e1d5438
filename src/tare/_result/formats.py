"""Rows of results as data frames, plain JSON values and files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tare._files.writing import new_file, write_text

if TYPE_CHECKING:
    import polars as pl

__all__ = ["file_name", "frame_of", "json_value", "write_frame"]


def frame_of(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Return rows as a data frame with all keys, in the order of their first appearance."""
    import polars as pl

    keys = list(dict.fromkeys(key for row in rows for key in row))
    filled = [{key: row.get(key) for key in keys} for row in rows]
    return pl.DataFrame(filled, infer_schema_length=None)


def write_frame(frame: pl.DataFrame, path: Path) -> None:
    """Write a data frame in the format of the suffix; spreadsheets must not run its cells."""
    from tare._data.formats.spreadsheet import marked_frame

    if path.suffix.lower() == ".parquet":
        with new_file(path) as file:
            frame.write_parquet(file)
    else:
        separator = "\t" if path.suffix.lower() == ".tsv" else ","
        write_text(path, marked_frame(_with_flat_cells(frame)).write_csv(separator=separator))


def _with_flat_cells(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with lists and dictionaries as JSON text, which CSV can hold."""
    import polars as pl

    nested = [column for column in frame if column.dtype.is_nested()]
    return frame.with_columns(
        pl.Series(column.name, [None if cell is None else _json(cell) for cell in column.to_list()])
        for column in nested
    )


def _json(cell: object) -> str:
    return json.dumps(json_value(cell), ensure_ascii=False)


def file_name(name: str) -> str:
    """Return a table's name as a file name; names of attributes come from the user's data.

    >>> file_name("a/b: power")
    'a-b- power'
    """
    return re.sub(r"[^\w .()=+-]+", "-", name)


def json_value(value: Any) -> Any:
    """Return a value as JSON has it; numbers that are not finite become None.

    >>> json_value({"a": (1.0, float("nan"))})
    {'a': [1.0, None]}
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return float(value) if abs(value) < float("inf") else None
    if isinstance(value, Mapping):
        return {str(key): json_value(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [json_value(part) for part in value]
    if hasattr(value, "tolist"):  # arrays and scalars of numpy
        return json_value(value.tolist())
    return str(value)  # measures, signatures, findings
