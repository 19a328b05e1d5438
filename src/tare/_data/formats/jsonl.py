"""JSON lines: an object a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tare._data.formats.guard import guarded
from tare._data.source import PathLike, name_of, read_all, write_all
from tare.errors import FormatError, raise_all

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SUFFIXES", "objects", "read", "write"]

SUFFIXES = (".jsonl", ".ndjson")


def read(source: PathLike) -> pl.DataFrame:
    """The objects as rows; all lines that are none are told together."""
    import polars as pl

    data = read_all(source)
    name = name_of(source)
    if not data.strip():
        raise FormatError(f"{name} is empty. A JSON-lines file has an object a line.")
    with guarded(name, "a readable JSON-lines file"):
        try:
            return pl.read_ndjson(data, infer_schema_length=None)
        except pl.exceptions.PolarsError:
            return pl.DataFrame(objects(data, name), infer_schema_length=None, strict=False)


def objects(data: bytes, name: str, example: str = "query") -> list[dict[str, Any]]:
    """The objects, line by line, to say where it went wrong; `example` is a key they may have."""
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
                f"{name}, line {number}: half a surrogate pair, which is no character. Was a text "
                "cut within an emoji?"
            )
        elif isinstance(value, dict):
            found.append(value)
        else:
            problems.append(f'{name}, line {number}: expected an object like {{"{example}": …}}.')
    raise_all(problems)
    return found


def _is_text(value: Any) -> bool:
    """Whether every text in a value can be written; JSON can name what no text may hold."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def write(frame: pl.DataFrame, path: Path) -> None:
    """Writes an object a line."""
    write_all(path, frame.write_ndjson().encode())
