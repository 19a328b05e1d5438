"""Parquet files, read with polars: their layout is checked first, so a damaged or changing file gives an error, not a crash."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from tare._data.formats.damage import guarded
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

__all__ = [
    "BINARY",
    "I32",
    "I64",
    "LIST",
    "MAGIC",
    "STRUCT",
    "SUFFIXES",
    "TAIL",
    "Column",
    "Footer",
    "Group",
    "ParquetTable",
    "Reader",
    "Struct",
    "file_of",
    "footer_of",
    "metadata",
    "opened",
    "page_bytes",
    "read",
    "write",
    "write_groups",
    "written",
]


# Thrift's compact protocol, in which Parquet describes its columns and pages.


TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
BITS = {I16: 16, I32: 32, I64: 64}
DEEPEST = 12

Struct = dict[int, tuple[int, Any]]
"""Fields by number: the kind of each, and its value. The value of a list is the kind of its items, and they."""


class Reader:
    """A place in the footer or a page header of Parquet, from which Thrift structures are read."""

    def __init__(self, data: bytes, place: int = 0) -> None:
        self.data, self.place = data, place

    def struct(self, depth: int = 0) -> Struct:
        """Return the Thrift structure of Parquet that begins here; the place is after it then."""
        fields: Struct = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._whole()
            if number in fields:
                raise ValueError(f"field {number} appears twice in its description")
            kind = head & 15
            value = kind == TRUE if kind in (TRUE, FALSE) else self._value(kind, depth)
            fields[number] = kind, value
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if depth > DEEPEST:
            raise ValueError("its description is nested too deep")
        if kind in (I16, I32, I64):
            found = self._whole()
            if not -1 << BITS[kind] - 1 <= found < 1 << BITS[kind] - 1:
                raise ValueError(f"its description has the number {found}")
            return found
        if kind == BINARY:
            return self._bytes(self._varint())
        if kind == STRUCT:
            return self.struct(depth + 1)
        if kind in (LIST, SET):
            return self._list(depth)
        if kind == DOUBLE:
            return self._bytes(8)
        if kind in (TRUE, FALSE, BYTE):  # a truth in a list is a byte
            return self._byte()
        raise ValueError(f"its description has a field of kind {kind}")

    def _list(self, depth: int) -> tuple[int, list[Any]]:
        head = self._byte()
        count = head >> 4 if head >> 4 < 15 else self._varint()
        if count > len(self.data) - self.place:  # each item takes a byte
            raise ValueError("a list ends too early")
        return head & 15, [self._value(head & 15, depth + 1) for _ in range(count)]

    def _byte(self) -> int:
        try:
            byte = self.data[self.place]
        except IndexError:
            raise ValueError("its description ends too early") from None
        self.place += 1
        return byte

    def _bytes(self, count: int) -> bytes:
        start, self.place = self.place, self.place + count
        if self.place > len(self.data):
            raise ValueError("its description ends too early")
        return self.data[start : self.place]

    def _varint(self) -> int:
        if (byte := self._byte()) < 128:  # as most numbers are
            return byte
        found, bits = byte & 127, 7
        while (byte := self._byte()) & 128:
            found |= (byte & 127) << bits
            bits += 7
            if bits > BITS[I64]:
                raise ValueError("its description has a number of too many digits")
        return found | byte << bits

    def _whole(self) -> int:
        found = self._varint()
        return found >> 1 ^ -(found & 1)


def written(fields: Struct) -> bytes:
    """Return a structure as bytes."""
    parts = []
    before = 0
    for number, (kind, value) in sorted(fields.items()):
        shown = (TRUE if value else FALSE) if kind in (TRUE, FALSE) else kind
        step = number - before
        parts.append(bytes([step << 4 | shown]) if step < 16 else bytes([shown]) + _whole(number))
        if shown is kind and kind not in (TRUE, FALSE):
            parts.append(_value(kind, value))
        before = number
    return b"".join(parts) + b"\0"


def _value(kind: int, value: Any) -> bytes:
    if kind in (I16, I32, I64):
        return _whole(value)
    if kind == BINARY:
        return _varint(len(value)) + bytes(value)
    if kind == STRUCT:
        return written(value)
    if kind in (LIST, SET):
        of, items = value
        head = bytes([len(items) << 4 | of]) if len(items) < 15 else bytes([240 | of])
        count = b"" if len(items) < 15 else _varint(len(items))
        return head + count + b"".join(_value(of, item) for item in items)
    return bytes(value) if kind == DOUBLE else bytes([value])


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _whole(number: int) -> bytes:
    return _varint(number << 1 if number >= 0 else (-number << 1) - 1)


# The layout of Parquet files: what their footer says about row groups, and whether the pages
# agree.
#
# polars reserves memory for as many values as a page claims to hold, and ends the process if there is not so much.
# It is therefore given only pages whose claims were compared with the footer, under a footer that is written anew.


MAGIC = b"PAR1"
TAIL = 8  # bytes after the footer: its length, and MAGIC again
ARROW_SCHEMA = b"ARROW:schema"  # the types of columns, where those of Parquet are fewer
DEEPEST_SCHEMA = 32  # lists and structures within each other
REPEATED = 2
DATA_PAGE, INDEX_PAGE, DICTIONARY_PAGE, DATA_PAGE_2 = range(4)


@dataclass(frozen=True)
class Column:
    """A column of a row group of Parquet: where its pages are, and how many values they hold."""

    about: Struct
    name: str  # of the column of the table, of which it may be a part
    start: int
    stop: int
    values: int
    unpacked: int


@dataclass(frozen=True)
class Group:
    """A row group."""

    rows: int
    columns: tuple[Column, ...]

    @property
    def unpacked(self) -> int:
        """The bytes of all pages before compression."""
        return sum(column.unpacked for column in self.columns)


@dataclass(frozen=True)
class Footer:
    """What a file says about itself."""

    schema: list[Struct]
    names: list[str]
    groups: list[Group]
    metadata: dict[bytes, bytes]

    @property
    def rows(self) -> int:
        """The number of rows."""
        return sum(group.rows for group in self.groups)

    @property
    def group_ends(self) -> list[int]:
        """The row after the last one of each row group that the Parquet footer lists."""
        return list(accumulate(group.rows for group in self.groups))


def footer_of(data: bytes, end: int) -> Footer:
    """Return the Parquet footer that these bytes are, of a file whose pages end at `end`."""
    about = Reader(data).struct()
    schema = _structs(about, 2)
    names, leaves, repeated = _columns(schema)
    filled = [each for each in _structs(about, 4) if _count(each, 3)]
    groups = [_group(each, end, repeated) for each in filled]
    if any([column.name for column in group.columns] != leaves for group in groups):
        raise ValueError("a row group has other columns than the schema")
    metadata = {_get(e, 1, BINARY): _get(e, 2, BINARY, b"") for e in _structs(about, 5)}
    footer = Footer(schema, names, groups, metadata)
    if footer.rows != _count(about, 3):
        raise ValueError(f"{footer.rows:,} rows in row groups, {_count(about, 3):,} expected")
    return footer


def page_bytes(data: bytes, column: Column) -> int:
    """Return the length of the pages of a Parquet column; raise ValueError if they are not what the footer says."""
    reader = Reader(data)
    values = unpacked = 0
    while values < column.values:
        header = reader.struct()
        kind, size, packed = (_count(header, field, I32) for field in (1, 2, 3))
        reader.place += packed
        unpacked += size
        if reader.place > len(data) or unpacked > column.unpacked:
            raise ValueError(f"the pages of the column {column.name!r} are larger than it")
        if kind == DATA_PAGE:
            values += _count(_get(header, 5, STRUCT), 1, I32)
        elif kind == DATA_PAGE_2:
            levels = _get(header, 8, STRUCT)
            values += _count(levels, 1, I32)
            if _count(levels, 5, I32) + _count(levels, 6, I32) > min(size, packed):
                raise ValueError(f"a page of the column {column.name!r} has too many levels")
        elif kind == DICTIONARY_PAGE:
            if _count(_get(header, 7, STRUCT), 1, I32) > size:
                raise ValueError(f"the dictionary of the column {column.name!r} is too small")
        elif kind != INDEX_PAGE:
            raise ValueError(f"the column {column.name!r} has a page of kind {kind}")
    if values != column.values:
        raise ValueError(
            f"{values:,} values in the pages of the column {column.name!r}, {column.values:,} expected"
        )
    return reader.place


def file_of(
    footer: Footer,
    groups: Sequence[Group],
    lengths: Sequence[Sequence[int | None]],
    metadata: dict[bytes, bytes] | None = None,
) -> bytes:
    """Return the Parquet footer, with all that follows it, of a file in which the pages of columns follow each other.

    `lengths` are the bytes of each column of each group; None for a column that the file lacks. Statistics and indices of
    the columns are left out.
    """
    place = len(MAGIC)
    described = []
    for group, sizes in zip(groups, lengths, strict=True):
        columns = []
        for column, size in zip(group.columns, sizes, strict=True):
            columns.append(_placed(column, place, size or 0))
            place += size or 0
        described.append(
            {
                1: (LIST, (STRUCT, columns)),
                2: (I64, group.unpacked),
                3: (I64, group.rows),
            }
        )
    known = footer.metadata.items() if metadata is None else metadata.items()
    pairs = [{1: (BINARY, key), 2: (BINARY, value)} for key, value in known]
    about = written(
        {
            1: (I32, 1),
            2: (LIST, (STRUCT, footer.schema)),
            3: (I64, sum(group.rows for group in groups)),
            4: (LIST, (STRUCT, described)),
            5: (LIST, (STRUCT, pairs)),
        }
    )
    return about + len(about).to_bytes(4, "little") + MAGIC


def _placed(column: Column, place: int, size: int) -> Struct:
    """Return a column whose pages are elsewhere."""
    about = {number: column.about[number] for number in range(1, 7)}
    about[7] = I64, size
    first = _get(column.about, 9, I64)
    about[9] = I64, place + first - column.start
    if column.start < first:
        about[11] = I64, place
    return {2: (I64, 0), 3: (STRUCT, about)}


def _group(given: Struct, end: int, repeated: set[str]) -> Group:
    rows = _count(given, 3)
    return Group(rows, tuple(_column(one, rows, end, repeated) for one in _structs(given, 1)))


def _column(given: Struct, rows: int, end: int, repeated: set[str]) -> Column:
    about = _get(given, 3, STRUCT)
    of, path = _get(about, 3, LIST)
    if of != BINARY or not path or 1 in given:
        raise ValueError("a column has no name, or its pages are in another file")
    name = path[0].decode()
    first, before = _count(about, 9), _count(about, 11, default=0)
    start = before if 0 < before < first else first
    stop = start + _count(about, 7)
    if not len(MAGIC) <= start <= first <= stop <= end:
        raise ValueError(f"the pages of the column {name!r} are outside the file")
    values = _count(about, 5)
    if values < rows or (values > rows and name not in repeated):
        raise ValueError(f"{values:,} values of the column {name!r} in {rows:,} rows")
    for number, kind in ((1, I32), (2, LIST), (4, I32)):
        _get(about, number, kind)
    return Column(about, name, start, stop, values, _count(about, 6))


def _columns(schema: list[Struct]) -> tuple[list[str], list[str], set[str]]:
    """Return the names of a Parquet file's columns, those of the columns of leaves, and those of columns that hold lists.

    ValueError is raised if the schema is no tree.
    """
    names: list[str] = []
    leaves: list[str] = []
    repeated: set[str] = set()
    open_nodes = [1]  # how many children are missing, from the root on
    for element in schema:
        if not open_nodes:
            raise ValueError("its schema has too many columns")
        open_nodes[-1] -= 1
        if len(open_nodes) == 2:
            names.append(_get(element, 4, BINARY).decode())
        if len(open_nodes) > 1 and _get(element, 3, I32, 0) == REPEATED:
            repeated.add(names[-1])
        children = _count(element, 5, I32, 0)
        if 5 in element:
            open_nodes.append(children)
        else:
            leaves += names[-1:]
        if len(open_nodes) > DEEPEST_SCHEMA:
            raise ValueError("its schema is nested too deep")
        while open_nodes and not open_nodes[-1]:
            open_nodes.pop()
    if open_nodes:
        raise ValueError("its schema has too few columns")
    if len(set(names)) < len(names):
        raise ValueError("two columns have the same name")
    return names, leaves, repeated


def _structs(fields: Struct, number: int) -> list[Struct]:
    if number not in fields:
        return []
    of, items = _get(fields, number, LIST)
    if items and of != STRUCT:
        raise ValueError(f"field {number} of its description is no list of structures")
    found: list[Struct] = items
    return found


def _get(fields: Struct, number: int, kind: int, default: Any = None) -> Any:
    found, value = fields.get(number, (kind, default))
    if found != kind or value is None:
        raise ValueError(f"field {number} of its description is missing or of another kind")
    return value


def _count(fields: Struct, number: int, kind: int = I64, default: int | None = None) -> int:
    found: int = _get(fields, number, kind, default)
    if found < 0:
        raise ValueError(f"field {number} of its description is {found}")
    return found


# Parquet files, read with polars: a damaged or changing file gives an error, not a crash.


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
        """The row after the last one of each row group of Parquet; to read some rows of a group reads all of its pages."""
        return self._footer.group_ends

    @property
    def metadata(self) -> dict[str, str]:
        """The key-value metadata of the Parquet footer; entries that are not UTF-8 are left out."""
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
        """Return `count` rows of a Parquet file from row `start` on (default: all), of some columns or of all."""
        import polars as pl

        stop = self.rows if count is None else min(self.rows, start + count)
        with _decoding(self._where(start, stop)):
            parts = list(self._parts(start, max(start, stop), columns or self.columns))
            return pl.concat(parts, rechunk=False)

    def batches(self, column: str) -> Iterator[pl.Series]:
        """Yield the values of one column of a Parquet file, some row groups at a time."""
        with _decoding(self.name):
            for part in self._parts(0, self.rows, [column]):
                yield part.to_series()

    def _parts(self, start: int, stop: int, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Yield the rows of a Parquet file in order, some row groups at a time; at least one table."""
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
        """Return some rows of row groups, read by polars as a Parquet file of their own."""
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
        """Return the checked pages of the columns of Parquet; None for columns that are not wanted."""
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
    """Write a Parquet file with one row group per table, and metadata; the file appears when it is complete."""
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
    """Return the ranges of bytes of a Parquet file that hold the columns, those that touch as one."""
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
