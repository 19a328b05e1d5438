"""Sources: a path, standard input or bytes, as blocks of bytes; compressed ones are unpacked."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

import numpy as np
from numpy.typing import NDArray

from tare._kernels.seams import seams
from tare._plain_text import plain
from tare._writing import note_input, write_bytes
from tare.errors import FormatError, UnreadableError

__all__ = [
    "STDIN",
    "blocks",
    "can_be_read_again",
    "decoded",
    "is_compressed",
    "name_of",
    "open_source",
    "plain_suffix",
    "ranged_blocks",
    "read_all",
    "read_text",
    "refuse_changed",
    "whole",
    "write_all",
]

STDIN = "-"
GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
COMPRESSED = (".gz", ".zst", ".zstd")
UNSUSPECTED = 64 << 20
LONGEST_LINE = 128 << 20
LOOKED_AT = 1 << 16  # the end of a block, where its last line feed nearly always is
MOST_RATIO = 250
"""Text unpacks to 3 to 50 times its size; what unpacks to more, and to much, was made to do harm."""

PathLike = str | os.PathLike[str]


def name_of(source: PathLike) -> str:
    """How a source is called in messages: its path, made plain."""
    return "standard input" if os.fspath(source) == STDIN else plain(os.fspath(source))


def plain_suffix(source: PathLike) -> str:
    """The suffix of a path without that of its compression, in lower case.

    >>> plain_suffix("a/run.JSONL.gz")
    '.jsonl'
    """
    path = Path(source)
    if path.suffix.lower() in COMPRESSED:
        path = path.with_suffix("")
    return path.suffix.lower()


def can_be_read_again(source: PathLike) -> bool:
    """Whether a second reading would give the same bytes: a pipe or standard input would not."""
    return os.fspath(source) != STDIN and (Path(source).is_file() or not Path(source).exists())


def blocks(source: PathLike, *, block: int | None = None) -> Iterator[NDArray[np.uint8]]:
    """The bytes of a source, block by block; each block is good until the next is asked for."""
    name = name_of(source)
    try:
        with open_source(source) as file:
            before = os.fstat(file.fileno())
            found = _unpacked(file, block or seams().block, name)
            endless = not stat.S_ISREG(before.st_mode)  # /dev/zero, or a pipe that never ends
            yield from _with_line_ends(found, name) if endless else found
            refuse_changed(before, os.fstat(file.fileno()), name)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise UnreadableError(
            f"{name}: the gzip data end too early or are damaged ({error}). "
            "Fetch or make the file again; `gzip -t` tells whether it is whole."
        ) from error
    except OSError as error:
        if isinstance(error, UnreadableError):
            raise
        raise UnreadableError(f"{name}: {error.strerror or error}.") from error


def ranged_blocks(path: PathLike, start: int, stop: int) -> Iterator[NDArray[np.uint8]]:
    """The bytes of a plain file from one offset to another, block by block, as `blocks` gives them."""
    try:
        with open_source(path) as file:
            file.seek(start)
            left = stop - start
            buffer = np.empty(min(seams().block, max(left, 1)), dtype=np.uint8)
            while left > 0:
                count = cast(io.RawIOBase, file).readinto(buffer.data[: min(left, len(buffer))])
                if not count:
                    raise UnreadableError(
                        f"{path}: the file ends {left:,} bytes early; it became shorter while it "
                        "was read."
                    )
                left -= count
                yield buffer[:count]
    except OSError as error:
        if isinstance(error, UnreadableError):
            raise
        raise UnreadableError(f"{name_of(path)}: {error.strerror or error}.") from error


def is_compressed(path: PathLike) -> bool:
    """Whether a file's first bytes are those of gzip or zstd."""
    with open_source(path) as file:
        head = file.read(4) or b""
    return head[:2] == GZIP or head == ZSTD


def read_all(source: PathLike) -> bytes:
    """All bytes of a source, unpacked."""
    return b"".join(block.tobytes() for block in blocks(source))


def whole(source: PathLike) -> bytes:
    """The bytes of a file as they are, packed or not; mapped files would end us when they shrink."""
    try:
        with open_source(source) as file:
            before = os.fstat(file.fileno())
            data = file.read()
            refuse_changed(before, os.fstat(file.fileno()), name_of(source))
            return data
    except OSError as error:
        if isinstance(error, UnreadableError):
            raise
        raise UnreadableError(f"{name_of(source)}: {error.strerror or error}.") from error


