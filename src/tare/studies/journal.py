"""A journal of a long study: finished steps are kept in a file, and a second run goes on from there."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tare.data.source import decoded
from tare.errors import FormatError
from tare.measures.scores import Scores
from tare.signature import tare_version
from tare.writing import append_line, write_bytes

__all__ = ["Journal", "digest"]


def digest(*things: Any) -> str:
    """Eight letters that stand for values, score tables and options.

    >>> digest(1, "a") == digest(1, "a"), digest(1, "a") == digest(1, "b")
    (True, False)
    """
    found = hashlib.sha256()
    for thing in things:
        if isinstance(thing, Scores):
            found.update(repr((thing.systems, thing.items, thing.measures)).encode())
            found.update(np.ascontiguousarray(thing.values).tobytes())
        elif isinstance(thing, np.ndarray):
            found.update(repr(thing.shape).encode() + np.ascontiguousarray(thing).tobytes())
        else:
            found.update(repr(thing).encode())
        found.update(b"\x00")
    return found.hexdigest()[:8]


class Journal:
    """One line a finished step; without a path nothing is kept.

    A line is written and flushed when its step is done, so an interruption loses one step at most.
    The first line says which study of which data the file belongs to.
    """

    def __init__(self, path: str | os.PathLike[str] | None, about: Mapping[str, Any]) -> None:
        self.path = None if path is None else Path(path)
        self.done: dict[str, Any] = {}
        self.resumed = 0
        header = {key: str(value) for key, value in about.items()} | {"tare": tare_version()}
        if self.path is None:
            return
        if self.path.exists() and self.path.stat().st_size:
            self._read(header)
        else:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._write(header)

    def _read(self, header: dict[str, str]) -> None:
        assert self.path is not None
        data = self.path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]  # a line that was cut short is a step not done
        lines = decoded(whole, str(self.path)).split("\n")[:-1]
        try:
            found = json.loads(lines[0]) if lines else None
            steps = [json.loads(line) for line in lines[1:]]
            self.done = {step["step"]: step["found"] for step in steps}
        except (ValueError, KeyError, TypeError, RecursionError):
            raise FormatError(
                f"{self.path}: this is no journal of a study. Name a file that does not exist yet."
            ) from None
        if found != header:
            given = found if isinstance(found, dict) else {}
            odd = next((k for k in (*header, *given) if given.get(k) != header.get(k)), "header")
            raise FormatError(
                f"{self.path}: the journal belongs to another study ({odd} differs). Repeat the "
                "study it was made with, or name a file that does not exist yet."
            )
        if whole != data:
            write_bytes(self.path, whole)
        self.resumed = len(self.done)

    def _write(self, line: Mapping[str, Any]) -> None:
        if self.path is None:
            return
        append_line(self.path, json.dumps(line))

    def step(self, name: str, make: Callable[[], Any]) -> Any:
        """What the step found: read from the journal, or made now and kept. Plain values only."""
        if name not in self.done:
            found = make()
            self.done[name] = found
            self._write({"step": name, "found": found})
        return self.done[name]
