"""Writers of tables: Markdown, LaTeX with booktabs, HTML, JSON and JSON lines."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape as escaped
from typing import TYPE_CHECKING, Any

from tare._plain_text import lines_of, plain, plain_lines

if TYPE_CHECKING:
    from tare._tables.table import Table

__all__ = [
    "escape_latex",
    "notebook",
    "render_html",
    "render_json",
    "render_jsonl",
    "render_latex",
    "render_markdown",
    "render_several",
]


# Tables as Markdown.


def _escape(text: str) -> str:
    for sign in "\\|<`*":  # names are not markup
        text = text.replace(sign, f"\\{sign}")
    return plain(" ".join(lines_of(text)))


def render_markdown(table: Table) -> str:
    """Return a table as Markdown: a pipe table with marked cells in bold."""
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


# Tables as LaTeX, with booktabs.


_SPECIAL = {
    "\n": " ",  # an empty line would end the table
    "\r": " ",
    "\u2028": " ",
    "\u2029": " ",
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "−": "$-$",
    "–": "--",
    "±": r"$\pm$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "×": r"$\times$",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "τ": r"$\tau$",
    "κ": r"$\kappa$",
    "χ": r"$\chi$",
    "η": r"$\eta$",
    "ω": r"$\omega$",
    "²": "$^2$",
    "Δ": r"$\Delta$",
    "…": r"\dots{}",
    "♯": r"$\sharp$",
    "†": r"$\dagger$",
    "‡": r"$\ddagger$",
    "σ": r"$\sigma$",
    "ρ": r"$\rho$",
    "μ": r"$\mu$",
    "λ": r"$\lambda$",
    "∞": r"$\infty$",
    "·": r"$\cdot$",
    "’": "'",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}


def escape_latex(text: str) -> str:
    """Escape text for LaTeX; control characters are dropped."""
    return "".join(
        _SPECIAL.get(character, character if plain(character) == character else "")
        for character in text
    )


def render_latex(table: Table, *, caption: str | None = None, label: str | None = None) -> str:
    """Return a table as LaTeX: a tabular with booktabs rules, marked cells in bold and notes in a small paragraph.

    With a caption or a label, it is inside a table environment.
    """
    alignment = "".join("r" if column.align == "right" else "l" for column in table.columns)
    floats = caption is not None or label is not None
    lines = [r"% needs \usepackage{booktabs}"]
    if floats:
        lines += [r"\begin{table}[tb]", r"\centering"]
        lines += [] if caption is None else [rf"\caption{{{escape_latex(caption)}}}"]
        lines += [] if label is None else [rf"\label{{{_label(label)}}}"]
    lines += [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule"]
    lines.append(" & ".join(escape_latex(column.name) for column in table.columns) + r" \\")
    lines.append(r"\midrule")
    for r, row in enumerate(table.shown()):
        cells = [
            (rf"\textbf{{{escape_latex(t)}}}" if (r, c) in table.marks else escape_latex(t))
            + _superscript(table.superscripts.get((r, c), ""))
            for c, t in enumerate(row)
        ]
        lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    if table.notes:
        paragraph = r"{\footnotesize " + " ".join(map(escape_latex, table.notes)) + r"\par}"
        lines += ["", (r"\smallskip\raggedright" if floats else r"\smallskip") + paragraph]
    lines += [r"\end{table}"] if floats else []
    return "\n".join(lines) + "\n"


def _superscript(text: str) -> str:
    return rf"\textsuperscript{{{escape_latex(text)}}}" if text else ""


def _label(text: str) -> str:
    """Return the label of a LaTeX table without the characters that LaTeX does not take in one."""
    return re.sub(r"[^\w:./+-]", "-", text)


# Tables as HTML.


def escape_html(text: str) -> str:
    """Escape text for HTML; control characters, which HTML forbids, are written as escapes."""
    return escaped(plain_lines(text))


def _cell(table: Table, r: int, c: int, text: str) -> str:
    shown = f"<strong>{escape_html(text)}</strong>" if (r, c) in table.marks else escape_html(text)
    above = table.superscripts.get((r, c))
    return f"{shown}<sup>{escape_html(above)}</sup>" if above else shown


def render_html(table: Table) -> str:
    """Return a table as an HTML element with right-aligned numbers, marked cells in bold and notes below."""
    lines = ['<table class="tare">']
    if table.title:
        lines.append(f"<caption>{escape_html(table.title)}</caption>")
    aligned = [f' style="text-align:{column.align}"' for column in table.columns]
    heads = "".join(
        f'<th scope="col"{style}>{escape_html(column.name)}</th>'
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
    lines += [f'<p class="tare-note">{escape_html(note)}</p>' for note in table.notes]
    return "\n".join(lines) + "\n"


MOST = 200  # rows of a folded table that a notebook shows
SCROLLS = '<div style="overflow-x:auto;max-width:100%;white-space:nowrap;overflow-wrap:normal">'
FOLDED = '<details style="max-width:100%;overflow-wrap:anywhere"><summary>'


def notebook(tables: Sequence[Table]) -> str:
    """Return HTML for a notebook: the first table, and the others and all notes folded; wide tables scroll."""
    parts = []
    notes: dict[str, None] = {}
    for place, table in enumerate(tables):
        notes |= dict.fromkeys(table.notes)
        shown = replace(table, notes=())
        if not place:
            parts.append(f"{SCROLLS}{render_html(shown)}</div>")
            continue
        rows = table.rows[:MOST]
        head = f"{table.title or 'More'}: {len(table.rows):,} rows"
        head += f", the first {MOST} shown" if len(rows) < len(table.rows) else ""
        body = render_html(replace(shown, rows=rows, title=""))
        parts.append(f"{FOLDED}{escape_html(head)}</summary>{SCROLLS}{body}</div></details>")
    if notes:
        warnings = sum(note.startswith("!") for note in notes)
        head = f"Notes ({warnings} warnings)" if warnings else "Notes"
        body = "".join(f'<p class="tare-note">{escape_html(note)}</p>' for note in notes)
        parts.append(f"{FOLDED}{head}</summary>{body}</details>")
    return "\n".join(parts) + "\n"


# Tables as JSON and JSON lines: full precision, for programs.


def _objects(table: Table) -> list[dict[str, Any]]:
    names, rows = table.plain()
    return [
        {
            name: None if isinstance(cell, float) and not math.isfinite(cell) else cell
            for name, cell in zip(names, row, strict=True)
        }
        for row in rows
    ]


def _whole(table: Table) -> dict[str, Any]:
    return {"title": table.title, "rows": _objects(table), "notes": list(table.notes)}


def render_json(table: Table) -> str:
    """Return a table as one JSON object with the title, the rows and the notes."""
    return json.dumps(_whole(table), ensure_ascii=False, indent=1) + "\n"


def render_several(tables: Mapping[str, Table]) -> str:
    """Return several tables as one JSON object with each table under its name."""
    made = {name: _whole(table) for name, table in tables.items()}
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"


def render_jsonl(table: Table) -> str:
    """Return a table as JSON lines: one object for each row."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in _objects(table))
