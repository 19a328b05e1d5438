"""CSV and TSV: a header, then one line per row; cells that a spreadsheet would execute are escaped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._data.formats.damage import guarded
from tare._files.opening import PathLike, name_of, plain_suffix, read_all, write_all
from tare._tables.delimited import marked_frame, unmarked_frame
from tare.errors import FormatError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SUFFIXES", "encoded", "read", "read_with_lines", "write"]


# CSV and TSV: a header, then one line per row.
#
# Text that a spreadsheet would execute is escaped with an apostrophe (see `spreadsheet`).


SUFFIXES = (".csv", ".tsv")
MOST_COLUMNS = 10_000


def read(source: PathLike, separator: str = ",", *, marks: bool = True) -> pl.DataFrame:
    """Read all columns of CSV or TSV as text; callers parse the columns that hold numbers.

    `marks` removes the apostrophe before = + - @. In prose it is a quotation mark.
    """
    return read_with_lines(source, separator, marks=marks)[0]


def read_with_lines(
    source: PathLike, separator: str = ",", *, marks: bool = True
) -> tuple[pl.DataFrame, int | NDArray[np.int64]]:
    """Return the rows of CSV or TSV, and the line of the first one, or of each if they are not consecutive.

    Rows without any cell, such as empty lines, are left out of tables of several columns.
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
    lines = _lines(data, frame.height)
    if frame.width > 1 and all(column.null_count() for column in frame):
        filled = ~frame.select(pl.all_horizontal(pl.all().is_null())).to_series()
        if isinstance(lines, int):
            lines = np.arange(lines, lines + frame.height)
        frame, lines = frame.filter(filled), lines[filled.to_numpy()]
    return unmarked_frame(frame) if marks and b"'" in data else frame, lines


def _lines(data: bytes, rows: int) -> int | NDArray[np.int64]:
    """Return the line of the first row of CSV or TSV, or of each row if a quoted cell holds a line feed."""
    before = data[: len(data) - len(data.lstrip(b"\r\n"))].count(b"\n")
    if b'"' not in data:
        return before + 2
    given = np.frombuffer(data, dtype=np.uint8)
    feeds, quotes = np.flatnonzero(given == ord("\n")), np.flatnonzero(given == ord('"'))
    ends = np.flatnonzero(np.searchsorted(quotes, feeds) % 2 == 0)  # feeds outside of quotes
    lines: NDArray[np.int64] = ends[before : before + rows] + 2
    regular = len(lines) < rows or rows == 0 or lines[-1] - lines[0] == rows - 1
    return (int(lines[0]) if len(lines) else before + 2) if regular else lines


def _suffix(separator: str) -> str:
    return ".tsv" if separator == "\t" else ".csv"


def _count_columns(data: bytes, separator: bytes) -> int:
    """Return the number of columns of a CSV or TSV header, whose names may contain quoted line feeds."""
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
