"""Positions at which the text of a run can be split: between rows of different queries."""

from __future__ import annotations

from io import BufferedReader, RawIOBase
from itertools import pairwise
from typing import IO, cast

from tare._files.opening import PathLike, open_source, size_of
from tare._kernels.threads_and_blocks import seams

__all__ = ["cut_file"]

LONGEST = 1 << 16  # bytes of a line that are searched for its query
MARK = b"\xef\xbb\xbf"  # a piece must not begin with a byte order mark


def cut_file(path: PathLike, pieces: int) -> list[tuple[int, int]]:
    """Return at most `pieces` byte ranges that cover a plain file, split between queries."""
    size = size_of(path)
    edges = [0]
    with BufferedReader(cast(RawIOBase, open_source(path)), seams().line_window) as file:
        for k in range(1, pieces):
            aim = size * k // pieces
            if aim <= edges[-1]:
                continue
            edges.append(_change_after(file, aim, size))
    edges = sorted({*edges, size})
    return list(pairwise(edges))


def _change_after(file: IO[bytes], aim: int, size: int) -> int:
    """Return the start of the first row after `aim` whose query differs from the row before."""
    file.seek(aim)
    place = aim + _line(file)[1]
    before: bytes | None = None
    while place < size:
        line, length = _line(file)
        query = _query(line)
        if query is not None:
            if before is not None and query != before and not line.startswith(MARK):
                return place
            before = query
        place += length
    return size


def _line(file: IO[bytes]) -> tuple[bytes, int]:
    """Return the beginning of the next line, and its full length; no window changes them."""
    line, length = b"", 0
    while part := file.readline(seams().line_window):
        length += len(part)
        if len(line) < LONGEST:
            line += part
        if part.endswith(b"\n"):
            break
    return line[:LONGEST], length


def _query(line: bytes) -> bytes | None:
    """Return the query of a line; None if it is not a row."""
    if line.startswith(b"#"):
        return None
    fields = line.split(None, 1)
    return None if not fields or fields[0].startswith(b"#") else fields[0]
