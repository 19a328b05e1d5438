"""Parquet."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING

from tare._data.formats.guard import guarded
from tare._data.formats.trial import tried
from tare._data.source import PathLike, name_of, read_all, whole
from tare._writing import write_bytes
from tare.errors import FormatError, OptionError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SUFFIXES", "read", "write"]

SUFFIXES = (".parquet", ".pq")


def read(source: PathLike) -> pl.DataFrame:
    """The whole table."""
    import polars as pl

    elsewhere = "://" in os.fspath(source)  # an object store that polars knows
    if not elsewhere and not Path(source).is_file():
        read_all(source)  # says in the usual words that it is not there, or a folder
    if elsewhere:
        with guarded(name_of(source), "a readable Parquet file"):
            return pl.read_parquet(os.fspath(source), glob=False)
    data = whole(source)
    with guarded(name_of(source), "a readable Parquet file"):
        if wrong := tried(data):
            raise FormatError(f"{name_of(source)}: not a readable Parquet file: {wrong}.")
        return pl.read_parquet(data)


def write(frame: pl.DataFrame, path: Path) -> None:
    """Writes the table, compressed."""
    if path.suffix.lower() not in SUFFIXES:
        raise OptionError(f"{path}: Parquet is compressed already; leave {path.suffix} out.")
    buffer = io.BytesIO()  # polars tells of a full disk as of a damaged file
    frame.write_parquet(buffer)
    write_bytes(path, buffer.getvalue())
