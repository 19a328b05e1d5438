"""Formats of tables by the suffix of their files; a format is loaded when a file needs it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

__all__ = ["HEADED", "TABLES"]

HEADED = (".csv", ".tsv")  # their first line is a header

_FORMATS = {
    **dict.fromkeys(HEADED, "delimited"),
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
}


class _Formats(Mapping[str, Any]):
    """The module of each suffix."""

    def __getitem__(self, suffix: str) -> Any:
        return import_module(f"tare._data.formats.{_FORMATS[suffix]}")

    def __contains__(self, suffix: object) -> bool:
        return suffix in _FORMATS

    def __iter__(self) -> Iterator[str]:
        return iter(_FORMATS)

    def __len__(self) -> int:
        return len(_FORMATS)


TABLES: Mapping[str, Any] = _Formats()
