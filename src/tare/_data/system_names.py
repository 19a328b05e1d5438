"""Names of systems: after the file of a run, or after the tag in its lines."""

from __future__ import annotations

import os
from pathlib import Path

from tare._choices import SystemNames
from tare._data.rows import TABLES
from tare._files.addresses import shown_path
from tare._files.opening import COMPRESSED, PathLike
from tare._kernels import TextReading

__all__ = ["stem_of", "system_of"]

SUFFIXES = (*COMPRESSED, *TABLES, ".json", ".run", ".txt", ".trec")


def system_of(
    source: PathLike, reading: TextReading | None, system_names: SystemNames = "file"
) -> str:
    """Return the name of a file without its suffixes, or its tag; standard input has only a tag."""
    tagged = system_names == "tag" or os.fspath(source) == "-"
    return reading.tag if tagged and reading is not None and reading.tag else stem_of(source)


def stem_of(source: PathLike) -> str:
    """Return the name of a file without the suffixes of its format.

    >>> stem_of("runs/bm25+rm3.run.gz")
    'bm25+rm3'
    """
    path = shown_path(source)
    while path.suffix.lower() in SUFFIXES and path.stem:
        path = Path(path.stem)
    return path.name.encode("utf-8", "backslashreplace").decode()  # bytes that are not UTF-8
