"""Buckets of rows in an unnamed temporary file.

A small file stays in memory. On disk the file has no name, so the system removes it when the process
ends, even if it is killed.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from tare.engines._memory import format_size
from tare.errors import EngineError

__all__ = ["DiskBucket", "DiskBuckets"]

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class DiskBuckets:
    """Buckets in one temporary file; extents give the position of each chunk."""

    def __init__(self, count: int, folder: str | os.PathLike[str] | None, in_memory: int) -> None:
        self.count = count
        self.folder = Path(folder or tempfile.gettempdir())
        self._extents: list[list[tuple[int, int, int, int]]] = [[] for _ in range(count)]
        self._size = 0
        self._lock = Lock()
        self._failure: EngineError | None = None
        if not self.folder.is_dir():
            raise EngineError(
                f"{self.folder}: no such folder for temporary files. Choose another with --temporary "
                "or the environment variable TMPDIR."
            )
        self._file = _unnamed(max(in_memory, 1), self.folder)

    def deal(self, partition: int, number: int, chunks: Sequence[bytes]) -> None:
        """Store chunks of a partition; `number` counts its calls."""
        with self._lock:
            if self._failure is not None:  # raised by another thread
                raise self._failure
            try:
                for extents, chunk in zip(self._extents, chunks, strict=True):
                    if chunk:
                        self._file.seek(self._size)
                        self._file.write(chunk)
                        extents.append((partition, number, self._size, len(chunk)))
                        self._size += len(chunk)
                self._file.flush()
            except OSError as error:
                self.close()
                self._failure = _disk_error(error, self.folder, self._size)
                raise self._failure from error

    def read(self, bucket: int) -> list[bytes]:
        """Return the chunks of a bucket, in the order of the partitions."""
        found = []
        with self._lock:
            for _, _, start, length in sorted(self._extents[bucket]):
                self._file.seek(start)
                found.append(self._file.read(length))
        return found

    def all(self) -> Sequence[DiskBucket]:
        """Return all buckets."""
        return [DiskBucket(self, bucket) for bucket in range(self.count)]

    def close(self) -> None:
        """Delete the file."""
        try:
            self._file.close()
        except OSError:  # unwritten data is not needed any more
            self._file = _unnamed(1, self.folder)


@dataclass(frozen=True)
class DiskBucket:
    """One bucket of a temporary file."""

    store: DiskBuckets
    number: int

    def chunks(self) -> list[bytes]:
        """Return all chunks."""
        return self.store.read(self.number)

    def __str__(self) -> str:
        return f"bucket {self.number + 1} of {self.store.count}"


def _unnamed(in_memory: int, folder: Path) -> tempfile.SpooledTemporaryFile[bytes]:
    return tempfile.SpooledTemporaryFile(max_size=in_memory, mode="w+b", dir=str(folder))


def _disk_error(error: OSError, folder: Path, written: int) -> EngineError:
    if error.errno in FULL:
        return EngineError(
            f"{folder}: the disk for temporary files is full; {format_size(written)} of rows were "
            "written and have been removed. Free some space, choose another folder with --temporary "
            "or TMPDIR, or sort the run by query, which needs no temporary files."
        )
    return EngineError(f"{folder}: cannot write temporary files: {error}.")
