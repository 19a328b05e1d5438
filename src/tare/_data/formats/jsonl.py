"""JSON lines: one object per line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tare._data.formats.damage import guarded
from tare._files.opening import PathLike, name_of, read_all, write_all
from tare.errors import FormatError, raise_all

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SUFFIXES", "objects", "read", "write"]

SUFFIXES = (".jsonl", ".ndjson")


def read(source: PathLike) -> pl.DataFrame:
    """Read the objects as rows; one error lists all lines that are not objects."""
    import polars as pl

    data = read_all(source)
    name = name_of(source)
    if not data.strip():
        raise FormatError(f"{name} is empty. A JSON-lines file has one object per line.")
    with guarded(name, "a readable JSON-lines file"):
        try:
            return pl.read_ndjson(data, infer_schema_length=None)
        except pl.exceptions.PolarsError:
            return pl.DataFrame(objects(data, name), infer_schema_length=None, strict=False)


def objects(data: bytes, name: str, example: str = "query") -> list[dict[str, Any]]:
    """Return the objects, parsed line by line to locate errors; `example` is a key for messages."""
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
            found.append(value)
        else:
            problems.append(f'{name}, line {number}: expected an object like {{"{example}": …}}.')
    raise_all(problems)
    return found


def _is_text(value: Any) -> bool:
    """Return whether every text can be encoded; JSON escapes can produce lone surrogates."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def write(frame: pl.DataFrame, path: Path) -> None:
    """Write one object per line."""
    write_all(path, frame.write_ndjson().encode())
