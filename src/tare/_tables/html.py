"""Tables as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape as escaped
from typing import TYPE_CHECKING

from tare._plain_text import plain_lines

if TYPE_CHECKING:
    from tare._tables.table import Table

__all__ = ["notebook", "render"]


def escape(text: str) -> str:
    """Escape text for HTML; control characters, which HTML forbids, are written as escapes."""
    return escaped(plain_lines(text))


def _cell(table: Table, r: int, c: int, text: str) -> str:
    shown = f"<strong>{escape(text)}</strong>" if (r, c) in table.marks else escape(text)
    above = table.superscripts.get((r, c))
    return f"{shown}<sup>{escape(above)}</sup>" if above else shown


def render(table: Table) -> str:
    """Return a table element with right-aligned numbers, marked cells in bold and notes below."""
    lines = ['<table class="tare">']
    if table.title:
        lines.append(f"<caption>{escape(table.title)}</caption>")
    aligned = [f' style="text-align:{column.align}"' for column in table.columns]
    heads = "".join(
        f'<th scope="col"{style}>{escape(column.name)}</th>'
        for column, style in zip(table.columns, aligned, strict=True)
    )
    lines += [f"<thead><tr>{heads}</tr></thead>", "<tbody>"]
    for r, row in enumerate(table.shown()):
        cells = "".join(
            f"<td{style}>{_cell(table, r, c, t)}</td>"
            for c, (t, style) in enumerate(zip(row, aligned, strict=True))
        )
        lines.append(f"<tr>{cells}</tr>")
    lines.append("</tbody></table>")
    lines += [f'<p class="tare-note">{escape(note)}</p>' for note in table.notes]
    return "\n".join(lines) + "\n"


MOST = 200  # rows of a folded table that a notebook shows
SCROLLS = '<div style="overflow-x:auto;max-width:100%;white-space:nowrap;overflow-wrap:normal">'
FOLDED = '<details style="max-width:100%;overflow-wrap:anywhere"><summary>'


def notebook(tables: Sequence[Table]) -> str:
    """Return the first table, and the others and all notes folded; wide tables scroll."""
    parts = []
    notes: dict[str, None] = {}
    for place, table in enumerate(tables):
        notes |= dict.fromkeys(table.notes)
        shown = replace(table, notes=())
        if not place:
            parts.append(f"{SCROLLS}{render(shown)}</div>")
            continue
        rows = table.rows[:MOST]
        head = f"{table.title or 'More'}: {len(table.rows):,} rows"
        head += f", the first {MOST} shown" if len(rows) < len(table.rows) else ""
        body = render(replace(shown, rows=rows, title=""))
        parts.append(f"{FOLDED}{escape(head)}</summary>{SCROLLS}{body}</div></details>")
    if notes:
        warnings = sum(note.startswith("!") for note in notes)
        head = f"Notes ({warnings} warnings)" if warnings else "Notes"
        body = "".join(f'<p class="tare-note">{escape(note)}</p>' for note in notes)
        parts.append(f"{FOLDED}{head}</summary>{body}</details>")
    return "\n".join(parts) + "\n"
