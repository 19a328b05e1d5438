"""Writers of TREC text."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tare._data.text_rows import refuse_unwritable
from tare._files.opening import write_all

__all__ = ["run_text", "write_qrels", "write_run", "write_subtopics"]


def _check(id_: str, *, first: bool = False) -> str:
    refuse_unwritable(id_, "TREC text", first=first)
    return id_


def write_run(queries: Iterable[tuple[str, list[tuple[str, float]]]], path: Path, tag: str) -> None:
    """Write `query Q0 document rank score tag`, with ranks from 1 in the given order."""
    write_all(path, run_text(queries, tag).encode())


def run_text(queries: Iterable[tuple[str, list[tuple[str, float]]]], tag: str) -> str:
    """Return the text that `write_run` writes."""
    lines = []
    _check(tag)
    for query, documents in queries:
        _check(query, first=True)
        lines += [
            f"{query} Q0 {_check(document)} {rank} {score!r} {tag}\n"
            for rank, (document, score) in enumerate(documents, 1)
        ]
    return "".join(lines)


def write_qrels(queries: Iterable[tuple[str, list[tuple[str, float]]]], path: Path) -> None:
    """Write `query 0 document grade`."""
    lines = []
    for query, documents in queries:
        _check(query, first=True)
        lines += [
            f"{query} 0 {_check(document)} {_grade(grade)}\n" for document, grade in documents
        ]
    write_all(path, "".join(lines).encode())


def write_subtopics(cells: Iterable[tuple[str, str, str, float]], path: Path) -> None:
    """Write `query subtopic document grade`."""
    lines = []
    for query, subtopic, document, grade in cells:
        _check(query, first=True)
        lines.append(f"{query} {_check(subtopic)} {_check(document)} {_grade(grade)}\n")
    write_all(path, "".join(lines).encode())


def _grade(grade: float) -> str:
    """Format whole numbers without a decimal point, others with full precision."""
    return str(int(grade)) if grade.is_integer() and abs(grade) < 1e15 else repr(grade)
