"""Pieces of run files: which files are cut, where they may be cut, and how a piece is read."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BufferedReader, RawIOBase
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import IO, Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from tare._choices import Order
from tare._data.columns import column_of, recognise
from tare._data.findings import Finding
from tare._data.formats import parquet
from tare._data.formats.parquet import ParquetTable
from tare._data.pairs import pairs_by_group, pairs_of_rows
from tare._data.recognised_files import is_trec_text, told_apart
from tare._data.runs import expand, read_run, read_runs
from tare._data.tables import InputTable, ids_of, is_frame
from tare._files.addresses import is_address, is_file, is_folder
from tare._files.cloud import addresses_like
from tare._files.opening import (
    STDIN,
    PathLike,
    blocks,
    can_be_read_again,
    is_compressed,
    name_of,
    open_source,
    pinned,
    plain_suffix,
    ranged_blocks,
    refuse_changed,
    size_of,
)
from tare._kernels import Rows, rows_from_arrow
from tare._kernels.threads_and_blocks import seams
from tare.engines._engine import Engine
from tare.errors import FormatError, UnreadableError

__all__ = [
    "ROW_BYTES",
    "TEXT_BYTES",
    "RunFile",
    "TablePiece",
    "TextPiece",
    "ValueColumn",
    "cut_file",
    "run_files",
    "smaller_pieces",
    "table_pieces",
    "text_pieces",
    "unchanged",
]


# Positions at which the text of a run can be split: between rows of different queries.


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
            edges.append(_byte_change_after(file, aim, size))
    edges = sorted({*edges, size})
    return list(pairwise(edges))


def _byte_change_after(file: IO[bytes], aim: int, size: int) -> int:
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
    """Return the beginning of the next line of a run file, and its full length; no window changes them."""
    line, length = b"", 0
    while part := file.readline(seams().line_window):
        length += len(part)
        if len(line) < LONGEST:
            line += part
        if part.endswith(b"\n"):
            break
    return line[:LONGEST], length


def _query(line: bytes) -> bytes | None:
    """Return the query in a line of a run file; None if it is not a row."""
    if line.startswith(b"#"):
        return None
    fields = line.split(None, 1)
    return None if not fields or fields[0].startswith(b"#") else fields[0]


ValueColumn = Literal["score", "rank"]


# Pieces of runs: a range of bytes of a text, or a range of rows of a table.


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
    value: ValueColumn = "score"
    system: tuple[str, str] | None = None
    number: int = 0

    def rows(self) -> tuple[Rows, list[Finding]]:
        """Return the rows of a piece of a Parquet table, numbered as in the whole table, and findings."""
        first = self.start + 1
        with parquet.opened(self.path) as opened:
            frame = opened.read(self.start, self.count)
        table = InputTable(name_of(self.path), frame, first)
        column, name = self.system or (None, "")
        pairs, findings = pairs_of_rows(table, self.value, group=column)
        if column is None:
            return rows_from_arrow(pairs.frame.__arrow_c_stream__(), first), findings
        for group, rows in pairs_by_group(pairs):
            if group == name:
                return rows, findings
        empty = pairs.frame.clear().drop("group")
        return rows_from_arrow(empty.__arrow_c_stream__(), first), findings

    def __str__(self) -> str:
        return f"{name_of(self.path)}, rows {self.start + 1:,} to {self.start + self.count:,}"


def table_pieces(
    path: PathLike, most: int, value: ValueColumn, system: tuple[str, str] | None = None
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
            edges.append(min(end, _row_change_after(table, named["query"], aim)))
    if edges[-1] < end or len(edges) == 1:
        edges.append(end)
    return [replace(piece, start=start, count=stop - start) for start, stop in pairwise(edges)]


def _nearest(ends: list[int], aim: int, within: int) -> int:
    """Return the row after the end of a query that is nearest to `aim`; `aim` itself if none is near enough.

    The query of that row is compared with the one before, which is in the same group then.
    """
    place = bisect_left(ends, aim)
    near = [end + 1 for end in ends[max(0, place - 1) : place + 1] if abs(end - aim) <= within]
    return min(near, key=lambda row: abs(row - aim), default=aim)


def _row_change_after(table: ParquetTable, query: str, place: int) -> int:
    """Return the first row from `place` on whose query differs from that of the row before."""
    before, window = place - 1, seams().row_window
    while before < table.rows - 1:
        queries = table.read(before, window, [query]).to_series()
        changes = (queries != queries.shift(1)).fill_null(False).arg_true()
        if len(changes):
            return before + int(changes[0])
        before += len(queries) - 1
    return table.rows


# Run files that are scored in pieces: which they are, how large, and where they may be cut.


ROW_BYTES = 200  # memory of a table row while it is read, with its ids
TEXT_BYTES = 2.5  # memory per byte of text
PACKED = 12  # bytes of text per byte of a compressed file
MOST_PIECES = 4096


@dataclass(frozen=True)
class RunFile:
    """A run in a text file or in Parquet files, which may contain other systems."""

    path: PathLike
    files: tuple[PathLike, ...] = ()  # of a table
    system: str | None = None  # the name to use
    column: str | None = None  # with the names of systems

    @property
    def name(self) -> str:
        """The name in messages."""
        return name_of(self.path)

    @property
    def streamed(self) -> bool:
        """Whether a run file can be read twice, which interleaved queries require."""
        return bool(self.files) or can_be_read_again(self.path)

    def bytes_in_memory(self) -> float:
        """Return an estimate of the memory of all rows; not for a pipe."""
        if self.files:
            return ROW_BYTES * sum(_rows(file) for file in self.files)
        size = size_of(self.path)
        return TEXT_BYTES * size * (PACKED if is_compressed(self.path) else 1)

    def pieces(self, engine: Engine, value: ValueColumn) -> list[TextPiece] | list[TablePiece]:
        """Return the pieces of a run file, each small enough for a worker of the engine."""
        share = max(1, engine.memory // (8 * engine.workers))
        if self.files:
            most = min(max(1, share // ROW_BYTES), seams().table_rows)
            return self._table_pieces(most, value)
        if not self.streamed or is_compressed(self.path):
            return [TextPiece(self.path)]
        size = size_of(self.path)
        # Text that is scored while it is read needs little memory; rows need more than the text.
        piece = min(share if value == "score" else share / TEXT_BYTES, seams().text_piece)
        wanted = max(size / max(piece, 1), min(engine.workers, size / seams().least_piece))
        return text_pieces(self.path, int(min(max(1, wanted), MOST_PIECES)))

    def first_rows(self, value: ValueColumn) -> Rows:
        """Return the first rows of a table that belong to this run."""
        chosen = None if self.column is None else (self.column, str(self.system))
        count = min(_rows(self.files[0]), seams().row_window)
        return TablePiece(self.files[0], 0, count, value, chosen).rows()[0]

    def cut(self, count: int, value: ValueColumn) -> list[TextPiece] | list[TablePiece]:
        """Return about `count` pieces of a run file of equal size, the same in every process."""
        if self.files:
            rows = sum(_rows(file) for file in self.files)
            return self._table_pieces(max(1, ceil(rows / count)), value)
        if not self.streamed or is_compressed(self.path):
            return [TextPiece(self.path)]
        return text_pieces(self.path, count)

    def _table_pieces(self, most: int, value: ValueColumn) -> list[TablePiece]:
        chosen = None if self.column is None else (self.column, str(self.system))
        found: list[TablePiece] = []
        for file in self.files:
            found += table_pieces(file, most, value, chosen)
        return [replace(piece, number=k) for k, piece in enumerate(found)]


@contextmanager
def unchanged(file: RunFile) -> Iterator[None]:
    """Raise an error if a file changes while its pieces are read; objects check every range."""
    given = [path for path in file.files or (file.path,) if not is_address(path)]
    paths = [path for path in given if is_file(path)]
    before = [Path(path).stat() for path in paths]
    try:
        yield
    finally:  # also after an error, which a change may have caused
        for path, was in zip(paths, before, strict=True):
            if is_file(path):
                refuse_changed(was, Path(path).stat(), name_of(path))


def run_files(runs: Any, order: Order) -> list[Any]:
    """Return the given runs: files to score in pieces, and other sources read completely."""
    if isinstance(runs, str):
        found: list[Any] = []
        for path in [runs] if "://" in runs and not is_address(runs) else expand(runs):
            found += _of_path(path, order)
        return found
    if isinstance(runs, os.PathLike):
        return _of_path(os.fspath(runs), order)
    if isinstance(runs, Mapping) or is_frame(runs):
        if isinstance(runs, Mapping) and any(
            isinstance(run, str | os.PathLike) for run in runs.values()
        ):
            return [_named(str(name), run, order) for name, run in runs.items()]
        return list(read_runs(runs, order=order))
    if isinstance(runs, Iterable):
        return [run for part in runs for run in run_files(part, order)]
    return list(read_runs(runs, order=order))


def _named(name: str, run: Any, order: Order) -> Any:
    if isinstance(run, str | os.PathLike):
        path = os.fspath(run)
        if files := _table_files(path):
            return RunFile(path, files, name)
        if is_trec_text(path):
            return RunFile(pinned(path), (), name)
    return read_run(run, system=name, order=order)


def _of_path(path: str, order: Order) -> list[Any]:
    files = _table_files(path)
    if not files:
        if not is_trec_text(path):  # .csv, .jsonl and others are read completely
            return list(read_runs(path, order=order))
        if is_address(path):
            return [RunFile(pinned(path))]
        if path != STDIN and not is_file(path) and can_be_read_again(path):
            read_run(path)  # raises the usual error for a missing file
        return [RunFile(path)]
    column = column_of(_columns(files[0]), "system")
    if column is None:
        return [RunFile(path, files)]
    return [RunFile(path, files, system, column) for system in _systems(files, column)]


def _table_files(path: str) -> tuple[PathLike, ...]:
    """Return the Parquet files of a path: itself, or those in a folder; empty for other paths."""
    if is_address(path):
        return _table_objects(path)
    if is_folder(path):
        files = sorted(
            str(file) for suffix in parquet.SUFFIXES for file in Path(path).rglob(f"*{suffix}")
        )
        if not files:
            raise UnreadableError(
                f"{name_of(path)} is a folder without Parquet files; a run in parts is a folder of them."
            )
        return tuple(files)
    if plain_suffix(path) not in parquet.SUFFIXES:
        return ()
    if not is_file(path):
        parquet.read(path)  # raises the usual error for a missing file
    return (path,)


def _table_objects(address: str) -> tuple[PathLike, ...]:
    """Return the Parquet objects of an address; the address of a folder ends with a slash."""
    if not address.endswith("/"):
        return (pinned(address),) if plain_suffix(address) in parquet.SUFFIXES else ()
    found = [one for one in addresses_like(address) if plain_suffix(one) in parquet.SUFFIXES]
    if not found:
        raise UnreadableError(
            f"{name_of(address)}: no Parquet objects are here; a run in parts is a folder of them."
        )
    return tuple(map(pinned, found))


def _columns(file: PathLike) -> list[str]:
    with parquet.opened(file) as table:
        return table.columns


def _rows(file: PathLike) -> int:
    with parquet.opened(file) as table:
        return table.rows


def _systems(files: tuple[PathLike, ...], column: str) -> list[str]:
    """Return the systems of a table, in order of first appearance."""
    found: dict[str, None] = {}
    for file in files:
        with parquet.opened(file) as table:
            first = 1
            for named in table.batches(column):
                rows = InputTable(name_of(file), named.to_frame(), first)
                rows.refuse_missing(ids_of(named), "system")
                found |= dict.fromkeys(map(str, named.unique(maintain_order=True)))
                first += len(named)
    if not found:
        raise FormatError(f"{name_of(files[0])}: no ranked documents found; the table is empty.")
    return list(found)
