"""Tables as LaTeX, with booktabs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tare._plain_text import plain

if TYPE_CHECKING:
    from tare._tables.table import Table

__all__ = ["escape", "render"]

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


def escape(text: str) -> str:
    """Escape text for LaTeX; control characters are dropped."""
    return "".join(
        _SPECIAL.get(character, character if plain(character) == character else "")
        for character in text
    )


def render(table: Table, *, caption: str | None = None, label: str | None = None) -> str:
    """Return a tabular with booktabs rules, marked cells in bold and notes in a small paragraph.

    With a caption or a label, it is inside a table environment.
    """
    alignment = "".join("r" if column.align == "right" else "l" for column in table.columns)
    floats = caption is not None or label is not None
    lines = [r"% needs \usepackage{booktabs}"]
    if floats:
        lines += [r"\begin{table}[tb]", r"\centering"]
        lines += [] if caption is None else [rf"\caption{{{escape(caption)}}}"]
        lines += [] if label is None else [rf"\label{{{_label(label)}}}"]
    lines += [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule"]
    lines.append(" & ".join(escape(column.name) for column in table.columns) + r" \\")
    lines.append(r"\midrule")
    for r, row in enumerate(table.shown()):
        cells = [
            (rf"\textbf{{{escape(t)}}}" if (r, c) in table.marks else escape(t))
            + _superscript(table.superscripts.get((r, c), ""))
            for c, t in enumerate(row)
        ]
        lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    if table.notes:
        paragraph = r"{\footnotesize " + " ".join(map(escape, table.notes)) + r"\par}"
        lines += ["", (r"\smallskip\raggedright" if floats else r"\smallskip") + paragraph]
    lines += [r"\end{table}"] if floats else []
    return "\n".join(lines) + "\n"


def _superscript(text: str) -> str:
    return rf"\textsuperscript{{{escape(text)}}}" if text else ""


def _label(text: str) -> str:
    """Return a label without the characters that LaTeX does not take in one."""
    return re.sub(r"[^\w:./+-]", "-", text)
