"""Writing: a file is there in full under its name, or not at all.

What is written goes to a file without a name where the system has such (Linux), else to one with a
name of its own beside the target; it takes the target's name only when it is complete and on disk.
A process that is killed leaves the old file or the new one, and nothing else.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

__all__ = ["append_line", "keeping_inputs", "new_file", "note_input", "write_bytes", "write_text"]

_UNNAMED = getattr(os, "O_TMPFILE", 0)
_NO_UNNAMED = (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT)


_INPUTS: set[tuple[int, int]] | None = None


@contextlib.contextmanager
def keeping_inputs() -> Iterator[None]:
    """Within it, no file that was read may be written over: a slip of the hand would lose it."""
    global _INPUTS
    before, _INPUTS = _INPUTS, set()
    try:
        yield
    finally:
        _INPUTS = before


def note_input(descriptor: int) -> None:
    """Notes that an open file is read."""
    if _INPUTS is not None:
        found = os.fstat(descriptor)
        if stat.S_ISREG(found.st_mode):
            _INPUTS.add((found.st_dev, found.st_ino))


def _refuse_input(target: Path) -> None:
    if not _INPUTS:
        return
    try:
        found = target.stat()
    except OSError:
        return
    if (found.st_dev, found.st_ino) in _INPUTS:
        raise FileExistsError(errno.EEXIST, "it is one of the files that are read", str(target))


@contextlib.contextmanager
def new_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write to; it appears at `path` when the block ends, or never if the block fails.

    Folders on the way to it are made.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with new_file(Path(folder) / "numbers.txt") as file:
    ...         _ = file.write(b"1 2 3")
    ...     (Path(folder) / "numbers.txt").read_text()
    '1 2 3'
    """
    target = Path(path)
    if target.parts[:2] == ("/", "dev") or target.is_fifo():  # /dev/stdout: nothing to keep whole
        try:
            with target.open("ab") as file:
                yield file
        except OSError as error:
            raise _about(error, target) from None
        return
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    _refuse_input(target)
    target = Path(os.path.realpath(target))  # a link stays a link
    _make_folder(target)
    descriptor, named = _open(target)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            _keep_mode(file.fileno(), target)
            os.fsync(file.fileno())
            if named is None:
                _give_name(file.fileno(), target)
        if named is not None:
            named.replace(target)
            named = None
    except OSError as error:  # a full disk does not say of itself which file did not fit
        if error.errno is None or error.filename is not None:
            raise
        raise _about(error, target) from None
    finally:
        if named is not None:
            named.unlink(missing_ok=True)


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Writes a whole file at once."""
    with new_file(path) as file:
        file.write(data)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Writes a whole file of UTF-8 text at once."""
    write_bytes(path, text.encode("utf-8"))


def append_line(path: str | os.PathLike[str], line: str) -> None:
    """Adds a line to a journal; it is on disk when this returns. A cut line is the reader's to drop."""
    _refuse_input(Path(path))
    with Path(path).open("ab") as file:
        file.write(line.encode("utf-8") + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _make_folder(target: Path) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError:  # a file stands where a folder is needed
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(target)) from None
    except OSError as error:
        raise _about(error, target) from None


def _open(target: Path) -> tuple[int, Path | None]:
    """A descriptor to write to, and its name if it has one."""
    if _UNNAMED and Path("/proc/self/fd").is_dir():
        try:
            return os.open(target.parent, _UNNAMED | os.O_WRONLY, 0o666), None
        except OSError as error:
            if error.errno not in _NO_UNNAMED or not target.parent.is_dir():
                raise _about(error, target) from None
    named = _beside(target)
    try:
        return os.open(named, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666), named
    except OSError as error:
        raise _about(error, target) from None


def _beside(target: Path) -> Path:
    """A name of this process beside the target; those of processes that are gone are removed."""
    stem = target.name[:150]
    pattern = re.compile(re.escape(f".{stem}.") + r"(\d+)\.[0-9a-f]{8}\.new")
    with contextlib.suppress(OSError):
        for old in target.parent.glob(f".{_no_glob(stem)}.*.new"):
            found = pattern.fullmatch(old.name)
            if found and not _alive(int(found[1])):
                old.unlink(missing_ok=True)
    return target.with_name(f".{stem}.{os.getpid()}.{os.urandom(4).hex()}.new")


def _no_glob(text: str) -> str:
    return re.sub(r"([*?\[])", r"[\1]", text)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _give_name(descriptor: int, target: Path) -> None:
    """Names a nameless file as the target; where that is taken, by a name beside it for a moment."""

    # The path is absolute; a descriptor makes Python call linkat, which follows the link there.
    def link(name: Path) -> None:
        os.link(f"/proc/self/fd/{descriptor}", name, src_dir_fd=descriptor, follow_symlinks=True)

    try:
        link(target)
    except FileExistsError:
        named = _beside(target)
        link(named)
        try:
            named.replace(target)
        except BaseException:
            named.unlink(missing_ok=True)
            raise


def _keep_mode(descriptor: int, target: Path) -> None:
    """A file that is replaced keeps its permissions."""
    with contextlib.suppress(OSError, AttributeError):  # Windows cannot
        os.fchmod(descriptor, target.stat().st_mode & 0o7777)


def _about(error: OSError, target: Path) -> OSError:
    """The same error, about the file that was asked for."""
    return type(error)(error.errno, error.strerror, str(target))
