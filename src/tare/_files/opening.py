"""Sources: files, objects of a store and standard input, read in blocks of bytes and decompressed."""

from __future__ import annotations

import codecs
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

from tare._files.addresses import (
    SCHEMES,
    exists,
    is_address,
    is_file,
    is_folder,
    is_like_address,
    shown,
    shown_path,
)
from tare._files.cloud import StoredObject, find_object
from tare._files.writing import note_address, note_input, write_bytes
from tare._kernels.ranking import HEAD
from tare._kernels.threads_and_blocks import seams
from tare._plain_text import plain
from tare.errors import FormatError, UnreadableError

__all__ = [
    "COMPRESSED",
    "STDIN",
    "PathLike",
    "blocks",
    "can_be_read_again",
    "compressed",
    "decoded",
    "has_compressed_head",
    "head_of",
    "is_compressed",
    "name_of",
    "open_source",
    "pinned",
    "plain_suffix",
    "ranged_blocks",
    "read_all",
    "read_text",
    "refuse_changed",
    "size_of",
    "state_of",
    "unpacked",
    "write_all",
]


# Compressed data: gzip and zstd, recognised by their first bytes and unpacked block by block.


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
    """Yield the content of a gzip file in blocks, each with the number of compressed bytes that were taken."""
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
    """Join decompressed parts to blocks: a frame of zstd can be decompressed in many small ones."""
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
    """A file that starts with bytes already read from it, followed by the rest."""

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


STDIN = "-"
MAX_LINE = 128 << 20
TAIL = 1 << 16  # the end of a block, which nearly always contains a line feed

PathLike = str | os.PathLike[str]


def name_of(source: PathLike) -> str:
    """Return the name of a source for messages, with control characters escaped."""
    text = os.fspath(source)
    if text == STDIN:
        return "standard input"
    return plain(shown(text) if is_like_address(text) else text)


def plain_suffix(source: PathLike) -> str:
    """Return the suffix of a path in lower case, without the suffix of its compression.

    >>> plain_suffix("a/run.JSONL.gz")
    '.jsonl'
    """
    path = shown_path(source)
    if path.suffix.lower() in COMPRESSED:
        path = path.with_suffix("")
    return path.suffix.lower()


def can_be_read_again(source: PathLike) -> bool:
    """Return whether a source can be read twice; pipes and standard input cannot."""
    if os.fspath(source) == STDIN:
        return False
    return is_address(source) or is_file(source) or not exists(source)


_begun: dict[tuple[int, int], tuple[bytes, Iterator[NDArray[np.uint8]]]] = {}
"""The beginnings of pipes that were looked at, and what follows, by device and inode."""


def blocks(source: PathLike, *, block: int | None = None) -> Iterator[NDArray[np.uint8]]:
    """Yield the bytes of a source in blocks; each block is valid until the next is requested."""
    pipe = _pipe(source)
    if pipe not in _begun:
        yield from _blocks(source, block)
        return
    head, rest = _begun.pop(pipe)
    if head:
        yield np.frombuffer(head, dtype=np.uint8)
    yield from rest


def _pipe(source: PathLike) -> tuple[int, int] | None:
    """Return the device and the inode of a source that can be read only once; None for others."""
    if can_be_read_again(source):
        return None
    try:
        found = os.fstat(sys.stdin.fileno()) if os.fspath(source) == STDIN else Path(source).stat()
    except (AttributeError, OSError, ValueError):  # closed; reading it says so
        return None
    return found.st_dev, found.st_ino


def _blocks(source: PathLike, block: int | None) -> Iterator[NDArray[np.uint8]]:
    name = name_of(source)
    try:
        if is_address(source):
            size = block or seams().block
            with _stored(source).stream(size) as file:
                yield from unpacked(file, size, name)
            return
        with open_source(source) as file:
            before = os.fstat(file.fileno())
            found = unpacked(file, block or seams().block, name)
            endless = not stat.S_ISREG(
                before.st_mode
            )  # such as /dev/zero, or a pipe that never ends
            yield from _with_line_ends(found, name) if endless else found
            refuse_changed(before, os.fstat(file.fileno()), name)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise UnreadableError(
            f"{name}: the gzip data end too early or are damaged ({error}). "
            "Download or create the file again; `gzip -t` checks a file."
        ) from error
    except OSError as error:
        if isinstance(error, UnreadableError):
            raise
        raise UnreadableError(f"{name}: {error.strerror or error}.") from error


def ranged_blocks(path: PathLike, start: int, stop: int) -> Iterator[NDArray[np.uint8]]:
    """Yield the bytes of an uncompressed file between two offsets, in blocks."""
    if is_address(path):
        for data in _stored(path).ranges(start, stop, seams().block):
            yield np.frombuffer(data, dtype=np.uint8)
        return
    try:
        with open_source(path) as file:
            file.seek(start)
            left = stop - start
            buffer = np.empty(min(seams().block, max(left, 1)), dtype=np.uint8)
            while left > 0:
                count = cast(io.RawIOBase, file).readinto(buffer.data[: min(left, len(buffer))])
                if not count:
                    raise UnreadableError(
                        f"{name_of(path)}: the file ends {left:,} bytes early; it shrank while it was read."
                    )
                left -= count
                yield buffer[:count]
    except OSError as error:
        if isinstance(error, UnreadableError):
            raise
        raise UnreadableError(f"{name_of(path)}: {error.strerror or error}.") from error


def is_compressed(path: PathLike) -> bool:
    """Return whether a file is compressed, by its first bytes."""
    with open_source(path) as file:
        return has_compressed_head(file.read(4) or b"")


