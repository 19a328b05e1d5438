"""TREC text, written."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from tare.errors import FormatError

__all__ = ["write_qrels", "write_run", "write_subtopics"]


def _check(*ids: str) -> None:
    for id_ in ids:
        if not id_ or any(c.isspace() for c in id_) or id_.startswith("#"):
            raise FormatError(
                f"the id {id_!r} cannot stand in TREC text: it is empty, begins with '#' or holds "
                "a blank. Write .jsonl, .csv or .parquet instead."
            )


def _open(path: Path) -> TextIO:
    return path.open("w", encoding="utf-8", newline="\n")


def write_run(queries: Iterable[tuple[str, list[tuple[str, float]]]], path: Path, tag: str) -> None:
    """Writes `query Q0 document rank score tag`, ranks counted from 1 in the order given."""
    lines = []
    for query, documents in queries:
        _check(query, *(document for document, _ in documents))
        lines += [
            f"{query} Q0 {document} {rank} {score!r} {tag}\n"
            for rank, (document, score) in enumerate(documents, 1)
        ]
    _check(tag)
    with _open(path) as file:
        file.writelines(lines)


def write_qrels(queries: Iterable[tuple[str, list[tuple[str, float]]]], path: Path) -> None:
    """Writes `query 0 document grade`."""
    lines = []
    for query, documents in queries:
        _check(query, *(document for document, _ in documents))
        lines += [f"{query} 0 {document} {grade:.15g}\n" for document, grade in documents]
    with _open(path) as file:
        file.writelines(lines)


def write_subtopics(cells: Iterable[tuple[str, str, str, float]], path: Path) -> None:
    """Writes `query subtopic document grade`."""
    lines = []
    for query, subtopic, document, grade in cells:
        _check(query, subtopic, document)
        lines.append(f"{query} {subtopic} {document} {grade:.15g}\n")
    with _open(path) as file:
        file.writelines(lines)
