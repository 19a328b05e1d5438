"""Objects as files: with random access, or read from beginning to end."""

from __future__ import annotations

import io
from collections.abc import Generator
from typing import Any, Protocol

__all__ = ["RangedFile", "Stream"]


class Ranges(Protocol):
    """What is read in ranges of bytes."""

    @property
    def size(self) -> int:
        """The number of bytes."""
        ...

    def read(self, start: int, stop: int) -> memoryview:
        """Return a range of bytes."""
        ...


class RangedFile(io.RawIOBase):
    """Random access to an object."""

    def __init__(self, stored: Ranges) -> None:
        self._stored, self._place = stored, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, place: int, whence: int = 0) -> int:
        self._place = place + (0, self._place, self._stored.size)[whence]
        return self._place

    def size(self) -> int:
        return self._stored.size

    def readinto(self, buffer: Any) -> int:
        stop = min(self._stored.size, self._place + len(buffer))
        data = self._stored.read(self._place, stop)
        buffer[: len(data)] = data
        self._place += len(data)
        return len(data)


class Stream(io.RawIOBase):
    """A file without seeking, made of ranges."""

    def __init__(self, ranges: Generator[memoryview, None, None]) -> None:
        self._ranges = ranges
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._left:
            self._left = next(self._ranges, memoryview(b""))
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        return count

    def close(self) -> None:
        self._ranges.close()
        super().close()
