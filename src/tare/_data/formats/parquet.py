"""Parquet files, read with polars: a damaged or changing file gives an error, not a crash."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from tare._data.formats.guard import guarded
from tare._data.formats.parquet_layout import (
    ARROW_SCHEMA,
    MAGIC,
    TAIL,
    Column,
    Footer,
    Group,
    file_of,
    footer_of,
    page_bytes,
)
from tare._files.addresses import is_address, is_file
from tare._files.opening import (
    PathLike,
    name_of,
    open_source,
    pinned,
    read_all,
    refuse_changed,
    size_of,
)
from tare._files.writing import new_file, write_bytes
from tare._kernels.threads_and_blocks import seams
from tare.errors import DataError, OptionError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SUFFIXES", "ParquetTable", "metadata", "opened", "read", "write", "write_groups"]

SUFFIXES = (".parquet", ".pq")
CELL_BYTES = 8
MAX_BYTES = 4 << 30
MAX_RATIO = 64
"""A table may need 4 GiB and 64 times the size of its file. Larger claims are damage or an attack."""
USUAL_FOOTER = 1 << 16  # bytes at the end of a file that are read at once


class ParquetTable:
    """An open Parquet file: its columns and rows, decoded on request."""

    def __init__(self, file: IO[bytes], name: str, size: int) -> None:
        self.name = name
        self._file = file
        with _decoding(name):
            self._footer = footer_of(*_footer(file, size))
        _refuse_bomb(self._footer, name, size)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._footer.names)

    @property
    def rows(self) -> int:
        """The number of rows according to the footer."""
        return self._footer.rows

    @property
    def group_ends(self) -> list[int]:
        """The row after the last one of each row group; to read some rows of a group reads all of its pages."""
        return self._footer.group_ends

    @property
    def metadata(self) -> dict[str, str]:
        """The key-value metadata of the footer; entries that are not UTF-8 are left out."""
        found: dict[str, str] = {}
        for key, value in self._footer.metadata.items():
            try:
                found[key.decode()] = value.decode()
            except UnicodeDecodeError:
                continue
        return found

    def read(
        self, start: int = 0, count: int | None = None, columns: Sequence[str] | None = None
    ) -> pl.DataFrame:
        """Return `count` rows from row `start` on (default: all), of some columns or of all."""
        import polars as pl

        stop = self.rows if count is None else min(self.rows, start + count)
        with _decoding(self._where(start, stop)):
            parts = list(self._parts(start, max(start, stop), columns or self.columns))
            return pl.concat(parts, rechunk=False)

    def batches(self, column: str) -> Iterator[pl.Series]:
        """Yield the values of one column, some row groups at a time."""
        with _decoding(self.name):
            for part in self._parts(0, self.rows, [column]):
                yield part.to_series()

    def _parts(self, start: int, stop: int, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Yield rows in order, some row groups at a time; at least one table."""
        groups: list[Group] = []
        first, size, place = 0, 0, 0
        for group in self._footer.groups:
            if place < stop and start < place + group.rows:
                if not groups:
                    first = place
                groups.append(group)
                size += sum(c.stop - c.start for c in group.columns if c.name in columns)
            place += group.rows
            if groups and (size >= seams().table_bytes or place >= stop):
                yield self._decoded(
                    groups, max(start - first, 0), min(stop, place) - first, columns
                )
                groups, size = [], 0
            if place >= stop:
                break
        if start >= min(stop, self.rows):
            yield self._decoded([], 0, 0, columns)

    def _decoded(
        self, groups: list[Group], start: int, stop: int, columns: Sequence[str]
    ) -> pl.DataFrame:
        """Return some rows of row groups, read as a file of their own."""
        import polars as pl

        pieces: list[bytes | memoryview] = [MAGIC]
        lengths = []
        for group in groups:
            found = self._pages(group, columns)
            pieces += filter(None, found)
            lengths.append([None if piece is None else len(piece) for piece in found])
        types = {k: v for k, v in self._footer.metadata.items() if k == ARROW_SCHEMA}
        pieces.append(file_of(self._footer, groups, lengths, types))
        table = pl.scan_parquet(b"".join(pieces)).slice(start, stop - start).select(columns)
        frame = table.collect()
        if frame.height != stop - start:
            raise ValueError(f"{frame.height:,} rows found, {stop - start:,} expected")
        return frame

    def _pages(self, group: Group, columns: Sequence[str]) -> list[memoryview | None]:
        """Return the checked pages of the columns; None for columns that are not wanted."""
        wanted = [column for column in group.columns if column.name in columns]
        read: dict[int, memoryview] = {}
        for start, stop in _ranges(wanted):
            data = memoryview(_range(self._file, start, stop))
            for column in wanted:
                if start <= column.start and column.stop <= stop:
                    pages = data[column.start - start : column.stop - start]
                    read[id(column)] = pages[: page_bytes(bytes(pages), column)]
        return [read.get(id(column)) for column in group.columns]

    def _where(self, start: int, stop: int) -> str:
        if (start, stop) == (0, self.rows):
            return self.name
        return f"{self.name}, rows {start + 1:,} to {stop:,}"


