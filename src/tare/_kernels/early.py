"""Judgements that are parsed and indexed in a thread while Python loads modules.

Importing numpy and the modules of a verb takes longer than reading usual judgements. This module and its
imports do not need numpy. Whatever is unusual is left to the reader of the verb, which also reports errors.
"""

from __future__ import annotations

import os
import stat
import threading

from tare import _core
from tare._kernels.seams import seams

__all__ = ["EarlyQrels"]

PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")  # gzip and zstd


class EarlyQrels:
    """The judgements of a plain TREC file, read in the background."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._wanted = True
        self._found: tuple[_core.TrecReader, _core.Rows, _core.Qrels] | None = None
        # Not a daemon: the end of the process waits for it. A thread of the core must not be cut off.
        self._thread = threading.Thread(target=self._read, name="early qrels")
        self._thread.start()

    @classmethod
    def of(cls, path: str) -> EarlyQrels | None:
        """Begin to read a file; None for a small file, for which it does not pay, and for anything else."""
        try:
            found = os.stat(path)  # noqa: PTH116 (pathlib is loaded later)
        except (OSError, ValueError):
            return None
        if not stat.S_ISREG(found.st_mode) or found.st_size < seams().early_bytes:
            return None
        return cls(path)

    def result(self) -> tuple[_core.TrecReader, _core.Rows, _core.Qrels] | None:
        """Wait for the reader, the rows and their index; None if the file has to be read again."""
        self._thread.join()
        return self._found

    def cancel(self) -> None:
        """Read no further; the result is not needed."""
        self._wanted = False

    def _read(self) -> None:
        try:
            with open(self.path, "rb", buffering=0) as file:  # noqa: PTH123 (pathlib is loaded later)
                before = _state(file.fileno())
                reader = _core.TrecReader("qrels", 0)
                block = file.read(4)
                if block.startswith(PACKED):
                    return
                while block and self._wanted:
                    reader.feed(block)  # type: ignore[arg-type]  # bytes are a buffer too
                    block = file.read(seams().block)
                rows = reader.finish()
                same = before == _state(file.fileno())
            if same and self._wanted:
                self._found = reader, rows, _core.Qrels(rows, 0)
        except Exception:  # whatever it is, the reader of the verb finds it again and reports it
            self._found = None


def _state(descriptor: int) -> tuple[int, int]:
    """Return what changes if a file is written."""
    found = os.fstat(descriptor)
    return found.st_size, found.st_mtime_ns
