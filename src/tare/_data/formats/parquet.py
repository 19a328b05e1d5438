"""Parquet files, read with pyarrow: a damaged or changing file gives an error, not a crash."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import IO, TYPE_CHECKING

from tare._data.formats.arrow_metadata import without_metadata
from tare._data.formats.guard import guarded
from tare._data.source import (
    PathLike,
    name_of,
    open_source,
    pinned,
    read_all,
    refuse_changed,
    size_of,
)
from tare._kernels.seams import seams
from tare._places import is_file
from tare._stores.addresses import is_address
from tare._writing import write_bytes
from tare.errors import DataError, FormatError, OptionError, TareError, UnreadableError

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa
    import pyarrow.parquet as pq

__all__ = ["SUFFIXES", "ParquetTable", "is_remote", "metadata", "opened", "read", "write"]

SUFFIXES = (".parquet", ".pq")
CELL_BYTES = 8
MAX_BYTES = 4 << 30
MAX_RATIO = 64
"""A table may need 4 GiB and 64 times the size of its file. Larger claims are damage or an attack."""


class ParquetTable:
    """An open Parquet file: its columns and rows, decoded on request.

    Repetitive text columns are decoded as dictionaries, which takes less than half the time.
    """

    def __init__(self, file: IO[bytes] | str, name: str, size: int, *, ahead: bool = False) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self.name = name
        handle = _remote(file) if isinstance(file, str) else pa.PythonFile(file, mode="r")
        with _decoding(name):
            plain = pq.ParquetFile(handle)
            _refuse_bomb(plain, name, size or handle.size())
            self._repetitive = _repetitive(plain)
            self._file = pq.ParquetFile(
                handle,
                metadata=plain.metadata,
                read_dictionary=self._repetitive,
                pre_buffer=ahead,
            )
            self._names = list(plain.schema_arrow.names)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._names

    @property
    def rows(self) -> int:
        """The number of rows according to the footer."""
        return int(self._file.metadata.num_rows)

    @property
    def group_ends(self) -> list[int]:
        """The row after the last one of each row group; to read some rows of a group decodes all before."""
        about = self._file.metadata
        counts = (about.row_group(k).num_rows for k in range(about.num_row_groups))
        return list(accumulate(counts))

    @property
    def bytes(self) -> int:
        """The size of all rows before compression, according to the footer."""
        about = self._file.metadata
        return sum(about.row_group(k).total_byte_size for k in range(about.num_row_groups))

    @property
    def metadata(self) -> dict[str, str]:
        """The key-value metadata of the footer; entries that are not UTF-8 are left out."""
        found: dict[str, str] = {}
        for key, value in (self._file.metadata.metadata or {}).items():
            try:
                found[key.decode()] = value.decode()
            except UnicodeDecodeError:
                continue
        return found

    def read(
        self, start: int = 0, count: int | None = None, columns: Sequence[str] | None = None
    ) -> pl.DataFrame:
        """Return `count` rows from row `start` on (default: all), of some columns or of all."""
        table = self.table(start, count, columns)
        with _decoding(self.name):
            return self._frame(table)

    def table(
        self, start: int = 0, count: int | None = None, columns: Sequence[str] | None = None
    ) -> pa.Table:
        """Return the same as an Arrow table, all of it validated; repetitive texts are dictionaries."""
        import pyarrow as pa

        stop = self.rows if count is None else min(self.rows, start + count)
        names = self._names if columns is None else list(columns)
        with _decoding(self._where(start, stop)):
            if (start, stop) == (0, self.rows):
                table = self._file.read(columns=columns)
            else:
                batches = list(self._batches(start, stop, columns))
                schema = self._file.schema_arrow
                empty = pa.schema([schema.field(name) for name in names])
                table = pa.Table.from_batches(batches) if batches else empty.empty_table()
            if len(table) != max(0, stop - start):
                raise ValueError(f"{len(table):,} rows found, {stop - start:,} expected")
            table.validate(full=True)  # UTF-8 and indices; others trust them
            return table

    def batches(self, column: str) -> Iterator[pl.Series]:
        """Yield the values of one column, some rows at a time."""
        import pyarrow as pa

        with _decoding(self.name):
            for batch in self._file.iter_batches(seams().table_batch, columns=[column]):
                table = pa.Table.from_batches([batch])
                table.validate(full=True)
                yield self._frame(table).to_series()

    def _frame(self, table: pa.Table) -> pl.DataFrame:
        import polars as pl

        frame = pl.DataFrame(pl.from_arrow(without_metadata(table)))
        texts = [name for name in self._repetitive if name in frame.columns]
        return frame.with_columns(pl.col(texts).cast(pl.String)) if texts else frame

    def _batches(
        self, start: int, stop: int, columns: Sequence[str] | None
    ) -> Iterator[pa.RecordBatch]:
        groups, first, place = [], None, 0
        for number in range(self._file.metadata.num_row_groups):
            rows = self._file.metadata.row_group(number).num_rows
            if place < stop and start < place + rows:
                groups.append(number)
                first = place if first is None else first
            place += rows
        place = first or 0
        most = max(1, min(seams().table_batch, stop - start))
        for batch in self._file.iter_batches(most, groups, columns):
            low, high = max(start - place, 0), min(stop - place, len(batch))
            if low < high:
                yield batch.slice(low, high - low)
            place += len(batch)
            if place >= stop:
                return

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
            yield ParquetTable(file, name, size_of(source), ahead=True)
        return
    if is_remote(source):
        yield ParquetTable(os.fspath(source), name, 0)
        return
    if not is_file(source):  # a pipe; or it raises an error for what cannot be read
        data = read_all(source)
        yield ParquetTable(io.BytesIO(data), name, len(data))
        return
    with open_source(source) as raw:
        before = os.fstat(raw.fileno())
        try:
            yield ParquetTable(io.BufferedReader(raw), name, before.st_size)  # type: ignore[type-var]
        finally:
            refuse_changed(before, os.fstat(raw.fileno()), name)


def is_remote(source: PathLike) -> bool:
    """Whether a source is a URI, such as hdfs://host/run.parquet."""
    return "://" in os.fspath(source)


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


