"""Files of summaries in pieces: ranges of lines of a JSON-lines file, or of rows of a Parquet file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader, RawIOBase
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, cast

from tare._data.formats import jsonl, parquet
from tare._data.source import (
    PathLike,
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
from tare._data.summaries import Summaries, read_summaries, summaries_of_rows
from tare._data.summary_rows import Converted, converted
from tare._kernels.seams import seams
from tare._places import is_file
from tare._stores.addresses import is_address

__all__ = [
    "JsonPiece",
    "ParquetPiece",
    "SummaryFile",
    "SummaryPiece",
    "rows_of_piece",
    "summaries_of_piece",
    "summary_file",
]

COPIES = 4  # a text is in memory about this often: as bytes, as a string, as tokens
ROW_BYTES = 1_000  # the least memory of a row of a Parquet file
MOST_PIECES = 16_384


class Objects(NamedTuple):
    """The objects of a piece, problems of its lines, and the number of lines that end in it."""

    values: list[dict[str, Any]]
    problems: list[str]
    lines: int


@dataclass(frozen=True)
class JsonPiece:
    """A range of bytes of a JSON-lines file."""

    path: PathLike
    system: str
    start: int
    stop: int

    def objects(self, first: int = 1) -> Objects:
        """Return the objects and the problems of lines, of which the first has the number `first`."""
        blocks = ranged_blocks(self.path, self.start, self.stop)
        data = b"".join(block.tobytes() for block in blocks)
        values, problems = jsonl.parsed(data, name_of(self.path), "text", first)
        return Objects(values, problems, data.count(b"\n"))

    def __str__(self) -> str:
        return f"{name_of(self.path)}, bytes {self.start:,} to {self.stop:,}"


@dataclass(frozen=True)
class ParquetPiece:
    """A range of rows of a Parquet file."""

    path: PathLike
    system: str
    start: int
    count: int

    def objects(self, first: int = 1) -> Objects:
        """Return the rows as dictionaries; there are no lines."""
        with parquet.opened(self.path) as table:
            return Objects(table.read(self.start, self.count).rows(named=True), [], 0)

    def __str__(self) -> str:
        return f"{name_of(self.path)}, rows {self.start + 1:,} to {self.start + self.count:,}"


SummaryPiece = JsonPiece | ParquetPiece


def rows_of_piece(piece: SummaryPiece, values: list[dict[str, Any]], first: int = 1) -> Converted:
    """Return the rows of the objects of a piece, of which the first has the number `first`."""
    return converted(values, piece.system, name_of(piece.path), first)


def summaries_of_piece(piece: SummaryPiece) -> Summaries:
    """Return the texts of a piece."""
    rows = rows_of_piece(piece, piece.objects().values).rows
    return summaries_of_rows(rows, name_of(piece.path))


@dataclass(frozen=True)
class SummaryFile:
    """A table of summaries that can be read in pieces: a plain .jsonl file, or a .parquet file."""

    path: PathLike
    system: str
    before: os.stat_result | None = None  # of a file, when it was first seen

    @property
    def name(self) -> str:
        """The name in messages."""
        return name_of(self.path)

    def read(self) -> Summaries:
        """Return all texts."""
        return read_summaries(self.path, system=self.system)

    def pieces(self, memory: int, workers: int) -> list[SummaryPiece]:
        """Return pieces of which each worker can hold one, within the memory of all of them."""
        share = max(1, memory // (2 * COPIES * workers))
        if plain_suffix(self.path) in parquet.SUFFIXES:
            return self._row_pieces(share)
        size = size_of(self.path)
        most = min(share, seams().text_piece)
        wanted = max(size / most, min(workers, size / seams().least_piece))
        edges = self._edges(size, int(min(max(1, wanted), MOST_PIECES)))
        return [JsonPiece(self.path, self.system, a, b) for a, b in pairwise(edges)]

    def _row_pieces(self, share: int) -> list[SummaryPiece]:
        with parquet.opened(self.path) as table:
            rows, each = table.rows, max(ROW_BYTES, table.bytes // max(1, table.rows))
        most = min(max(1, share // each), seams().table_rows)
        starts = range(0, max(rows, 1), most)
        return [ParquetPiece(self.path, self.system, a, min(most, rows - a)) for a in starts]

    def _edges(self, size: int, count: int) -> list[int]:
        """Return the ends of lines that are nearest after equal shares of the file."""
        edges = [0]
        with BufferedReader(cast(RawIOBase, open_source(self.path)), seams().line_window) as file:
            for k in range(1, count):
                aim = size * k // count
                if aim <= edges[-1]:
                    continue
                file.seek(aim - 1)
                while (part := file.readline(seams().line_window)) and not part.endswith(b"\n"):
                    pass
                edges.append(file.tell())
        return sorted({*edges, size})

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Raise an error if the file changes while its pieces are read; objects check every range."""
        try:
            yield
        finally:  # also after an error, which a change may have caused
            if self.before is not None and is_file(self.path):
                refuse_changed(self.before, Path(self.path).stat(), self.name)


def summary_file(source: object, system: str | None = None) -> SummaryFile | None:
    """Return the file of summaries that can be read in pieces; None for any other source."""
    if not isinstance(source, str | os.PathLike):
        return None
    suffix, path = plain_suffix(source), os.fspath(source)
    if suffix not in (*jsonl.SUFFIXES, *parquet.SUFFIXES) or not can_be_read_again(path):
        return None
    if not is_address(path) and not is_file(path):
        return None
    if suffix in jsonl.SUFFIXES and (is_compressed(path) or not size_of(path)):
        return None
    before = None if is_address(path) else Path(path).stat()
    return SummaryFile(pinned(path), system or Path(name_of(path)).name.split(".")[0], before)
