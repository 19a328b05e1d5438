"""Parquet."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from tare.data.source import PathLike, name_of, read_all
from tare.errors import FormatError, OptionError, UnreadableError
from tare.writing import new_file

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
    try:
        return pl.read_parquet(os.fspath(source), glob=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        kind = UnreadableError if isinstance(error, OSError) else FormatError
        raise kind(f"{name_of(source)}: not a readable Parquet file: {error}") from error


def write(frame: pl.DataFrame, path: Path) -> None:
    """Writes the table, compressed."""
    if path.suffix.lower() not in SUFFIXES:
        raise OptionError(f"{path}: Parquet is compressed already; leave {path.suffix} out.")
    with new_file(path) as file:
        frame.write_parquet(file)