def read_text(source: PathLike) -> str:
    """All text of a source."""
    return decoded(read_all(source), name_of(source))


def decoded(data: bytes, name: str) -> str:
    """UTF-8 as text; bytes that are none are told with their line, never replaced."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise FormatError(
            f"{name}, line {line}: the text is not valid UTF-8. Convert the file, e.g. with iconv."
        ) from None


def write_all(path: Path, data: bytes) -> None:
    """Writes bytes, packed if the suffix says so."""
    suffix = path.suffix.lower()
    if suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    elif suffix in COMPRESSED:
        import zstandard

        data = zstandard.ZstdCompressor().compress(data)
    write_bytes(path, data)


def open_source(source: PathLike) -> IO[bytes]:
    if os.fspath(source) == STDIN:
        if sys.stdin is None:
            raise UnreadableError("standard input: it is closed. Name a file, or pipe the data in.")
        return open(os.dup(sys.stdin.fileno()), "rb", buffering=0)  # noqa: PTH123 (a descriptor)
    path = Path(source)
    if path.is_dir():
        raise UnreadableError(
            f"{name_of(path)} is a folder; a file is needed. Name the files in it."
        )
    try:
        file = path.open("rb", buffering=0)
    except FileNotFoundError:
        raise UnreadableError(f"{name_of(path)}: no such file.{_beside(path)}") from None
    except ValueError:  # a zero byte in its name
        raise UnreadableError(f"{os.fspath(path)!r}: no such file.") from None
    note_input(file.fileno())
    return file


def refuse_changed(before: os.stat_result, after: os.stat_result, name: str) -> None:
    """What was read of a file that grew or shrank meanwhile is neither the old file nor the new."""
    if not stat.S_ISREG(before.st_mode):
        return
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise UnreadableError(
            f"{name}: the file changed while it was read, from {before.st_size:,} bytes to "
            f"{after.st_size:,}. Read it again when nobody writes to it."
        )


def _beside(path: Path) -> str:
    """Names a file with the same stem in the same folder, for a suffix is soon forgotten."""
    folder = path.parent
    if not folder.is_dir():
        return f" The folder {name_of(folder)} does not exist."
    alike = sorted(p.name for p in folder.iterdir() if p.name.startswith(path.name))
    return f" There is {plain(alike[0])}." if alike else ""


def _unpacked(file: IO[bytes], block: int, name: str) -> Iterator[NDArray[np.uint8]]:
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


def _with_line_ends(given: Iterator[NDArray[np.uint8]], name: str) -> Iterator[NDArray[np.uint8]]:
    """The blocks as they are, as long as line feeds come; /dev/zero has none, and no end either."""
    seen = 0  # bytes since the last line feed
    for block in given:
        yield block
        tail = block[-LOOKED_AT:].tobytes()
        at = tail.rfind(b"\n")
        if at < 0:
            tail = block.tobytes()
            at = tail.rfind(b"\n")
        seen = len(tail) - 1 - at if at >= 0 else seen + len(tail)
        if seen > LONGEST_LINE:
            raise FormatError(
                f"{name}: {seen:,} bytes without a line feed; no line of any format is that long "
                f"(at most {LONGEST_LINE:,} bytes). Is this a text file?"
            )


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
            # Small pieces in, so that hostile data cannot unpack into much at once.
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
            f"{name}: the zstd data are damaged ({error}). Fetch or make the file again."
        ) from error
    if not unpacker.eof:
        raise UnreadableError(
            f"{name}: the zstd data end too early. Fetch or make the file again; "
            "`zstd -t` tells whether it is whole."
        )


def _refuse_bomb(made: int, taken: int, name: str) -> None:
    if made > UNSUSPECTED and made > MOST_RATIO * taken:
        raise UnreadableError(
            f"{name}: {taken:,} compressed bytes unpack into more than {made:,}, which no data of "
            f"this kind do; at most {MOST_RATIO} times the size is accepted. If the data are meant, "
            "unpack the file first."
        )


class _Rejoined(io.RawIOBase):
    """A file whose first bytes were read already, as one stream again."""

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
