"""Tables and bar charts for a terminal: aligned, no wider than the terminal, control characters escaped."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tare._plain_text import plain

if TYPE_CHECKING:
    from tare._tables.table import Table

__all__ = ["bars", "cut", "render", "side_by_side", "width_of"]


GAP = "  "
SHORTEST = 12  # names are not cut shorter than this
BOLD, PLAIN = "\x1b[1m", "\x1b[0m"


def width_of(text: str) -> int:
    """Return the width of a text on a terminal; wide characters count 2, combining marks 0."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def cut(text: str, width: int) -> str:
    """Cut a text that is too wide for its column on a terminal and end it with an ellipsis.

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
    """Return a table for a terminal in aligned columns; marked cells end with an asterisk, notes come below.

    If the table is wider than `width`, names are cut; then columns continue in further blocks, each
    of which repeats the first column. `bold` prints marked cells in bold.
    """
    cells = [
        [
            (f"{plain(cell)}*" if (r, c) in table.marks else plain(cell))
            + (f" {plain(up)}" if (up := table.superscripts.get((r, c))) else "")
            for c, cell in enumerate(row)
        ]
        for r, row in enumerate(table.shown())
    ]
    heads = [plain(column.name) for column in table.columns]
    starred = {c for _, c in table.marks}
    for row in cells:  # keeps numbers aligned with marked ones
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
    """Return column widths of a table on a terminal after the widest names are cut as far as necessary."""
    made = list(widths)
    names = [c for c, column in enumerate(table.columns) if column.align == "left"]
    while sum(made) + len(GAP) * (len(made) - 1) > width:
        widest = max(names, key=lambda c: made[c], default=None)
        if widest is None or made[widest] <= SHORTEST:
            break
        made[widest] -= 1
    return [min(w, width) for w in made]


def _blocks(widths: list[int], width: int | None) -> list[list[int]]:
    """Split a table's columns into blocks that fit the width of a terminal; each block begins with the first column."""
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


# Bar charts in text, for terminals.


EIGHTHS = " ▏▎▍▌▋▊▉█"


def bars(
    rows: Sequence[tuple[str, float]], *, title: str = "", width: int = 48, high: float = 1.0
) -> list[str]:
    """Return a bar chart for a terminal, one line per number; numbers below 0 have no bar, `high` fills the width.

    >>> print(*bars([("a", 0.5), ("long name", 1.0)], width=30), sep="\\n")
    a          █████▌       0.500
    long name  ███████████  1.000
    """
    names = [cut(plain(name), max(8, width // 3)) for name, _ in rows]
    widest = max(map(width_of, names), default=0)
    room = max(4, width - widest - 10)
    lines = [title, ""] if title else []
    for name, (_, number) in zip(names, rows, strict=True):
        filled = max(0.0, min(1.0, number / high)) * room
        whole, rest = int(filled), int(8 * (filled - int(filled)))
        bar = "█" * whole + (EIGHTHS[rest] if rest else "")
        label = f"{number:.3f}".replace("-", "−")
        lines.append(f"{name}{' ' * (widest - width_of(name))}  {bar:<{room}}  {label}".rstrip())
    return lines


def side_by_side(left: Sequence[str], right: Sequence[str], *, gap: int = 4) -> list[str]:
    """Put two charts side by side."""
    widest = max(map(width_of, left), default=0)
    height = max(len(left), len(right))
    pairs = zip(
        [*left, *[""] * (height - len(left))], [*right, *[""] * (height - len(right))], strict=True
    )
    return [f"{a}{' ' * (widest - width_of(a) + gap)}{b}".rstrip() for a, b in pairs]
