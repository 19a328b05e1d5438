"""Files of ranx: JSON, LZ4 and Parquet."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from tare.errors import FormatError, MissingExtraError, UnreadableError, choose

__all__ = ["kind_of", "load_dictionary", "load_parquet"]

KINDS = ("json", "trec", "gz", "lz4", "parquet")


def kind_of(path: str | Path, kind: str | None) -> str:
    """Return the format of a file, by default from its suffix."""
    suffix = Path(path).suffix.lstrip(".").lower()
    given = kind or {"txt": "trec", "parq": "parquet"}.get(suffix, suffix)
    return choose("kind", given, KINDS)


def load_dictionary(path: str | Path, kind: str) -> dict[str, dict[str, Any]]:
    """Read {query: {document: value}} from JSON, also if it is compressed."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise UnreadableError(f"{path}: {error.strerror or error}.") from None
    if kind == "lz4":
        try:
            import lz4.frame
        except ImportError:
            raise MissingExtraError("lz4", None, "Reading .lz4 files") from None
        content = lz4.frame.decompress(content)
    elif content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    try:
        found = json.loads(content)
    except ValueError as error:
        raise FormatError(f"{path}: not JSON ({error}).") from None
    if not isinstance(found, dict) or not all(isinstance(v, dict) for v in found.values()):
        raise FormatError(f"{path}: expected an object {{query: {{document: value}}}}.")
    return found


def load_parquet(path: str | Path) -> Any:
    """Read a Parquet file into a data frame."""
    from tare._data.formats import parquet

    return parquet.read(str(path))
