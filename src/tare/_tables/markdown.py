"""Tables as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tare._plain_text import lines_of, plain

if TYPE_CHECKING:
    from tare._tables.table import Table

__all__ = ["render"]


def _escape(text: str) -> str:
    for sign in "\\|<`*":  # names are not markup
        text = text.replace(sign, f"\\{sign}")
    return plain(" ".join(lines_of(text)))


def render(table: Table) -> str:
    """Return a pipe table with marked cells in bold."""
    lines = [f"**{_escape(table.title)}**", ""] if table.title else []
    lines.append("| " + " | ".join(_escape(column.name) for column in table.columns) + " |")
    lines.append(
        "| " + " | ".join("---:" if c.align == "right" else "---" for c in table.columns) + " |"
    )
    for r, row in enumerate(table.shown()):
        cells = [
            (f"**{_escape(t)}**" if (r, c) in table.marks else _escape(t))
            + (f"<sup>{_escape(up)}</sup>" if (up := table.superscripts.get((r, c))) else "")
            for c, t in enumerate(row)
        ]
        lines.append("| " + " | ".join(cells) + " |")
    if table.notes:
        lines += ["", *(f"- {plain(note)}" for note in table.notes)]
    return "\n".join(lines) + "\n"
