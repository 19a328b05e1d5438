"""A journal of a long study: finished steps are kept in a file, and a second run goes on from there.

A line is a JSON object with a checksum of the rest of it as its last field. The first line says which
study of which data the file belongs to. Journals without checksums, as earlier versions wrote them, are
read as well.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tare._data.source import decoded
from tare._measures.scores import Scores
from tare._signature import tare_version
from tare.errors import FormatError
from tare.studies._shapes import mismatch

try:
    import fcntl
except ImportError:  # Windows: there, one process at a time
    fcntl = None  # type: ignore[assignment]

__all__ = ["Journal", "digest"]

SUM = "sum"


def digest(*things: Any) -> str:
    """Eight letters that stand for values, score tables and options.

    >>> digest(1, "a") == digest(1, "a"), digest(1, "a") == digest(1, "b")
    (True, False)
    """
    found = hashlib.sha256()
    for thing in things:
        if isinstance(thing, Scores):
            found.update(repr((thing.systems, thing.items, thing.measure_names)).encode())
            found.update(np.ascontiguousarray(thing.values).tobytes())
        elif isinstance(thing, np.ndarray):
            found.update(repr(thing.shape).encode() + np.ascontiguousarray(thing).tobytes())
        else:
            found.update(repr(thing).encode())
        found.update(b"\x00")
    return found.hexdigest()[:8]


class Journal:
    """One line for each finished step; without a path nothing is kept.

    A line is written and flushed when its step is done, so an interruption loses one step at most.
    The file is locked while it is read or added to. Several processes may share a journal: each
    takes what the others have done.
    """

    def __init__(self, path: str | os.PathLike[str] | None, about: Mapping[str, Any]) -> None:
        self.path = None if path is None else Path(path)
        self.done: dict[str, Any] = {}
        self.resumed = 0
        self._header = {k: str(value) for k, value in about.items()} | {"tare": tare_version()}
        self._sealed = True  # whether every line must have a checksum
        self._end = 0  # of what is known of the file
        self._lines: dict[str, int] = {}  # where each step stands
        self._count = 0
        if self.path is None:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._locked(os.O_CREAT) as file:
            self._catch_up(file)
            if not self._end:
                self._append(file, self._header)
        self.resumed = len(self.done)

    def step(self, name: str, make: Callable[[], Any], shape: Any = None) -> Any:
        """What the step found: read from the journal, or made now and kept. Plain values only.

        shape: what it must look like if it was read (see `tare.studies._shapes`).
        """
        if self.path is None:
            if name not in self.done:
                self.done[name] = make()
            return self.done[name]
        if name not in self.done:
            with self._locked() as file:
                self._catch_up(file)
        if name in self.done:
            wrong = None if shape is None else mismatch(self.done[name], shape)
            if wrong and name in self._lines:
                raise self._refused(self._lines[name], f"the step {name!r}: {wrong}")
            return self.done[name]
        found = make()
        with self._locked() as file:
            self._catch_up(file)
            if name not in self.done:
                self._append(file, {"step": name, "found": found})
        self.done[name] = found
        self._lines.pop(name, None)  # it was made here, and need not be looked at
        return found

    @staticmethod
    def line(content: Mapping[str, Any]) -> bytes:
        """A line of the file: the content, and a checksum of it."""
        text = json.dumps(content)
        return f'{text[:-1]}, "{SUM}": "{_checksum(json.loads(text))}"}}\n'.encode()

    @contextlib.contextmanager
    def _locked(self, more: int = 0) -> Iterator[int]:
        assert self.path is not None
        try:
            file = os.open(self.path, os.O_RDWR | more, 0o666)
        except FileNotFoundError:
            raise self._changed() from None
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX)  # held for a moment, never while a step is made
            yield file
        except OSError as error:  # a full disk does not say of itself which file did not fit
            if error.errno is None or error.filename is not None:
                raise
            raise type(error)(error.errno, error.strerror, str(self.path)) from None
        finally:
            os.close(file)

    def _catch_up(self, file: int) -> None:
        """Reads what others have added; a line that was cut short is a step not done."""
        size = os.fstat(file).st_size
        if size < self._end:
            raise self._changed()
        os.lseek(file, self._end, os.SEEK_SET)
        with os.fdopen(os.dup(file), "rb") as reader:
            data = reader.read()
        whole = data[: data.rfind(b"\n") + 1]
        for line in decoded(whole, str(self.path)).split("\n")[:-1]:
            self._count += 1
            self._take(self._content(line))
        self._end += len(whole)
        if whole != data:
            os.ftruncate(file, self._end)

    def _content(self, line: str) -> dict[str, Any]:
        """The object of a line, without its checksum, which is right."""
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            raise self._refused(self._count, "this is not JSON") from None
        if not isinstance(found, dict):
            raise self._refused(self._count, "this is not an object")
        if self._count == 1:
            self._sealed = SUM in found
        if SUM in found or self._sealed:
            given = found.pop(SUM, None)
            if given != _checksum(found):
                raise self._refused(self._count, "its checksum is missing or wrong")
        return found

    def _take(self, found: dict[str, Any]) -> None:
        if self._count == 1:
            if not all(isinstance(value, str) for value in found.values()):
                raise self._refused(1, "it does not say what the file belongs to")
            self._check_header(found)
            return
        if set(found) != {"step", "found"} or not isinstance(found["step"], str):
            raise self._refused(self._count, "a line has a step and what was found")
        name = found["step"]
        if name in self.done and _checksum(self.done[name]) != _checksum(found["found"]):
            raise self._refused(self._count, f"the step {name!r} is there twice, with two results")
        if name not in self.done:
            self.done[name], self._lines[name] = found["found"], self._count

    def _check_header(self, found: dict[str, str]) -> None:
        header = self._header
        odd = next((k for k in (*header, *found) if found.get(k) != header.get(k)), None)
        if odd is not None:
            raise FormatError(
                f"{self.path}: the journal belongs to another study ({odd} differs). Repeat the "
                "study it was made with, or name a file that does not exist yet."
            )

    def _append(self, file: int, content: Mapping[str, Any]) -> None:
        """Adds a line; it is on disk when this returns."""
        line = self.line(content)
        os.lseek(file, self._end, os.SEEK_SET)
        with os.fdopen(os.dup(file), "wb") as writer:
            writer.write(line)
        os.fsync(file)
        self._end += len(line)
        self._count += 1

    def _refused(self, number: int, why: str) -> FormatError:
        return FormatError(
            f"{self.path}, line {number}: {why}; this is no journal of a study, or a damaged one. "
            "Name a file that does not exist yet."
        )

    def _changed(self) -> FormatError:
        return FormatError(
            f"{self.path}: the journal was changed by another program while the study was running. "
            "Begin again with a file that does not exist yet."
        )


def _checksum(content: Any) -> str:
    """Eight hexadecimal digits; they tell damage, not malice."""
    return f"{zlib.crc32(json.dumps(content, sort_keys=True).encode()):08x}"
