"""Chunks of rows that wait on the disk, in a file without a name.

The file is in the memory while it is small. On the disk it has no name: the system removes it when
the process ends, however it ends.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from tare.engines._memory import in_words
from tare.errors import EngineError

__all__ = ["DiskBucket", "DiskBuckets"]

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class DiskBuckets:
    """Buckets in one temporary file, whose chunks are found by their extents."""

    def __init__(self, count: int, folder: str | os.PathLike[str] | None, in_memory: int) -> None:
        self.count = count
        self.folder = Path(folder or tempfile.gettempdir())
        self._extents: list[list[tuple[int, int, int, int]]] = [[] for _ in range(count)]
        self._size = 0
        self._lock = Lock()
        self._failure: EngineError | None = None
        if not self.folder.is_dir():
            raise EngineError(
                f"{self.folder}: no such folder for temporary files. Name another with --temporary "
                "or the variable TMPDIR."
            )
        self._file = _unnamed(max(in_memory, 1), self.folder)

    def deal(self, partition: int, number: int, chunks: Sequence[bytes]) -> None:
        """Keeps the chunks that a partition dealt, its `number`-th deal."""
        with self._lock:
            if self._failure is not None:  # met by another thread
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
                self._failure = _told(error, self.folder, self._size)
                raise self._failure from error

    def read(self, bucket: int) -> list[bytes]:
        """The chunks of a bucket, in the order of the partitions."""
        found = []
        with self._lock:
            for _, _, start, length in sorted(self._extents[bucket]):
                self._file.seek(start)
                found.append(self._file.read(length))
        return found

    def all(self) -> Sequence[DiskBucket]:
        """The buckets."""
        return [DiskBucket(self, bucket) for bucket in range(self.count)]

    def close(self) -> None:
        """Gives the disk back."""
        try:
            self._file.close()
        except OSError:  # what could not be written need not be either
            self._file = _unnamed(1, self.folder)


@dataclass(frozen=True)
class DiskBucket:
    """One bucket of a temporary file."""

    store: DiskBuckets
    number: int

    def chunks(self) -> list[bytes]:
        """All its chunks."""
        return self.store.read(self.number)

    def __str__(self) -> str:
        return f"bucket {self.number + 1} of {self.store.count}"


def _unnamed(in_memory: int, folder: Path) -> tempfile.SpooledTemporaryFile[bytes]:
    return tempfile.SpooledTemporaryFile(max_size=in_memory, mode="w+b", dir=str(folder))


def _told(error: OSError, folder: Path, written: int) -> EngineError:
    if error.errno in FULL:
        return EngineError(
            f"{folder}: the disk for temporary files is full; {in_words(written)} of rows were "
            "written and are removed again. Free some space, name another folder with --temporary "
            "or TMPDIR, or sort the run by query: then nothing needs to be written."
        )
    return EngineError(f"{folder}: temporary files cannot be written there: {error}.")
