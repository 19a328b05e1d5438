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
from typing import IO, TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from tare._data.compression import COMPRESSED, compressed, has_compressed_head, unpacked
from tare._kernels.ranking import HEAD, Watched
from tare._kernels.seams import seams
from tare._places import exists, is_file, is_folder
from tare._plain_text import plain
from tare._stores.addresses import SCHEMES, is_address, is_like_address, shown, shown_path
from tare._writing import note_address, note_input, write_bytes
from tare.errors import FormatError, UnreadableError

if TYPE_CHECKING:
    from tare._stores.objects import StoredObject

__all__ = [
    "COMPRESSED",
    "STDIN",
    "PathLike",
    "blocks",
    "can_be_read_again",
    "decoded",
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
    "write_all",
]

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


def blocks(source: PathLike, *, block: int | None = None) -> Iterator[NDArray[np.uint8]]:
    """Yield the bytes of a source in blocks; each block is valid until the next is requested."""
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
    """Return the beginning of a source, decompressed."""
    watched = Watched(blocks(source, block=HEAD))
    for _ in watched:
        if len(watched.head) == HEAD:
            break
    return watched.head


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
    from tare._stores.objects import find_object

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
    """Suggest a file in the same folder whose name begins like this one."""
    folder = path.parent
    if not is_folder(folder):
        return f" The folder {name_of(folder)} does not exist."
    alike = sorted(p.name for p in folder.iterdir() if p.name.startswith(path.name))
    return f" Did you mean {plain(alike[0])}?" if alike else ""


def _with_line_ends(given: Iterator[NDArray[np.uint8]], name: str) -> Iterator[NDArray[np.uint8]]:
    """Yield the blocks; raise an error if line feeds are missing, as in the endless /dev/zero."""
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
