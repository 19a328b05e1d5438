"""JSON lines: one object per line, read as rows with the number of each line, and written from a frame."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._data.formats.damage import guarded
from tare._files.opening import PathLike, name_of, read_all, write_all
from tare.errors import FormatError, raise_all

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SUFFIXES", "json_object", "objects", "read", "read_with_lines", "write"]

SUFFIXES = (".jsonl", ".ndjson")


def read(source: PathLike) -> pl.DataFrame:
    """Read the objects of JSON lines as rows; one error lists all lines that are not objects."""
    return read_with_lines(source)[0]


def read_with_lines(source: PathLike) -> tuple[pl.DataFrame, int | NDArray[np.int64]]:
    """Return the rows of JSON lines, and the line of the first one, or of each if there are empty lines."""
    import polars as pl

    data = read_all(source)
    name = name_of(source)
    if not data.strip():
        raise FormatError(f"{name} is empty. A JSON-lines file has one object per line.")
    with guarded(name, "a readable JSON-lines file"):
        try:
            frame = pl.read_ndjson(data, infer_schema_length=None)
        except pl.exceptions.PolarsError:
            rows = [row for _, row in objects(data, name)]
            frame = pl.DataFrame(rows, infer_schema_length=None, strict=False)
    if data.count(b"\n") + (not data.endswith(b"\n")) == frame.height:
        return frame, 1
    lines = [number for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    return frame, np.array(lines, dtype=np.int64)


def json_object(line: str | bytes, where: str) -> dict[str, Any]:
    """Return the JSON object of a line.

    >>> json_object("[1]", "runs.jsonl, line 3")
    Traceback (most recent call last):
    tare.errors.FormatError: runs.jsonl, line 3: expected a JSON object, found '[1]'.
    """
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where}: invalid JSON: {str(error)[:80]}.") from None
    if not isinstance(row, dict):
        raise FormatError(f"{where}: expected a JSON object, found {str(row)[:60]!r}.")
    return row


def objects(data: bytes, name: str, example: str = "query") -> list[tuple[int, dict[str, Any]]]:
    """Return the number of each JSON line and its object, which keeps the types of its cells.

    One error lists all lines that are not objects; `example` is a key for messages.
    """
    found, problems = [], []
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            problems.append(f"{name}, line {number}: not valid JSON ({error}).")
            continue
        if (b"\\u" in line or b"\xed" in line) and not _is_text(value):
            problems.append(
                f"{name}, line {number}: a text contains a lone surrogate, which is not valid text. "
                "Was an emoji cut in half?"
            )
        elif isinstance(value, dict):
            found.append((number, value))
        else:
            problems.append(f'{name}, line {number}: expected an object like {{"{example}": …}}.')
    raise_all(problems)
    return found


def _is_text(value: Any) -> bool:
    """Return whether every text of a JSON line can be encoded; JSON escapes can produce lone surrogates."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def write(frame: pl.DataFrame, path: Path) -> None:
    """Write one object per line."""
    write_all(path, frame.write_ndjson().encode())
