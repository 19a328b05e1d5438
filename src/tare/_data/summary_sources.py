"""Rows of summaries from any source: files, folders, frames, datasets and dictionaries."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from tare._data import frames
from tare._data.findings import Finding
from tare._data.summary_files import read_folder, read_parallel
from tare._data.summary_references import references_of
from tare._data.summary_rows import TABLES, Row, rows_of_frame, rows_of_objects, rows_of_table
from tare._files.opening import plain_suffix
from tare.errors import FormatError, MismatchError

__all__ = ["rows_of_source"]


def rows_of_source(
    source: Any, references: Any, sources: Any, system: str | None
) -> tuple[str, list[Row], list[Finding]]:
    """Return the name of a source, its rows and findings."""
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        if os.path.isdir(name):  # noqa: PTH112 (a string)
            return name, read_folder(name), []
        table = plain_suffix(source) in TABLES
        if table and (references is not None or sources is not None):
            raise FormatError(
                f"{name} is a table, which contains its own references and sources: give only the "
                "table, or text files with one summary per line."
            )
        if references is not None or sources is not None:
            return name, read_parallel({system or "": source}, references, sources), []
        return name, *rows_of_table(source, system)
    if isinstance(source, Mapping):
        if source and all(isinstance(v, str | os.PathLike) for v in source.values()):
            return "text files", read_parallel(source, references, sources), []
        if source and all(hasattr(v, "column_names") for v in source.values()):
            splits = ", ".join(repr(key) for key in source)
            raise FormatError(f"found a dataset with the splits {splits}; pass one of them.")
        return "dictionary", _of_mapping(source, references, sources), []
    if hasattr(source, "column_names") and hasattr(source, "features"):
        return "dataset", *rows_of_objects(iter(source), system, "dataset")
    if frames.is_frame(source):
        return "data frame", *rows_of_frame(frames.to_polars(source), system, "data frame")
    if isinstance(source, Iterable):
        return "list", *rows_of_objects(source, system, "list")
    raise FormatError(
        f"summaries cannot be read from a {type(source).__name__}. Accepted: a path, a folder, a "
        "data frame, a dataset, a list of dictionaries, or {system: {item: text}}."
    )


def _of_mapping(source: Mapping[Any, Any], references: Any, sources: Any) -> list[Row]:
    if references is not None and not isinstance(references, Mapping):
        raise FormatError(
            "summaries from a dictionary {system: {item: text}} need references={item: text or "
            "list of texts}."
        )
    rows = []
    for system, texts in source.items():
        if not isinstance(texts, Mapping):
            raise FormatError(f"dictionary: system {system!r} does not hold {{item: text}}.")
        for item, text in texts.items():
            if references is not None and item not in references:
                raise MismatchError(f"item {item!r} of system {system!r} has no references.")
            given = references[item] if references is not None else ()
            try:
                group, authors = references_of(
                    given if isinstance(given, str | Mapping) else list(given)
                )
            except TypeError as error:
                raise FormatError(f"dictionary: item {item!r}: {error}") from None
            about = None if sources is None else sources.get(item)
            rows.append(Row(str(system), str(item), text, group, about, authors=authors))
    return rows
