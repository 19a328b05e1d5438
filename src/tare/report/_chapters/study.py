"""A study told to a reader: each of its tables with the charts that belong to it, and what made it."""

from __future__ import annotations

import re
from typing import Any

from tare._signature import tare_version
from tare._tables import Table
from tare.report._blocks import Block, Chapter, Figure, Grid, Headline, Headlines, Snippet
from tare.report._chapters.studies import shapes

__all__ = ["study_chapters", "tables_of"]

MOST_ROWS = 400


def tables_of(result: Any) -> dict[str, Table]:
    """The tables of a result by name, whichever way it has them."""
    if hasattr(result, "tables"):
        return dict(result.tables())
    return {"result": result.table()}


def study_chapters(result: Any) -> tuple[Chapter, ...]:
    """A chapter a table, charts first, and the last on how the answers were made."""
    tables = tables_of(result)
    figures = result.figures() if hasattr(result, "figures") else shapes.figures(result)
    chapters: list[Chapter] = []
    for name, table in tables.items():
        blocks: list[Block] = [*figures.pop(name, []), Grid(_short(table), most=25)]
        title = table.title or name.replace("_", " ").capitalize()
        chapters.append(Chapter(_key(name, chapters), title, tuple(blocks)))
    rest: list[Figure] = [figure for group in figures.values() for figure in group]
    if rest:
        chapters.append(Chapter(_key("more", chapters), "More pictures", tuple(rest)))
    found = _findings(result)
    first = [Chapter("findings", "Findings", (Headlines(tuple(found)),))] if found else []
    return (*first, *chapters, _made(result))


def _key(name: str, before: list[Chapter]) -> str:
    """A name for an address within the page; the last chapter and the findings have theirs."""
    key = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "part"
    taken = {chapter.key for chapter in before} | {"methods", "findings", "report", "data", "theme"}
    while key in taken:
        key += "-more"
    return key


def _short(table: Table) -> Table:
    """The table without signatures, which the last chapter has, and no longer than can be read."""
    told = [note for note in table.notes if not note.startswith("signature: ")]
    rows = table.rows
    if len(rows) > MOST_ROWS:
        told.insert(0, f"The first {MOST_ROWS} of {len(rows):,} rows; the study's frames have all.")
        rows = rows[:MOST_ROWS]
    marks = frozenset(mark for mark in table.marks if mark[0] < len(rows))
    return Table(table.columns, rows, "", tuple(told), marks)


def _findings(result: Any) -> list[Headline]:
    """What the study itself says was found, and what it noted about its data."""
    sentences = result.headlines() if hasattr(result, "headlines") else ()
    made = [Headline(sentence) for sentence in sentences]
    notes = getattr(result, "notes", ())
    made += [Headline("To note", str(note), "warning") for note in notes if isinstance(note, str)]
    return made


def _made(result: Any) -> Chapter:
    """What the answers depend on, ready to paste."""
    facts = dict(result.facts()) if hasattr(result, "facts") else {}
    signatures = facts.pop("signatures", None) or getattr(result, "signatures", ())
    facts.pop("notes", None)
    lines = [f"{key.replace('_', ' ')}: {_text(value)}" for key, value in facts.items()]
    lines.append(f"tare: {tare_version()}")
    blocks: list[Block] = []
    methods = getattr(result, "methods", None)
    if isinstance(methods, str):
        blocks.append(Snippet("Methods paragraph", methods))
    blocks.append(Snippet("What the answers depend on", "\n".join(lines)))
    if signatures:
        blocks.append(Snippet("Signatures", "\n".join(str(s) for s in signatures)))
    return Chapter("methods", "How this was made", tuple(blocks))


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)
