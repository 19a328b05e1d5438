"""Compressed data: gzip and zstd, recognised by their first bytes and unpacked block by block."""

from __future__ import annotations

import gzip
import io
import os
import stat
import zlib
from collections.abc import Iterator
from typing import IO, cast

import numpy as np
from numpy.typing import NDArray

from tare._kernels.seams import seams
from tare.errors import UnreadableError

__all__ = ["COMPRESSED", "compressed", "has_compressed_head", "unpacked"]

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
SKIPPED = b"\x2a\x4d\x18"  # bytes 2 to 4 of a skippable frame, with which pzstd begins a file
COMPRESSED = (".gz", ".zst", ".zstd")
MIN_SUSPICIOUS = 64 << 20
MAX_RATIO = 250
"""Text expands to 3 to 50 times its compressed size. A much larger ratio is a decompression bomb."""


def has_compressed_head(head: bytes) -> bool:
    """Return whether the first four bytes of a file are those of gzip or zstd."""
    return head[:2] == GZIP or _is_zstd(head)


def _is_zstd(head: bytes) -> bool:
    """Return whether four bytes begin a frame of zstd, one with data or a skippable one."""
    return head == ZSTD or (head[1:] == SKIPPED and head[0] & 0xF0 == 0x50)


def compressed(data: bytes, suffix: str) -> bytes:
    """Compress data in the format of a suffix; other suffixes leave them unchanged."""
    if suffix == ".gz":
        return gzip.compress(data, mtime=0)
    if suffix in COMPRESSED:
        import zstandard

        return zstandard.ZstdCompressor().compress(data)
    return data


def unpacked(file: IO[bytes], block: int, name: str) -> Iterator[NDArray[np.uint8]]:
    """Yield the content of a file in blocks, decompressed if necessary."""
    head = file.read(4) or b""
    while len(head) < 4 and (more := file.read(4 - len(head))):
        head += more
    if head[:2] == GZIP:
        made = 0
        for part, taken in _gzip(head, file):
            made += len(part)
            _refuse_bomb(made, taken, name)
            yield part
    elif _is_zstd(head):
        yield from _gathered(_zstd(head, file, name))
    else:
        if head:
            yield np.frombuffer(head, dtype=np.uint8)
        yield from _read_into(file, block)


def _read_into(file: IO[bytes], block: int) -> Iterator[NDArray[np.uint8]]:
    """Yield the content of a file in blocks, of which each takes the place of the one before."""
    buffer = np.empty(block, dtype=np.uint8)
    while count := cast(io.RawIOBase, file).readinto(buffer.data):
        yield buffer[:count]


def _gzip(head: bytes, file: IO[bytes]) -> Iterator[tuple[NDArray[np.uint8], int]]:
    """Yield the content in blocks, each with the number of compressed bytes that were taken."""
    packed = _Rejoined(head, file)
    damage: tuple[type[Exception], ...] = (zlib.error,)
    try:
        from isal import igzip_threaded, isal_zlib
    except ImportError:  # it has no wheel for this platform
        opened = cast(IO[bytes], gzip.GzipFile(fileobj=_Prompt(packed)))
    else:
        # An overflow is a header that is longer than its buffer.
        damage = (cast(type[Exception], isal_zlib.error), OverflowError)
        # A thread that reads ahead could wait for the rest of a pipe after its reader has stopped.
        threads = int(_is_regular(file))
        opened = igzip_threaded.open(packed, threads=threads)  # type: ignore[no-untyped-call]
    with opened as unpacked:
        try:
            # The threaded reader can report an end when its thread ends just then; the second time, all
            # that the thread left has been taken.
            for _ in range(2):
                for part in _read_into(unpacked, seams().unpacked_block):
                    yield part, packed.taken
        except damage as error:
            raise zlib.error(str(error)) from None
    if not packed.ended:  # the reader's thread stops with the thread that began to read
        raise EOFError("the thread that read it has ended")


def _is_regular(file: IO[bytes]) -> bool:
    try:
        return stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    except (AttributeError, OSError):  # an object of a store
        return False


def _gathered(parts: Iterator[bytes]) -> Iterator[NDArray[np.uint8]]:
    """Join parts to blocks: a frame of zstd can be decompressed in many small ones."""
    held: list[bytes] = []
    size = 0
    for part in parts:
        held.append(part)
        size += len(part)
        if size >= seams().unpacked_block:
            yield np.frombuffer(b"".join(held), dtype=np.uint8)
            held, size = [], 0
    if size:
        yield np.frombuffer(b"".join(held), dtype=np.uint8)


def _zstd(head: bytes, file: IO[bytes], name: str) -> Iterator[bytes]:
    import zstandard

    unpacker = zstandard.ZstdDecompressor().decompressobj()
    packed = head
    taken, made = len(head), 0
    try:
        while packed:
            # Small pieces limit how much a decompression bomb can expand at once.
            out = unpacker.decompress(packed)
            made += len(out)
            _refuse_bomb(made, taken, name)
            if out:
                yield out
            packed = file.read(seams().packed_block)
            taken += len(packed)
            if unpacker.eof:  # another frame may follow
                packed = unpacker.unused_data + packed
                if packed:
                    unpacker = zstandard.ZstdDecompressor().decompressobj()
    except zstandard.ZstdError as error:
        raise UnreadableError(
            f"{name}: the zstd data are damaged ({error}). Download or create the file again."
        ) from error
    if not unpacker.eof:
        raise UnreadableError(
            f"{name}: the zstd data end too early. Download or create the file again; "
            "`zstd -t` checks a file."
        )


def _refuse_bomb(made: int, taken: int, name: str) -> None:
    if made > MIN_SUSPICIOUS and made > MAX_RATIO * taken:
        raise UnreadableError(
            f"{name}: {taken:,} compressed bytes expand to more than {made:,}; at most {MAX_RATIO} times "
            "the size is accepted. If the file is correct, decompress it first."
        )


class _Prompt(io.BufferedReader):
    """A buffered reader that returns what a pipe holds; from Python 3.12 on gzip asks for 128 KiB at once."""

    def read(self, size: int | None = -1) -> bytes:
        large = size is not None and size > 1024
        return self.read1(size or 0) if large else super().read(size)


class _Rejoined(io.RawIOBase):
    """A stream that starts with bytes already read, followed by the rest of the file."""

    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self._head = head
        self._rest = rest
        self.taken = len(head)
        self.ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        # Few bytes at once, so that `taken` is not far ahead of what was made of them.
        view = memoryview(cast(bytearray, buffer))[: seams().gzip_block]
        if self._head:
            count = min(len(self._head), len(view))
            view[:count] = self._head[:count]
            self._head = self._head[count:]
            return count
        count = cast(io.RawIOBase, self._rest).readinto(view) or 0
        self.taken += count
        self.ended = not count
        return count
