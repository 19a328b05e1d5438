"""The journal of a long study: a file of finished steps, from which a second run continues.

Each line is a JSON object whose last field is a checksum of the other fields. The first line identifies
the study, its data and the version of tare; the journal of another version is refused.
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

from tare._files.opening import decoded, name_of
from tare._files.writing import locked_file
from tare._measures.scores import Scores
from tare._plain_text import plain
from tare._signature import tare_version
from tare.errors import FormatError

__all__ = ["Journal", "digest"]

SUM = "sum"


def digest(*things: Any) -> str:
    """Return the digest by which a journal knows a study's values, score tables and options: eight hexadecimal digits.

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
    """A journal file with one line per finished step of a study; if the path is None, nothing is written.

    A line is written and flushed when its step is done, so an interruption loses at most one step.
    The file is locked while it is read or written. Several processes may share a journal: each uses
    the steps of the others.
    """

    def __init__(self, path: str | os.PathLike[str] | None, about: Mapping[str, Any]) -> None:
        self.path = None if path is None else Path(path)
        self._name = "" if path is None else name_of(path)  # for messages
        self.done: dict[str, Any] = {}
        self._header = {k: str(value) for k, value in about.items()} | {"tare": tare_version()}
        self._end = 0  # of the part of the file that was read
        self._count = 0  # of the lines that were read
        if self.path is None:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._locked(create=True) as file:
            self._catch_up(file)
            if not self._end:
                self._append(file, self._header)

    def step(self, name: str, make: Callable[[], Any]) -> Any:
        """Return the result of a step of a study, from the journal or computed now and appended to it.

        Results are plain JSON values.
        """
        if self.path is None:
            if name not in self.done:
                self.done[name] = make()
            return self.done[name]
        if name not in self.done:
            with self._locked() as file:
                self._catch_up(file)
        if name in self.done:
            return self.done[name]
        found = make()
        with self._locked() as file:
            self._catch_up(file)
            if name not in self.done:
                self._append(file, {"step": name, "found": found})
        self.done[name] = found
        return found

    @staticmethod
    def line(content: Mapping[str, Any]) -> bytes:
        """Return a line of the journal file: the content and its checksum."""
        text = json.dumps(content)
        return f'{text[:-1]}, "{SUM}": "{_checksum(json.loads(text))}"}}\n'.encode()

    @contextlib.contextmanager
    def _locked(self, *, create: bool = False) -> Iterator[int]:
        """Lock the journal's file; it is released before a step is computed."""
        assert self.path is not None
        try:
            with locked_file(self.path, "a journal", create=create) as file:
                yield file
        except FileNotFoundError:
            raise self._changed() from None

    def _catch_up(self, file: int) -> None:
        """Read journal lines appended by other processes; an incomplete last line of a journal is discarded."""
        size = os.fstat(file).st_size
        if size < self._end:
            raise self._changed()
        os.lseek(file, self._end, os.SEEK_SET)
        with os.fdopen(os.dup(file), "rb") as reader:
            data = reader.read()
        whole = data[: data.rfind(b"\n") + 1]
        for line in decoded(whole, self._name).split("\n")[:-1]:
            self._count += 1
            self._take(self._content(line))
        self._end += len(whole)
        if whole != data:
            if not self._end and not self.line(self._header).startswith(data):
                raise FormatError(
                    f"{self._name}: the file is not a journal of this study, and was left unchanged. Name a "
                    "new file."
                )
            os.ftruncate(file, self._end)

    def _content(self, line: str) -> dict[str, Any]:
        """Return the object in a line of the journal without its checksum, which is checked."""
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            raise self._refused(self._count, "the line is not JSON") from None
        if not isinstance(found, dict):
            raise self._refused(self._count, "the line is not a JSON object")
        if found.pop(SUM, None) != _checksum(found):
            raise self._refused(self._count, "its checksum is missing or wrong")
        return found

    def _take(self, found: dict[str, Any]) -> None:
        """Record a line."""
        if self._count == 1:
            if not all(isinstance(value, str) for value in found.values()):
                raise self._refused(1, "the line does not identify a study")
            self._check_header(found)
            return
        if set(found) != {"step", "found"} or not isinstance(found["step"], str):
            raise self._refused(self._count, "the line does not have the keys step and found")
        if found["step"] in self.done:
            raise self._refused(self._count, f"the step {found['step']!r} occurs twice")
        self.done[found["step"]] = found["found"]

    def _check_header(self, found: dict[str, str]) -> None:
        header = self._header
        if "tare" in found and found["tare"] != header["tare"]:
            raise FormatError(
                f"{self._name}: the journal was written by tare {plain(found['tare'])}, and this is tare "
                f"{header['tare']}. Finish the study with that version, or name a new file."
            )
        odd = next((k for k in (*header, *found) if found.get(k) != header.get(k)), None)
        if odd is not None:
            raise FormatError(
                f"{self._name}: the journal belongs to another study ({plain(odd)} differs). Use the data and "
                "options of that study, or name a new file."
            )

    def _append(self, file: int, content: Mapping[str, Any]) -> None:
        """Append a line and flush it to disk."""
        line = self.line(content)
        os.lseek(file, self._end, os.SEEK_SET)
        with os.fdopen(os.dup(file), "wb") as writer:
            writer.write(line)
        os.fsync(file)
        self._end += len(line)
        self._count += 1

    def _refused(self, number: int, why: str) -> FormatError:
        return FormatError(
            f"{self._name}, line {number}: {why}. The file is not a journal of a study, or it is "
            "damaged. Name a new file."
        )

    def _changed(self) -> FormatError:
        return FormatError(
            f"{self._name}: the journal was changed by another program while the study was running. "
            "Start again with a new file."
        )


def _checksum(content: Any) -> str:
    """Return the checksum of a journal's line: eight hexadecimal digits that detect damage, but not forgery."""
    return f"{zlib.crc32(json.dumps(content, sort_keys=True).encode()):08x}"
