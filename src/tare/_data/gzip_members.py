"""Large gzip files: decompressed ahead of their reader, and several members at the same time.

A gzip file is a sequence of members, and a member does not contain its compressed size. So threads look for bytes
that may begin a member and decompress from there; the reader takes a result only if the member before ends
exactly at its first byte. What the reader gets is what decompression from the first to the last byte gives.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections import deque
from collections.abc import Iterator
from threading import Condition, Thread
from typing import Any

from tare._kernels.seams import seams
from tare._kernels.threads import cores

inflate: Any
try:  # ISA-L takes little more than half the time of zlib; its wheels are not there for every platform
    from isal import isal_zlib as inflate
except ImportError:
    inflate = zlib

__all__ = ["Unpacked", "gzip_members"]

MAGIC = b"\x1f\x8b\x08"
WITH_HEADER = 31  # the header of a member is read, and its CRC and its length are checked

Unpacked = tuple[bytes, int]
"""Decompressed bytes, and the offset in the file up to which they were read."""


def gzip_members(file: int, start: int) -> Iterator[Unpacked]:
    """Yield the content of a gzip file with a descriptor that can be read at any offset.

    Raises EOFError, zlib.error or gzip.BadGzipFile after the bytes that come before the damage.
    """
    members = _Members(file, start)
    workers = []
    try:
        try:
            for _ in range(cores()):
                worker = Thread(target=members.work, name="gzip", daemon=True)
                worker.start()
                workers.append(worker)
        except RuntimeError:  # the system gives no more threads; the reader needs none
            pass
        yield from members.read()
    finally:
        members.stop()
        for worker in workers:
            worker.join()


class _Member:
    """A member that a thread decompresses, from its first byte on."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.parts: deque[Unpacked] = deque()
        self.held = 0  # bytes of the parts
        self.end: int | None = None  # set after the last part
        self.failure: Exception | None = None
        self.dropped = False

    @property
    def ended(self) -> bool:
        return self.end is not None or self.failure is not None


class _Members:
    def __init__(self, file: int, start: int) -> None:
        self._file = file
        self._changed = Condition()
        self._begun: dict[int, _Member] = {}  # by first byte
        self._at = start  # the first byte of the member that is read
        self._searched = start  # no member that nobody began is before this offset
        self._stopped = False
        self._most = max(1, seams().unpacked_ahead // cores())

    def stop(self) -> None:
        """Let all threads end."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def read(self) -> Iterator[Unpacked]:
        """Yield the content of all members in order."""
        while True:
            with self._changed:
                member = self._begun.pop(self._at, None)
                if member is None:  # no thread found it
                    self._searched = max(self._searched, self._at + 1)
            if member is None:
                for part, at in _decompressed(self._file, self._at):
                    yield part, at
                    end = at
            else:
                yield from self._parts_of(member)
                assert member.end is not None
                end = member.end
            if (following := self._following(end)) is None:
                return
            with self._changed:
                self._at = following
                for before in [begun for begun in self._begun if begun < following]:
                    self._begun.pop(before).dropped = True  # it was not the beginning of a member
                self._changed.notify_all()

    def _parts_of(self, member: _Member) -> Iterator[Unpacked]:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: member.parts or member.ended)
                if not member.parts:
                    break
                part = member.parts.popleft()
                member.held -= len(part[0])
                self._changed.notify_all()
            yield part
        if member.failure is not None:
            raise member.failure

    def _following(self, end: int) -> int | None:
        """Return the first byte of the next member; zeros between members are skipped, as gzip does."""
        while data := os.pread(self._file, seams().gzip_block, end):
            rest = data.lstrip(b"\0")
            end += len(data) - len(rest)
            if rest:
                head = rest if len(rest) > 1 else os.pread(self._file, 2, end)
                if head[:2] != MAGIC[:2]:
                    raise gzip.BadGzipFile(f"Not a gzipped file ({head[:2]!r})")
                return end
        return None

    def work(self) -> None:
        """Decompress members until there are no more."""
        while (member := self._next()) is not None:
            try:
                self._decompress(member)
            except (EOFError, OSError, zlib.error) as error:
                with self._changed:
                    member.failure = error
                    self._changed.notify_all()

    def _decompress(self, member: _Member) -> None:
        def wanted() -> bool:
            return self._stopped or member.dropped or member.held < self._most

        for part, at in _decompressed(self._file, member.start):
            with self._changed:
                member.parts.append((part, at))
                member.held += len(part)
                self._changed.notify_all()
                self._changed.wait_for(wanted)
                if self._stopped or member.dropped:
                    return
        with self._changed:
            member.end = at
            self._changed.notify_all()

    def _next(self) -> _Member | None:
        """Begin the next member, or what looks like one."""
        while True:
            with self._changed:
                if self._stopped:
                    return None
                at = max(self._searched, self._at)
                size = seams().gzip_block
                data = os.pread(self._file, size + 9, at)
                if not data:
                    return None
                found = _header_in(data, size)
                self._searched = at + size if found is None else at + found + 1
                if found is not None:
                    member = _Member(at + found)
                    self._begun[member.start] = member
                    return member


def _header_in(data: bytes, size: int) -> int | None:
    """Return the place of the first header that begins in the first bytes, which programs write like this."""
    place = data.find(MAGIC)
    while 0 <= place < size:
        head = data[place : place + 10]
        # no reserved flags; the extra flags of a level of compression; a known system
        if (
            len(head) == 10
            and head[3] < 32
            and head[8] in (0, 2, 4)
            and (head[9] < 20 or head[9] == 255)
        ):
            return place
        place = data.find(MAGIC, place + 1)
    return None


def _decompressed(file: int, at: int) -> Iterator[Unpacked]:
    """Yield the parts of one member, each with the offset up to which the file was read."""
    unpacker = inflate.decompressobj(WITH_HEADER)
    sizes = seams()
    data = b""
    while not unpacker.eof:
        if not data:
            data = os.pread(file, sizes.gzip_block, at)
            at += len(data)
        try:
            part = unpacker.decompress(data, sizes.unpacked_block)
        except inflate.error as error:
            raise zlib.error(str(error)) from None
        if not data and not part and not unpacker.eof:
            raise EOFError("Compressed file ended before the end-of-stream marker was reached")
        data = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
        yield part, at - len(data)