def head_of(source: PathLike) -> bytes:
    """Return the beginning of a source, decompressed; of a pipe it is kept for the one who reads it."""
    pipe = _pipe(source)
    if pipe in _begun:
        return _begun[pipe][0][:HEAD]
    found = _blocks(source, HEAD if pipe is None else None)
    head = b""
    for block in found:
        head += block.tobytes()
        if len(head) >= HEAD:
            break
    if pipe is not None:
        _begun[pipe] = head, found
    return head[:HEAD]


def read_all(source: PathLike) -> bytes:
    """Return all bytes of a source, decompressed."""
    return b"".join(block.tobytes() for block in blocks(source))


def read_text(source: PathLike) -> str:
    """Return the text of a source; one that is not UTF-8 is not read to its end, if it has one."""
    name = name_of(source)
    decoder = codecs.getincrementaldecoder("utf-8")()
    found, lines, ended = [], 1, b""
    for block in blocks(source):
        data = block.tobytes()
        try:
            found.append(decoder.decode(data))
        except UnicodeDecodeError as error:
            line = lines + (ended + data)[: error.start].count(b"\n")
            raise _not_utf8(name, line) from None
        ended = decoder.getstate()[0]
        lines += data.count(b"\n")
    if ended:
        raise _not_utf8(name, lines)
    return "".join(found).removeprefix("\ufeff")


def decoded(data: bytes, name: str) -> str:
    """Decode UTF-8; raise an error with the line number of the first invalid byte."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _not_utf8(name, data[: error.start].count(b"\n") + 1) from None


def _not_utf8(name: str, line: int) -> FormatError:
    return FormatError(
        f"{name}, line {line}: the text is not valid UTF-8. Convert the file, e.g. with iconv."
    )


def write_all(path: Path, data: bytes) -> None:
    """Write bytes, compressed if the suffix is .gz, .zst or .zstd."""
    write_bytes(path, compressed(data, path.suffix.lower()))


def open_source(source: PathLike) -> IO[bytes]:
    """Open a file, an object or standard input without buffering, and record it as an input."""
    if is_address(source):
        return _stored(source).open()
    if os.fspath(source) == STDIN:
        if sys.stdin is None:
            raise UnreadableError("standard input is closed. Name a file, or pipe the data in.")
        file = open(os.dup(sys.stdin.fileno()), "rb", buffering=0)  # noqa: PTH123, SIM115 (a descriptor)
        note_input(file.fileno())  # it may be a file that the shell opened
        return file
    path = Path(source)
    if is_folder(path):
        raise UnreadableError(f"{name_of(path)} is a folder, not a file. Name the files in it.")
    try:
        file = path.open("rb", buffering=0)
    except FileNotFoundError:
        raise UnreadableError(_missing(source)) from None
    except ValueError:  # a null byte in the name
        raise UnreadableError(f"{os.fspath(path)!r}: no such file.") from None
    note_input(file.fileno())
    return file


def state_of(path: PathLike) -> tuple[int, int]:
    """Return the size of a file or an object and a digest of its content, or of an object's ETag.

    A time of change is not believed: programs restore it, and clocks are coarse.
    """
    import hashlib  # only finished parts need it

    if is_address(path) and (state := _stored(path).state) is not None:
        return state
    path, size = pinned(path), size_of(path)
    whole = hashlib.blake2b(digest_size=6)
    for block in ranged_blocks(path, 0, size):
        whole.update(block.data)
    return size, int.from_bytes(whole.digest())


def size_of(path: PathLike) -> int:
    """Return the size of a file or an object in bytes."""
    return _stored(path).size if is_address(path) else Path(path).stat().st_size


def pinned(path: PathLike) -> PathLike:
    """Return the present version of an object, of which all is read; other paths are returned."""
    return _stored(path) if is_address(path) else path


def _stored(source: PathLike) -> StoredObject:
    """Return an object of a store, and record it as an input."""
    found = find_object(source)
    note_address(found.address)
    return found


def _missing(source: PathLike) -> str:
    text = os.fspath(source)
    if "://" in text:
        return f"{name_of(text)}: no such file. Addresses begin with {', '.join(SCHEMES)}."
    return f"{name_of(text)}: no such file.{_similar(Path(text))}"


def refuse_changed(before: os.stat_result, after: os.stat_result, name: str) -> None:
    """Raise an error if a file changed while it was read."""
    if not stat.S_ISREG(before.st_mode):
        return
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise UnreadableError(
            f"{name}: the file changed while it was read, from {before.st_size:,} bytes to "
            f"{after.st_size:,}. Read it again when no program writes to it."
        )


def _similar(path: Path) -> str:
    """Suggest a file in the same folder whose name begins like the one that is missing."""
    folder = path.parent
    if not is_folder(folder):
        return f" The folder {name_of(folder)} does not exist."
    alike = sorted(p.name for p in folder.iterdir() if p.name.startswith(path.name))
    return f" Did you mean {plain(alike[0])}?" if alike else ""


def _with_line_ends(given: Iterator[NDArray[np.uint8]], name: str) -> Iterator[NDArray[np.uint8]]:
    """Yield the blocks of a file; raise an error if line feeds are missing, as in the endless /dev/zero."""
    seen = 0  # bytes since the last line feed
    for block in given:
        yield block
        tail = block[-TAIL:].tobytes()
        at = tail.rfind(b"\n")
        if at < 0:
            tail = block.tobytes()
            at = tail.rfind(b"\n")
        seen = len(tail) - 1 - at if at >= 0 else seen + len(tail)
        if seen > MAX_LINE:
            raise FormatError(
                f"{name}: {seen:,} bytes without a line feed; a line may have at most {MAX_LINE:,} "
                "bytes. Is this a text file?"
            )