def _remote(uri: str) -> pa.NativeFile:
    from pyarrow import fs

    try:
        files, path = fs.FileSystem.from_uri(uri)
        return files.open_input_file(path)
    except (OSError, ValueError) as error:
        name = name_of(uri)
        raise UnreadableError(
            f"{name}: {str(error).replace(uri, name)} Accepted: s3://, gs://, az://, https://, abfs:// and hdfs:// URIs."
        ) from None


def _refuse_bomb(file: pq.ParquetFile, name: str, size: int) -> None:
    about = file.metadata
    groups = [about.row_group(number) for number in range(about.num_row_groups)]
    needed = max(
        CELL_BYTES * about.num_columns * max(about.num_rows, sum(g.num_rows for g in groups)),
        sum(group.total_byte_size for group in groups),
    )
    if needed > MAX_BYTES + MAX_RATIO * size:
        raise DataError(
            f"{name}: {size:,} bytes claim to hold {about.num_rows:,} rows, which need {needed:,} "
            f"bytes of memory. At most 4 GiB plus {MAX_RATIO} times the file size is accepted. The "
            "file is damaged; if not, split it."
        )


def _repetitive(file: pq.ParquetFile) -> list[str]:
    """Return the text columns whose chunks are dictionaries with few bytes per value."""
    import pyarrow as pa

    texts = {
        field.name
        for field in file.schema_arrow
        if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
    }
    about = file.metadata
    found = []
    for number in range(about.num_columns if about.num_row_groups else 0):
        chunk = about.row_group(0).column(number)
        few = chunk.total_uncompressed_size < 4 * chunk.num_values
        if chunk.path_in_schema in texts and chunk.has_dictionary_page and few:
            found.append(chunk.path_in_schema)
    return found


@contextmanager
def _decoding(name: str) -> Iterator[None]:
    """Turn every failure of pyarrow into a FormatError."""
    import pyarrow as pa

    with guarded(name, "a readable Parquet file"):
        try:
            yield
        except (TareError, MemoryError):
            raise
        except (pa.ArrowException, LookupError, NotImplementedError) as error:
            raise FormatError(
                f"{name}: not a readable Parquet file: {_first_line(error)}"
            ) from None
        except OSError as error:
            if error.errno is not None:  # of the system; pyarrow reports damage without a number
                raise
            raise FormatError(
                f"{name}: not a readable Parquet file: {_first_line(error)}"
            ) from None


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:300] if lines else type(error).__name__
