"""The headers of a Parquet file: whether their numbers can be true.

Decoders take lengths from headers on trust, and one that is absurd ends the process. Where a file is
read in parts, and not tried as a whole, its footer is looked through first, and then the headers of the
pages of each part; they are read, never mapped, and are some thousandths of the file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from tare._data.formats.thrift import Compact
from tare._data.source import MOST_RATIO, UNSUSPECTED
from tare._kernels import seams
from tare.errors import FormatError, UnreadableError

__all__ = ["check_headers"]

MAGIC = b"PAR1"
LONGEST = 64 << 20  # of a header with the least and the greatest value of its page
REPEATED = 2
DICTIONARY_PAGE = 2
PLAIN = 0  # of codecs: not compressed

# Fields by their numbers, as the format names them.
SCHEMA, ROWS, GROUPS = 2, 3, 4  # of the file
COLUMNS, GROUP_ROWS = 1, 3  # of a row group
METADATA = 3  # of a column in a row group
PATH, CODEC, VALUES, SIZE, DATA, DICTIONARY = 3, 4, 5, 7, 9, 11  # of its metadata
KIND, UNPACKED, PACKED = 1, 2, 3  # of a page
BODIES = (5, 7, 8)  # of a page: the header of its kind, which begins with how many values it has


class _DamageError(Exception):
    """What cannot be true."""


@dataclass(frozen=True)
class _Column:
    """The pages of a column in a group of rows: where they begin and end, and what they hold."""

    root: str  # the column of the table, of which this may be a part
    name: str
    start: int
    stop: int
    values: int
    packed: bool


@dataclass(frozen=True)
class _Group:
    """Some rows of a file, which are stored together."""

    first: int
    rows: int
    columns: tuple[_Column, ...]
    end: int  # of all pages of the file


def check_headers(
    path: str | os.PathLike[str],
    start: int = 0,
    count: int | None = None,
    column: str | None = None,
) -> None:
    """Refuses a local Parquet file whose headers contradict themselves or its size.

    Of pages, only those of `count` rows from `start` are looked at, or of one column. What is no
    Parquet at all, or is encrypted, is left to those who read it.
    """
    name = os.fspath(path)
    stop = sys.maxsize if count is None else start + count
    try:
        about = Path(path).stat()
        now = (about.st_size, about.st_mtime_ns)
        for number, group in enumerate(_groups(name, now)):
            if group.first < stop and start < group.first + group.rows:
                _check_group(name, now, number, column)
    except OSError as error:
        if isinstance(error, UnreadableError):
            raise
        raise UnreadableError(f"{name}: {error.strerror or error}.") from error


@lru_cache(maxsize=4096)  # many pieces may be parts of one group
def _check_group(path: str, now: tuple[int, int], number: int, column: str | None) -> None:
    group = _groups(path, now)[number]
    with (
        Path(path).open("rb") as file,
        _named(f"{path}, rows {group.first + 1:,} to {group.first + group.rows:,}"),
    ):
        for part in group.columns:
            if column in (None, part.root):
                _check_pages(file, part, group.end)


@contextmanager
def _named(where: str) -> Iterator[None]:
    """Says of what damage was found."""
    try:
        yield
    except FormatError:  # a part of it was named
        raise
    except _DamageError as error:
        what = str(error)
    except (AttributeError, KeyError, TypeError, ValueError, IndexError):
        what = "its headers have no sense"
    else:
        return
    raise FormatError(f"{where}: not readable as Parquet; it is damaged: {what}.")


@lru_cache(maxsize=16)
def _groups(path: str, now: tuple[int, int]) -> tuple[_Group, ...]:
    """The groups of a file of that size and time, by its footer; none where it has no footer."""
    size = now[0]
    with Path(path).open("rb") as file:
        if size < 12 or _read(file, size - 4, 4) != MAGIC:
            return ()
        with _named(path):
            length = int.from_bytes(_read(file, size - 8, 4), "little")
            end = size - 8 - length
            if end < 4:
                raise _DamageError(f"a footer of {length:,} bytes")
            footer = Compact(_read(file, end, length)).struct()
            repeated = {part[4] for part in footer[SCHEMA] if part.get(3) == REPEATED}
            found: list[_Group] = []
            first = 0
            for group in footer.get(GROUPS, []):
                rows = _natural(group[GROUP_ROWS], "rows in a group")
                with _named(f"{path}, rows {first + 1:,} to {first + rows:,}"):
                    columns = [_column(c[METADATA], rows, repeated) for c in group[COLUMNS]]
                found.append(_Group(first, rows, tuple(columns), end))
                first += rows
            if first != footer[ROWS]:
                raise _DamageError(f"{footer[ROWS]:,} rows, and {first:,} in its groups")
    return tuple(found)


def _column(about: dict[int, Any], rows: int, repeated: set[bytes]) -> _Column:
    name = b".".join(about[PATH]).decode(errors="replace")
    values = _natural(about[VALUES], f"values of {name}")
    flat = len(about[PATH]) == 1 and about[PATH][0] not in repeated
    if flat and values != rows:
        raise _DamageError(f"{values:,} values of {name} in {rows:,} rows")
    start = int(min(about[DATA], about.get(DICTIONARY) or about[DATA]))
    size = _natural(about[SIZE], f"bytes of {name}")
    root = about[PATH][0].decode(errors="replace")
    return _Column(root, name, start, start + size, values, about[CODEC] != PLAIN)


def _check_pages(file: IO[bytes], column: _Column, end: int) -> None:
    found = 0
    for page in _pages(file, column, end):
        count = next((page[body][1] for body in BODIES if body in page), 0)
        _natural(count, f"values in a page of {column.name}")
        size, packed = page[UNPACKED], page[PACKED]
        _natural(size, f"bytes of a page of {column.name}")
        if size > max(UNSUSPECTED, MOST_RATIO * packed) if column.packed else size != packed:
            raise _DamageError(
                f"a page of {column.name} of {packed:,} bytes that unpack to {size:,}"
            )
        found += 0 if page[KIND] == DICTIONARY_PAGE else count
        if found >= column.values:
            break
    if found != column.values:
        raise _DamageError(f"{column.values:,} values of {column.name}, and {found:,} in its pages")


def _pages(file: IO[bytes], column: _Column, end: int) -> Iterator[dict[int, Any]]:
    """The headers of the pages of a column, until they are no longer asked for."""
    place = column.start
    while 4 <= place < min(column.stop, end):
        header, length = _header(file, place, end, column.name)
        yield header
        place += length + _natural(header[PACKED], f"bytes of a page of {column.name}")
        if place > end:
            raise _DamageError(f"a page of {column.name} that goes beyond the file")


def _header(file: IO[bytes], place: int, end: int, where: str) -> tuple[dict[int, Any], int]:
    window = seams().header_window
    while True:
        reader = Compact(_read(file, place, min(window, end - place)))
        try:
            return reader.struct(), reader.place
        except IndexError:
            if window >= min(LONGEST, end - place):
                raise _DamageError(f"a page of {where} whose header does not end") from None
            window *= 16


def _natural(number: int, what: str) -> int:
    if number < 0:
        raise _DamageError(f"{number:,} {what}")
    return number


def _read(file: IO[bytes], place: int, length: int) -> bytes:
    file.seek(place)
    return file.read(length)
