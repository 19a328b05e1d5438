"""Atomic writing: a file exists completely under its name, or not at all.

Data go to a temporary file next to the target, which gets the target's name only when it is complete
and on disk. A killed process leaves the old file or the new one, and perhaps its temporary file,
`.name.PID.….new`, which the next writing to that name removes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from tare._files.addresses import ObjectPath, as_path, is_address, shown
from tare._files.cloud import write_object
from tare._plain_text import plain
from tare.errors import UnreadableError

__all__ = [
    "keeping_inputs",
    "locked_file",
    "new_file",
    "note_address",
    "note_input",
    "replacing_input",
    "temporary_path",
    "write_bytes",
    "write_text",
]


try:
    import fcntl
except ImportError:  # Windows: only one process at a time may write to a locked file
    fcntl = None  # type: ignore[assignment]


# Files by device and number, or addresses; true for parts, which their engine may judge again and replace.
_INPUTS: dict[tuple[int, int] | str, bool] | None = None


@contextlib.contextmanager
def keeping_inputs() -> Iterator[None]:
    """Within this block, refuse to overwrite a file that was read, which would lose the input."""
    global _INPUTS
    before, _INPUTS = _INPUTS, {}
    try:
        yield
    finally:
        _INPUTS = before


def note_input(descriptor: int, *, part: bool = False) -> None:
    """Record that an open file is an input; `part` if it is a finished part of a job."""
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode):
        _note((found.st_dev, found.st_ino), part)


def note_address(address: str, *, part: bool = False) -> None:
    """Record that an object of a store is an input; `part` if it is a finished part of a job."""
    _note(address, part)


def _note(key: tuple[int, int] | str, part: bool) -> None:
    if _INPUTS is not None:
        _INPUTS[key] = part and _INPUTS.get(key, True)


@contextlib.contextmanager
def replacing_input(path: str | os.PathLike[str]) -> Iterator[None]:
    """Within this block, allow one input to be replaced: a file that a call is meant to update."""
    global _INPUTS
    before = _INPUTS
    try:
        found = Path(os.path.realpath(path)).stat()
        if before is not None:
            _INPUTS = {k: v for k, v in before.items() if k != (found.st_dev, found.st_ino)}
    except OSError:
        pass
    try:
        yield
    finally:
        _INPUTS = before


def _refuse_input(target: Path, part: bool = False) -> None:
    if not _INPUTS:
        return
    try:
        found = target.stat()
    except OSError:
        return
    if _is_kept((found.st_dev, found.st_ino), part):
        raise FileExistsError(errno.EEXIST, "the file is also an input", str(target))


def _is_kept(key: tuple[int, int] | str, part: bool) -> bool:
    """Return whether an input may not be overwritten; a finished part may be replaced by the same part."""
    return _INPUTS is not None and key in _INPUTS and not (part and _INPUTS[key])


@contextlib.contextmanager
def new_file(path: str | os.PathLike[str], *, part: bool = False) -> Iterator[BinaryIO]:
    """Open a file for writing that appears at `path` when the block ends without an error.

    Missing parent folders are created. A device or a pipe is written to, also through a link, and never
    replaced. With `part`, a finished part of a job is written, which may replace a part that was read.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with new_file(Path(folder) / "numbers.txt") as file:
    ...         _ = file.write(b"1 2 3")
    ...     (Path(folder) / "numbers.txt").read_text()
    '1 2 3'
    """
    target = as_path(path)
    if isinstance(target, ObjectPath):
        with _new_object(str(target), part) as file:
            yield file
        return
    given, target = target, Path(os.path.realpath(target))  # a link stays a link
    _refuse_input(target, part)
    if (special := _special(given, target)) is not None:
        try:
            with special.open("ab") as file:
                yield file
        except OSError as error:
            raise _about(error, given) from None
        return
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(given))
    _make_folder(target)
    temporary = temporary_path(target)
    try:
        descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    except OSError as error:
        raise _about(error, target) from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            _keep_mode(file.fileno(), target)
            os.fsync(file.fileno())
        temporary.replace(target)
    except OSError as error:  # the error for a full disk does not name the file
        if error.errno is None or error.filename is not None:
            raise
        raise _about(error, target) from None
    finally:
        temporary.unlink(missing_ok=True)


def _special(given: Path, target: Path) -> Path | None:
    """Return the name under which a device or a pipe is opened; None for files and folders.

    A path in /dev, such as /dev/stdout, may lead to a pipe that has no other name; /dev/shm is a folder of
    files. A path through a folder that does not exist has no status, but `target`, to which it leads, may
    have one.
    """
    if given.parts[:2] == ("/", "dev") and given.parts[:3] != ("/", "dev", "shm"):
        return given
    for path in (given, target):
        with contextlib.suppress(OSError):
            mode = path.stat().st_mode
            return None if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else path
    return None


@contextlib.contextmanager
def _new_object(address: str, part: bool) -> Iterator[BinaryIO]:
    """Collect an output in memory and write it as one object of a store."""
    if _is_kept(address, part):
        raise FileExistsError(errno.EEXIST, "the object is also an input", shown(address))
    memory = BytesIO()
    yield memory
    write_object(address, memory.getvalue())


def write_bytes(path: str | os.PathLike[str], data: bytes, *, part: bool = False) -> None:
    """Write a file atomically; see `new_file` for `part`."""
    with new_file(path, part=part) as file:
        file.write(data)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a UTF-8 text file atomically."""
    write_bytes(path, text.encode("utf-8"))


@contextlib.contextmanager
def locked_file(
    path: str | os.PathLike[str], what: str, *, create: bool = True, mode: int = 0o666
) -> Iterator[int]:
    """Open a regular file that several processes add lines to; until the block ends, only this one does.

    `what` the file must be is said if it is a device or a pipe, such as the endless /dev/zero.
    """
    if is_address(path):
        raise OSError(errno.ENOTSUP, f"{what} must be a local file", shown(os.fspath(path)))
    file = _open_locked(path, create, mode)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise UnreadableError(f"{plain(os.fspath(path))}: {what} must be a regular file.")
        yield file
    except OSError as error:  # the error of a full disk names no file
        if error.errno is None or error.filename is not None:
            raise
        raise type(error)(error.errno, error.strerror, os.fspath(path)) from None
    finally:
        os.close(file)


def _open_locked(path: str | os.PathLike[str], create: bool, mode: int) -> int:
    """Open and lock a file, again if another program has put another file in its place meanwhile."""
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT * create, mode)
        if fcntl is None:
            return file
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            if os.path.samestat(os.fstat(file), Path(path).stat()):
                return file
        except FileNotFoundError:
            pass
        except OSError:
            os.close(file)
            raise
        os.close(file)


def _make_folder(target: Path) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError:  # a parent is a file
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(target)) from None
    except OSError as error:
        raise _about(error, target) from None


def temporary_path(target: Path) -> Path:
    """Return a temporary path next to the target, and remove those that dead processes left."""
    stem = target.name.encode(errors="replace")[:150].decode(errors="ignore")  # 255 bytes at most
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


def _keep_mode(descriptor: int, target: Path) -> None:
    """Copy the permissions of the file that an output replaces."""
    with contextlib.suppress(OSError, AttributeError):  # Windows cannot
        os.fchmod(descriptor, target.stat().st_mode & 0o7777)


def _about(error: OSError, target: Path) -> OSError:
    """Return the same error of writing for the path that the caller gave."""
    return type(error)(error.errno, error.strerror, str(target))
