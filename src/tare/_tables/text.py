"""Tables for a terminal: aligned, never wider than it, and without its control characters."""

from __future__ import annotations

import textwrap
import unicodedata
from typing import TYPE_CHECKING

from tare._plain_text import plain

if TYPE_CHECKING:
    from tare._tables.table import Table

__all__ = ["cut", "render", "width_of"]

GAP = "  "
SHORTEST = 12  # a name is not cut below this
BOLD, PLAIN = "\x1b[1m", "\x1b[0m"


def width_of(text: str) -> int:
    """Columns a text takes on a terminal: wide letters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def cut(text: str, width: int) -> str:
    """The beginning of a text that is too wide, with an ellipsis.

    >>> cut("a very long name", 8)
    'a very …'
    """
    if width_of(text) <= width:
        return text
    kept = ""
    for c in text:
        if width_of(kept + c) > width - 1:
            break
        kept += c
    return kept + "…"


def render(table: Table, *, width: int | None = None, bold: bool = False) -> str:
    """Aligned columns under a rule; marked cells carry an asterisk; notes below.

    With a width, names are cut and then columns are set one block below the other, the first of
    them in each, so that nothing wraps. `bold` shows marked cells strong.
    """
    cells = [
        [f"{plain(cell)}*" if (r, c) in table.marks else plain(cell) for c, cell in enumerate(row)]
        for r, row in enumerate(table.shown())
    ]
    heads = [plain(column.name) for column in table.columns]
    starred = {c for _, c in table.marks}
    for row in cells:  # so that numbers stay aligned beside marked ones
        for c in starred:
            if not row[c].endswith("*"):
                row[c] += " "
    widths = [max(width_of(line[c]) for line in [heads, *cells]) for c in range(len(heads))]
    if width is not None:
        widths = _fitted(table, widths, width)

    def cell_of(r: int | None, c: int, text: str) -> str:
        text = cut(text, widths[c])
        blanks = " " * (widths[c] - width_of(text))
        if bold and r is not None and (r, c) in table.marks:
            text = f"{BOLD}{text}{PLAIN}"
        return text + blanks if table.columns[c].align == "left" else blanks + text

    def line(r: int | None, row: list[str], block: list[int]) -> str:
        return GAP.join(cell_of(r, c, row[c]) for c in block).rstrip()

    lines = [plain(table.title), ""] if table.title else []
    for k, block in enumerate(_blocks(widths, width)):
        lines += [""] if k else []
        lines += [line(None, heads, block), GAP.join("─" * widths[c] for c in block)]
        lines += [line(r, row, block) for r, row in enumerate(cells)]
    if table.notes:
        lines.append("")
        for note in table.notes:
            lines += textwrap.wrap(plain(note), width or 100, subsequent_indent="  ") or [""]
    return "\n".join(lines)


def _fitted(table: Table, widths: list[int], width: int) -> list[int]:
    """Widths of the columns when names are cut, the widest first, as far as they must be."""
    made = list(widths)
    names = [c for c, column in enumerate(table.columns) if column.align == "left"]
    while sum(made) + len(GAP) * (len(made) - 1) > width:
        widest = max(names, key=lambda c: made[c], default=None)
        if widest is None or made[widest] <= SHORTEST:
            break
        made[widest] -= 1
    return [min(w, width) for w in made]


def _blocks(widths: list[int], width: int | None) -> list[list[int]]:
    """Columns that fit side by side; the first stands in every block."""
    if not widths:
        return [[]]
    if width is None:
        return [list(range(len(widths)))]
    made: list[list[int]] = [[0]]
    used = widths[0]
    for c in range(1, len(widths)):
        if used + len(GAP) + widths[c] > width and len(made[-1]) > 1:
            made.append([0])
            used = widths[0]
        made[-1].append(c)
        used += len(GAP) + widths[c]
    return made
