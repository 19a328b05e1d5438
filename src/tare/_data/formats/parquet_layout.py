"""The layout of Parquet files: what their footer says about row groups, and whether the pages agree.

polars reserves memory for as many values as a page claims to hold, and ends the process if there is not so much.
It is therefore given only pages whose claims were compared with the footer, under a footer that is written anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from tare._data.formats.thrift import BINARY, I32, I64, LIST, STRUCT, Reader, Struct, written

__all__ = ["MAGIC", "TAIL", "Column", "Footer", "Group", "file_of", "footer_of", "page_bytes"]

MAGIC = b"PAR1"
TAIL = 8  # bytes after the footer: its length, and MAGIC again
ARROW_SCHEMA = b"ARROW:schema"  # the types of columns, where those of Parquet are fewer
DEEPEST = 32  # lists and structures within each other
REPEATED = 2
DATA_PAGE, INDEX_PAGE, DICTIONARY_PAGE, DATA_PAGE_2 = range(4)


@dataclass(frozen=True)
class Column:
    """A column of a row group: where its pages are, and how many values they hold."""

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
        """The row after the last one of each group."""
        return list(accumulate(group.rows for group in self.groups))


def footer_of(data: bytes, end: int) -> Footer:
    """Return the footer that these bytes are, of a file whose pages end at `end`."""
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
    """Return the length of the pages of a column; raise ValueError if they are not what the footer says."""
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
    """Return the footer of a file, with all that follows it, in which the pages of columns follow each other.

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
    """Return the names of the columns, those of the columns of leaves, and those of columns that hold lists.

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
        if len(open_nodes) > DEEPEST:
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
