"""Tables as HTML."""

from __future__ import annotations

from html import escape as escaped
from typing import TYPE_CHECKING

from tare._plain_text import plain_lines

if TYPE_CHECKING:
    from tare._tables.table import Table

__all__ = ["render"]


def escape(text: str) -> str:
    """Escape text for HTML; control characters, which HTML forbids, are written as escapes."""
    return escaped(plain_lines(text))


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
            f"<td{style}>{f'<strong>{escape(t)}</strong>' if (r, c) in table.marks else escape(t)}</td>"
            for c, (t, style) in enumerate(zip(row, aligned, strict=True))
        )
        lines.append(f"<tr>{cells}</tr>")
    lines.append("</tbody></table>")
    lines += [f'<p class="tare-note">{escape(note)}</p>' for note in table.notes]
    return "\n".join(lines) + "\n"
