"""Tables for a terminal."""

from __future__ import annotations

import textwrap
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tare.tables.table import Table

__all__ = ["render", "width_of"]


def width_of(text: str) -> int:
    """Columns a text takes on a terminal: wide letters take two, combining marks none."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def render(table: Table, *, width: int | None = None) -> str:
    """Aligned columns under a rule; marked cells carry an asterisk; notes below."""
    cells = [
        [f"{cell}*" if (r, c) in table.marks else cell for c, cell in enumerate(row)]
        for r, row in enumerate(table.shown())
    ]
    heads = [column.name for column in table.columns]
    starred = {c for _, c in table.marks}
    for row in cells:  # so that numbers stay aligned beside marked ones
        for c in starred:
            if not row[c].endswith("*"):
                row[c] += " "
    widths = [max(width_of(line[c]) for line in [heads, *cells]) for c in range(len(table.columns))]

    def line(row: list[str]) -> str:
        padded = []
        for column, text, w in zip(table.columns, row, widths, strict=True):
            blanks = " " * (w - width_of(text))
            padded.append(text + blanks if column.align == "left" else blanks + text)
        return "  ".join(padded).rstrip()

    lines = [table.title, ""] if table.title else []
    lines += [line(heads), "  ".join("─" * w for w in widths), *map(line, cells)]
    if table.notes:
        lines.append("")
        for note in table.notes:
            lines += textwrap.wrap(note, width or 100, subsequent_indent="  ") or [""]
    return "\n".join(lines)
