"""Compressed data: gzip and zstd, recognised by their first bytes and unpacked block by block."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from typing import IO, cast

import numpy as np
from numpy.typing import NDArray

from tare._kernels.seams import seams
from tare.errors import UnreadableError

__all__ = ["COMPRESSED", "compressed", "has_compressed_head", "unpacked"]

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
COMPRESSED = (".gz", ".zst", ".zstd")
MIN_SUSPICIOUS = 64 << 20
MAX_RATIO = 250
"""Text expands to 3 to 50 times its compressed size. A much larger ratio is a decompression bomb."""


def has_compressed_head(head: bytes) -> bool:
    """Return whether the first four bytes of a file are those of gzip or zstd."""
    return head[:2] == GZIP or head == ZSTD


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
        counted = _Rejoined(head, file)
        with gzip.GzipFile(fileobj=counted) as unpacked:
            made = 0
            for part in _read_into(cast(IO[bytes], unpacked), block):
                made += len(part)
                _refuse_bomb(made, counted.taken, name)
                yield part
    elif head == ZSTD:
        yield from _zstd(head, file, name)
    else:
        if head:
            yield np.frombuffer(head, dtype=np.uint8)
        yield from _read_into(file, block)


def _read_into(file: IO[bytes], block: int) -> Iterator[NDArray[np.uint8]]:
    buffer = np.empty(block, dtype=np.uint8)
    while count := cast(io.RawIOBase, file).readinto(buffer.data):
        yield buffer[:count]


def _zstd(head: bytes, file: IO[bytes], name: str) -> Iterator[NDArray[np.uint8]]:
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
                yield np.frombuffer(out, dtype=np.uint8)
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


class _Rejoined(io.RawIOBase):
    """A stream that starts with bytes already read, followed by the rest of the file."""

    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self._head = head
        self._rest = rest
        self.taken = len(head)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))
        if self._head:
            count = min(len(self._head), len(view))
            view[:count] = self._head[:count]
            self._head = self._head[count:]
            return count
        count = cast(io.RawIOBase, self._rest).readinto(view) or 0
        self.taken += count
        return count
