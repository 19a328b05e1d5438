"""The headers of a Parquet file: whether their numbers can be true.

Decoders take lengths from headers on trust, and one that is absurd ends the process. Where a file is
too large to be tried as a whole, its footer and the headers of its pages are looked through first;
they are read, never mapped, and are some thousandths of the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from tare.data.formats.thrift import Compact
from tare.data.source import MOST_RATIO, UNSUSPECTED
from tare.errors import FormatError, UnreadableError

__all__ = ["check_headers"]

MAGIC = b"PAR1"
WINDOW = 4096  # bytes that hold the header of a page, nearly always
LONGEST = 64 << 20  # of a header with the least and the greatest value of its page
REPEATED = 2
DICTIONARY_PAGE = 2

# Fields by their numbers, as the format names them.
SCHEMA, ROWS, GROUPS = 2, 3, 4  # of the file
COLUMNS, GROUP_ROWS = 1, 3  # of a row group
METADATA = 3  # of a column in a row group
PATH, CODEC, VALUES, SIZE, DATA, DICTIONARY = 3, 4, 5, 7, 9, 11  # of its metadata
KIND, UNPACKED, PACKED = 1, 2, 3  # of a page
BODIES = (5, 7, 8)  # of a page: the header of its kind, which begins with how many values it has


class _DamageError(Exception):
    """What cannot be true."""


def check_headers(path: str | os.PathLike[str]) -> None:
    """Refuses a local Parquet file whose headers contradict themselves or its size.

    What is no Parquet at all, or is encrypted, is left to those who read it.
    """
    try:
        with Path(path).open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            if size < 12 or _read(file, size - 4, 4) != MAGIC:
                return
            with _named(os.fspath(path)):
                _check(file, size, os.fspath(path))
    except OSError as error:
        raise UnreadableError(f"{path}: {error.strerror or error}.") from error


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


def _check(file: IO[bytes], size: int, path: str) -> None:
    length = int.from_bytes(_read(file, size - 8, 4), "little")
    end = size - 8 - length  # of the pages
    if end < 4:
        raise _DamageError(f"a footer of {length:,} bytes")
    footer = Compact(_read(file, end, length)).struct()
    repeated = {part[4] for part in footer[SCHEMA] if part.get(3) == REPEATED}
    rows = 0
    for group in footer.get(GROUPS, []):
        count = _natural(group[GROUP_ROWS], "rows in a group")
        with _named(f"{path}, rows {rows + 1:,} to {rows + count:,}"):
            for column in group[COLUMNS]:
                _check_column(file, column[METADATA], count, repeated, end)
        rows += count
    if rows != footer[ROWS]:
        raise _DamageError(f"{footer[ROWS]:,} rows, and {rows:,} in its groups")


def _check_column(
    file: IO[bytes], about: dict[int, Any], rows: int, repeated: set[bytes], end: int
) -> None:
    where = b".".join(about[PATH]).decode(errors="replace")
    values = _natural(about[VALUES], f"values of {where}")
    flat = len(about[PATH]) == 1 and about[PATH][0] not in repeated
    if flat and values != rows:
        raise _DamageError(f"{values:,} values of {where} in {rows:,} rows")
    _natural(about[SIZE], f"bytes of {where}")
    _check_pages(file, about, end, where)


def _check_pages(file: IO[bytes], about: dict[int, Any], end: int, where: str) -> None:
    found, values = 0, about[VALUES]
    start = min(about[DATA], about.get(DICTIONARY) or about[DATA])
    for page in _pages(file, start, start + about[SIZE], end, where):
        count = next((page[body][1] for body in BODIES if body in page), 0)
        _natural(count, f"values in a page of {where}")
        unpacked, packed = _natural(page[UNPACKED], f"bytes of a page of {where}"), page[PACKED]
        plain = about[CODEC] == 0
        if unpacked != packed if plain else unpacked > max(UNSUSPECTED, MOST_RATIO * packed):
            raise _DamageError(f"a page of {where} of {packed:,} bytes that unpack to {unpacked:,}")
        found += 0 if page[KIND] == DICTIONARY_PAGE else count
        if found >= values:
            break
    if found != values:
        raise _DamageError(f"{values:,} values of {where}, and {found:,} in its pages")


def _pages(
    file: IO[bytes], place: int, stop: int, end: int, where: str
) -> Iterator[dict[int, Any]]:
    """The headers of pages that begin before `stop`, until they are no longer asked for."""
    while 4 <= place < min(stop, end):
        header, length = _header(file, place, end, where)
        yield header
        place += length + _natural(header[PACKED], f"bytes of a page of {where}")
        if place > end:
            raise _DamageError(f"a page of {where} that goes beyond the file")


def _header(file: IO[bytes], place: int, end: int, where: str) -> tuple[dict[int, Any], int]:
    window = WINDOW
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
