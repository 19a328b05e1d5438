"""Chapters of any result: one per table, with its charts, and one on methods."""

from __future__ import annotations

import re
from typing import Any

from tare._result import Result
from tare._signature import tare_version
from tare._tables import Table
from tare.report._blocks import Block, Chapter, Figure, Headline, Headlines, Snippet, SortableTable
from tare.report._figures import figures_of, replaced

__all__ = ["result_chapters"]

MAX_ROWS = 400


def result_chapters(result: Result) -> tuple[Chapter, ...]:
    """Return the chapters of any result: the findings, one per table with its charts, and the methods."""
    figures = figures_of(result)
    own = replaced(result)
    chapters: list[Chapter] = []
    for name, table in result.tables().items():
        shown = own.get(name) or [SortableTable(_short(table), max_rows=25)]
        drawn = figures.pop(name, [])
        blocks: list[Block] = [*shown, *drawn] if name in own else [*drawn, *shown]
        title = table.title or name.replace("_", " ").capitalize()
        chapters.append(Chapter(_key(name, chapters), title, tuple(blocks)))
    rest: list[Figure] = [figure for group in figures.values() for figure in group]
    if rest:
        chapters.append(Chapter(_key("more", chapters), "More charts", tuple(rest)))
    found = _findings(result)
    first = [Chapter("findings", "Findings", (Headlines(tuple(found)),))] if found else []
    return (*first, *chapters, _methods(result))


def _key(name: str, before: list[Chapter]) -> str:
    """Return an anchor for the chapter of a table that no other chapter of the page has."""
    key = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "part"
    taken = {chapter.key for chapter in before} | {"methods", "findings", "report", "data", "theme"}
    while key in taken:
        key += "-more"
    return key


def _short(table: Table) -> Table:
    """Return the table of a result without signatures, which are in the chapter on methods, and with limited rows."""
    notes = [note for note in table.notes if not note.startswith("signature: ")]
    rows = table.rows
    if len(rows) > MAX_ROWS:
        notes.insert(0, f"The table shows the first {MAX_ROWS} of {len(rows):,} rows.")
        rows = rows[:MAX_ROWS]
    marks = frozenset(mark for mark in table.marks if mark[0] < len(rows))
    return Table(table.columns, rows, "", tuple(notes), marks)


def _findings(result: Result) -> list[Headline]:
    """Return the findings of a study and its notes on the data, for the first chapter."""
    headlines = [Headline(sentence) for sentence in result.headlines()]
    notes = getattr(result, "notes", ())
    notes = () if callable(notes) else notes  # a method: the notes are those of the table
    headlines += [Headline("Note", str(note), "warning") for note in notes if isinstance(note, str)]
    return headlines


def _methods(result: Result) -> Chapter:
    """Return the chapter on methods with the settings and signatures of a result, ready to copy."""
    facts = dict(result.facts())
    signatures = facts.pop("signatures", None) or getattr(result, "signatures", ())
    facts.pop("notes", None)
    lines = [f"{key.replace('_', ' ')}: {_text(value)}" for key, value in facts.items()]
    lines.append(f"tare: {tare_version()}")
    blocks: list[Block] = []
    methods = getattr(result, "methods", None)
    if isinstance(methods, str):
        blocks.append(Snippet("Methods paragraph", methods))
    blocks.append(Snippet("Settings", "\n".join(lines)))
    if signatures:
        blocks.append(Snippet("Signatures", "\n".join(str(s) for s in signatures)))
    return Chapter("methods", "Methods", tuple(blocks))


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)