@contextmanager
def opened(source: PathLike) -> Iterator[ParquetTable]:
    """Open a Parquet file; raise an error at the end if the file changed during reading.

    The file is read, not memory-mapped: a memory-mapped file that shrinks raises SIGBUS.
    """
    name = name_of(source)
    if is_address(source):
        source = pinned(source)
        with open_source(source) as file:
            yield ParquetTable(file, name, size_of(source))
        return
    if not is_file(source):  # a pipe; or it raises an error for what cannot be read
        data = read_all(source)
        yield ParquetTable(io.BytesIO(data), name, len(data))
        return
    with open_source(source) as raw:
        before = os.fstat(raw.fileno())
        try:
            yield ParquetTable(raw, name, before.st_size)
        finally:
            refuse_changed(before, os.fstat(raw.fileno()), name)


def read(source: PathLike) -> pl.DataFrame:
    """Return the whole table."""
    with opened(source) as table:
        return table.read()


def metadata(source: PathLike) -> dict[str, str]:
    """Return the key-value metadata of a file."""
    with opened(source) as table:
        return table.metadata


def write(frame: pl.DataFrame, path: Path) -> None:
    """Write a table, compressed."""
    if path.suffix.lower() not in SUFFIXES:
        raise OptionError(f"{path}: Parquet is already compressed; remove {path.suffix}.")
    buffer = io.BytesIO()  # polars reports a full disk as a damaged file
    frame.write_parquet(buffer)
    write_bytes(path, buffer.getvalue())


def write_groups(
    frames: Iterable[pl.DataFrame], path: str | os.PathLike[str], known: Mapping[str, str]
) -> None:
    """Write one row group per table, and metadata; the file appears when it is complete."""
    groups: list[Group] = []
    lengths: list[list[int | None]] = []
    footer = None
    with new_file(path) as file:
        file.write(MAGIC)
        for frame in frames:
            buffer = io.BytesIO()
            frame.write_parquet(buffer, row_group_size=max(1, frame.height))
            footer = footer_of(*_footer(buffer, len(buffer.getbuffer())))
            for group in footer.groups:
                for column in group.columns:
                    file.write(buffer.getbuffer()[column.start : column.stop])
                groups.append(group)
                lengths.append([column.stop - column.start for column in group.columns])
        if footer is None:
            raise ValueError("no table to write")
        types = {ARROW_SCHEMA: footer.metadata[ARROW_SCHEMA]}
        about = {key.encode(): value.encode() for key, value in known.items()}
        file.write(file_of(footer, groups, lengths, types | about))


def _footer(file: IO[bytes], size: int) -> tuple[bytes, int]:
    """Return the footer, and where it begins."""
    if size < len(MAGIC) + TAIL:
        raise ValueError(f"it has {size:,} bytes")
    end = _range(file, max(0, size - USUAL_FOOTER), size)
    if end[-len(MAGIC) :] != MAGIC:
        raise ValueError("it does not end as one")
    start = size - TAIL - int.from_bytes(end[-TAIL : -len(MAGIC)], "little")
    if start < len(MAGIC):
        raise ValueError("its footer is longer than the file")
    if start < size - len(end):
        end = _range(file, start, size)
    return end[start - size : -TAIL], start


def _range(file: IO[bytes], start: int, stop: int) -> bytes:
    """Return a range of bytes of a file."""
    file.seek(start)
    parts = []
    left = stop - start
    while left and (part := file.read(left)):
        parts.append(part)
        left -= len(part)
    if left:
        raise ValueError(f"it ends {left:,} bytes too early")
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _ranges(columns: Sequence[Column]) -> list[tuple[int, int]]:
    """Return the ranges of bytes that hold the columns, those that touch as one."""
    found: list[tuple[int, int]] = []
    for column in sorted(columns, key=lambda one: one.start):
        if found and column.start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], column.stop)
        else:
            found.append((column.start, column.stop))
    return found


def _refuse_bomb(footer: Footer, name: str, size: int) -> None:
    columns = [column for group in footer.groups for column in group.columns]
    needed = max(
        CELL_BYTES * sum(column.values for column in columns),
        sum(column.unpacked for column in columns),
    )
    if needed > MAX_BYTES + MAX_RATIO * size:
        raise DataError(
            f"{name}: {size:,} bytes claim to hold {footer.rows:,} rows, which need {needed:,} "
            f"bytes of memory. At most 4 GiB plus {MAX_RATIO} times the file size is accepted. The "
            "file is damaged; if not, split it."
        )


@contextmanager
def _decoding(name: str) -> Iterator[None]:
    """Turn every failure of decoding into a FormatError."""
    with guarded(name, "a readable Parquet file"):
        yield
