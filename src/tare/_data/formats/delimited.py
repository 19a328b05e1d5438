"""CSV and TSV: a header, then one line per row; cells that a spreadsheet would execute are escaped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tare._data.formats.damage import guarded
from tare._files.opening import PathLike, name_of, plain_suffix, read_all, write_all
from tare._tables.delimited import marked_frame, unmarked_frame
from tare.errors import FormatError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SUFFIXES", "encoded", "read", "write"]


# CSV and TSV: a header, then one line per row.
#
# Text that a spreadsheet would execute is escaped with an apostrophe (see `spreadsheet`).


SUFFIXES = (".csv", ".tsv")
MOST_COLUMNS = 10_000


def read(source: PathLike, separator: str = ",", *, marks: bool = True) -> pl.DataFrame:
    """Read all columns as text; callers parse the columns that hold numbers.

    `marks` removes the apostrophe before = + - @. In prose it is a quotation mark.
    """
    import polars as pl

    data = read_all(source)
    name = name_of(source)
    if not data.strip():
        raise FormatError(f"{name} is empty. A {_suffix(separator)} file has a header and rows.")
    columns = _count_columns(data, separator.encode())
    if columns > MOST_COLUMNS:  # polars needs minutes and gigabytes for these
        raise FormatError(
            f"{name}, line 1: {columns:,} columns; at most {MOST_COLUMNS:,} are accepted. Give a table "
            "with one row per value instead."
        )
    with guarded(name, f"a readable {_suffix(separator)} file"):
        frame = pl.read_csv(data, separator=separator, infer_schema=False)
    return unmarked_frame(frame) if marks and b"'" in data else frame


def _suffix(separator: str) -> str:
    return ".tsv" if separator == "\t" else ".csv"


def _count_columns(data: bytes, separator: bytes) -> int:
    """Return the number of columns of the header, whose names may contain quoted line feeds."""
    start = quotes = 0
    while (end := data.find(b"\n", start)) >= 0:
        quotes += data.count(b'"', start, end)
        if quotes % 2 == 0:
            break
        start = end + 1
    header = data[:end] if end >= 0 else data
    return 1 + sum(part.count(separator) for part in header.split(b'"')[::2])


def write(frame: pl.DataFrame, path: Path) -> None:
    """Write a header and the rows."""
    write_all(path, encoded(frame, "\t" if plain_suffix(path) == ".tsv" else ","))


def encoded(frame: pl.DataFrame, separator: str = ",") -> bytes:
    """Return the bytes of a file."""
    return marked_frame(frame).write_csv(separator=separator).encode()
