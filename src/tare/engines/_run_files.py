"""Run files that are scored in pieces: which they are, how large, and where they may be cut."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import Any, Literal

from tare._choices import Order
from tare._data.formats import parquet
from tare._data.frames import is_frame
from tare._data.rows import is_trec_text
from tare._data.runs import expand, read_run, read_runs, system_column
from tare._files.addresses import is_address, is_file, is_folder
from tare._files.opening import (
    STDIN,
    PathLike,
    can_be_read_again,
    is_compressed,
    name_of,
    pinned,
    plain_suffix,
    refuse_changed,
    size_of,
)
from tare._kernels import Rows
from tare._kernels.threads_and_blocks import seams
from tare.engines._engine import Engine
from tare.engines._pieces import TablePiece, TextPiece, table_pieces, text_pieces
from tare.errors import FormatError, UnreadableError

__all__ = ["ROW_BYTES", "TEXT_BYTES", "RunFile", "ValueColumn", "run_files", "unchanged"]

ROW_BYTES = 200  # memory of a table row while it is read, with its ids
TEXT_BYTES = 2.5  # memory per byte of text
PACKED = 12  # bytes of text per byte of a compressed file
MOST_PIECES = 4096
ValueColumn = Literal["score", "rank"]


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
        """Whether it can be read twice, which interleaved queries require."""
        return bool(self.files) or can_be_read_again(self.path)

    def bytes_in_memory(self) -> float:
        """Return an estimate of the memory of all rows; not for a pipe."""
        if self.files:
            return ROW_BYTES * sum(_rows(file) for file in self.files)
        size = size_of(self.path)
        return TEXT_BYTES * size * (PACKED if is_compressed(self.path) else 1)

    def pieces(self, engine: Engine, value: ValueColumn) -> list[TextPiece] | list[TablePiece]:
        """Return pieces that are small enough for a worker of the engine."""
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
        """Return about `count` pieces of equal size, the same in every process."""
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
    column = system_column(_columns(files[0]))
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
    from tare._files.cloud import addresses_like

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
                if named.null_count():
                    row = first + int(named.is_null().arg_true()[0])
                    raise FormatError(
                        f"{name_of(file)}, row {row}: the system is missing (column {column!r})."
                    )
                found |= dict.fromkeys(map(str, named.unique(maintain_order=True)))
                first += len(named)
    if not found:
        raise FormatError(f"{name_of(files[0])}: no ranked documents found; the table is empty.")
    return list(found)
