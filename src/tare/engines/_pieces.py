"""Pieces of runs: a range of bytes of a text, or a range of rows of a table."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tare._data import frames
from tare._data.columns import recognise
from tare._data.findings import Finding
from tare._data.formats import parquet
from tare._data.formats.parquet import ParquetTable
from tare._data.misplaced_files import told_apart
from tare._files.opening import PathLike, blocks, name_of, ranged_blocks
from tare._kernels import Rows, rows_from_arrow
from tare._kernels.threads_and_blocks import seams
from tare.engines._text_cuts import cut_file

__all__ = ["TablePiece", "TextPiece", "smaller_pieces", "table_pieces", "text_pieces"]


@dataclass(frozen=True)
class TextPiece:
    """A range of bytes of a TREC text; the whole text, decompressed, if `stop` is None."""

    path: PathLike
    start: int = 0
    stop: int | None = None
    number: int = 0

    def blocks(self) -> Iterator[NDArray[np.uint8]]:
        """Return the bytes in blocks."""
        if self.stop is None:
            return blocks(self.path)
        return ranged_blocks(self.path, self.start, self.stop)

    def __str__(self) -> str:
        if self.stop is None:
            return name_of(self.path)
        return f"{name_of(self.path)}, bytes {self.start:,} to {self.stop:,}"


def text_pieces(path: PathLike, pieces: int) -> list[TextPiece]:
    """Split a plain text between queries; an empty text is one piece."""
    ranges = enumerate(cut_file(path, pieces))
    found = [TextPiece(path, start, stop, number) for number, (start, stop) in ranges]
    return found or [TextPiece(path)]


@dataclass(frozen=True)
class TablePiece:
    """A range of rows of a Parquet table; only one system if `system` has its column and name."""

    path: PathLike
    start: int
    count: int
    value: str = "score"
    system: tuple[str, str] | None = None
    number: int = 0

    def rows(self) -> tuple[Rows, list[Finding]]:
        """Return the rows, numbered as in the whole table, and findings."""
        first = self.start + 1
        with parquet.opened(self.path) as opened:
            frame = opened.read(self.start, self.count)
        table, findings = frames.table_of(frame, self.value, name_of(self.path), first)
        if self.system is None:
            return rows_from_arrow(table.__arrow_c_stream__(), first), findings
        column, name = self.system
        for group, part in frames.parts_of(table, frame[column], first):
            if group == name:
                return part, findings
        return rows_from_arrow(table.clear().__arrow_c_stream__(), first), findings

    def __str__(self) -> str:
        return f"{name_of(self.path)}, rows {self.start + 1:,} to {self.start + self.count:,}"


def table_pieces(
    path: PathLike, most: int, value: str, system: tuple[str, str] | None = None
) -> list[TablePiece]:
    """Split a table between queries into pieces of about `most` rows; an empty table is one."""
    with parquet.opened(path) as table:
        whole = TablePiece(path, 0, table.rows, value, system)
    return smaller_pieces(whole, most)


def smaller_pieces(piece: TablePiece, most: int) -> list[TablePiece]:
    """Split a piece between queries into pieces of about `most` rows, which keep its number.

    A piece ends near the end of a row group if there is one within half of `most`: the rows of a group
    that are before a piece are decoded again for it.
    """
    end = piece.start + piece.count
    edges = [piece.start]
    with parquet.opened(piece.path) as table:
        name = name_of(piece.path)
        with told_apart(name, table.columns, "run"):
            named = recognise(table.columns, ["query", "document", piece.value], name)
        ends = table.group_ends
        while edges[-1] + most < end:
            aim = _nearest(ends, edges[-1] + most, most // 2)
            edges.append(min(end, _change_after(table, named["query"], aim)))
    if edges[-1] < end or len(edges) == 1:
        edges.append(end)
    return [replace(piece, start=start, count=stop - start) for start, stop in pairwise(edges)]


def _nearest(ends: list[int], aim: int, within: int) -> int:
    """Return the row after the end that is nearest to `aim`; `aim` itself if none is near enough.

    The query of that row is compared with the one before, which is in the same group then.
    """
    place = bisect_left(ends, aim)
    near = [end + 1 for end in ends[max(0, place - 1) : place + 1] if abs(end - aim) <= within]
    return min(near, key=lambda row: abs(row - aim), default=aim)


def _change_after(table: ParquetTable, query: str, place: int) -> int:
    """Return the first row from `place` on whose query differs from that of the row before."""
    before, window = place - 1, seams().row_window
    while before < table.rows - 1:
        queries = table.read(before, window, [query]).to_series()
        changes = (queries != queries.shift(1)).fill_null(False).arg_true()
        if len(changes):
            return before + int(changes[0])
        before += len(queries) - 1
    return table.rows
