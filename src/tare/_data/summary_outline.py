"""The outline of a file of summaries, read in pieces: everything about its rows but the texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from tare._data.findings import Finding
from tare._data.summary_digests import SIZE, content_digest, digest_of_rows
from tare._data.summary_pieces import SummaryFile, SummaryPiece, rows_of_piece
from tare._data.summary_rows import (
    Row,
    columns_note,
    duplicate_row,
    has_words,
    row_findings,
)
from tare.errors import TareError, raise_all

__all__ = ["FileOutline", "PieceOutline", "outline_of", "piece_outline"]


@dataclass(frozen=True)
class PieceOutline:
    """The rows of a piece without their texts; `sound` is false if a line or row has a problem.

    `items` has None for a row without an item. `empty` and `bare` are the rows without words and
    without references, and `contents` the digests of all rows.
    """

    lines: int
    rows: int
    sound: bool = True
    systems: tuple[str, ...] = ()
    items: tuple[str | None, ...] = ()
    authors: tuple[tuple[int, tuple[str, ...]], ...] = ()
    empty: tuple[int, ...] = ()
    bare: tuple[int, ...] = ()
    has: frozenset[str] = frozenset()
    recognised: str = ""
    contents: bytes = b""


@dataclass(frozen=True)
class FileOutline:
    """The rows of a whole file without their texts; `edges` are the first rows of its pieces."""

    name: str
    systems: tuple[str, ...]
    items: tuple[str, ...]
    authors: dict[int, tuple[str, ...]]
    has: frozenset[str]
    edges: tuple[int, ...]
    digest: str
    findings: tuple[Finding, ...]


def piece_outline(shared: object, piece: SummaryPiece) -> PieceOutline:
    """Return the outline of a piece; a task of engines."""
    objects, problems, lines = piece.objects()
    try:
        found = None if problems else rows_of_piece(piece, objects)
    except TareError:  # reported for the whole file by `_raise_problems`
        found = None
    if found is None or found.problems:
        return PieceOutline(lines, len(objects), sound=False)
    rows, unnamed = found.rows, set(found.unnamed)
    names: dict[str, str] = {}  # equal names are one object, which is pickled once
    return PieceOutline(
        lines,
        len(rows),
        True,
        tuple(names.setdefault(row.system, row.system) for row in rows),
        tuple(None if k in unnamed else row.item for k, row in enumerate(rows)),
        tuple((k, row.authors) for k, row in enumerate(rows) if any(row.authors)),
        tuple(k for k, row in enumerate(rows) if not has_words(row.text)),
        tuple(k for k, row in enumerate(rows) if not row.references),
        frozenset(need for row in rows for need in _held(row)),
        found.recognised,
        b"".join(
            content_digest(r.text, r.references, r.source, r.base, r.scus, r.authors) for r in rows
        ),
    )


def _held(row: Row) -> list[str]:
    columns = {
        "references": row.references,
        "source": row.source,
        "base": row.base,
        "scus": row.scus,
    }
    return [need for need, given in columns.items() if given]


def outline_of(
    file: SummaryFile, pieces: Sequence[SummaryPiece], parts: Sequence[PieceOutline]
) -> FileOutline | None:
    """Return the outline of the file; None if only reading it as a whole gives the right answer."""
    if not all(part.sound for part in parts):
        _raise_problems(pieces, parts)
    has = frozenset(need for part in parts for need in part.has)
    edges = tuple(accumulate((part.rows for part in parts), initial=0))
    if not edges[-1] or "scus" in has:
        return None
    systems = tuple(system for part in parts for system in part.systems)
    items = _named(systems, [item for part in parts for item in part.items])
    _refuse_duplicates(file.name, systems, items)
    first = list(zip(edges, parts, strict=False))
    empty = [start + k for start, part in first for k in part.empty]
    bare = [start + k for start, part in first for k in part.bare]
    contents = b"".join(part.contents for part in parts)
    digests = (contents[k : k + SIZE] for k in range(0, len(contents), SIZE))

    def labels(rows: list[int]) -> list[str]:
        return [f"{systems[row]} {items[row]}" for row in rows[:6]]

    recognised = next(part.recognised for part in reversed(parts) if part.rows)
    return FileOutline(
        file.name,
        systems,
        items,
        {start + k: authors for start, part in first for k, authors in part.authors},
        has,
        edges,
        digest_of_rows(zip(systems, items, digests, strict=True)),
        (
            columns_note(file.name, recognised),
            *row_findings(file.name, len(empty), labels(empty), len(bare), labels(bare)),
        ),
    )


def _named(systems: Sequence[str], items: Sequence[str | None]) -> tuple[str, ...]:
    """Return the items; a row without one has its number among the rows of its system."""
    counts: dict[str, int] = {}
    names: dict[str, str] = {}
    found = []
    for system, item in zip(systems, items, strict=True):
        counts[system] = counts.get(system, 0) + 1
        name = str(counts[system]) if item is None else item
        found.append(names.setdefault(name, name))
    return tuple(found)


def _refuse_duplicates(name: str, systems: Sequence[str], items: Sequence[str]) -> None:
    seen: set[tuple[str, str]] = set()
    problems = []
    for key in zip(systems, items, strict=True):
        if key in seen:
            problems.append(duplicate_row(name, *key))
        seen.add(key)
    raise_all(problems)


def _raise_problems(pieces: Sequence[SummaryPiece], parts: Sequence[PieceOutline]) -> None:
    """Raise the error of the whole file: first that of its lines, then that of its rows."""
    lines = accumulate((part.lines for part in parts), initial=1)
    rows = accumulate((part.rows for part in parts), initial=1)
    bad = [row for row in zip(pieces, parts, lines, rows, strict=False) if not row[1].sound]
    problems: list[str] = []
    raise_all([text for piece, _, line, _ in bad for text in piece.objects(line).problems])
    for piece, _, _, row in bad:
        problems += rows_of_piece(piece, piece.objects().values, row).problems
    raise_all(problems)
