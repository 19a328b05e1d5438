"""Tables as LaTeX, with booktabs."""

from __future__ import annotations

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


def render(table: Table) -> str:
    """Return a tabular with booktabs rules, marked cells in bold and notes in a small paragraph."""
    alignment = "".join("r" if column.align == "right" else "l" for column in table.columns)
    lines = [r"% needs \usepackage{booktabs}", rf"\begin{{tabular}}{{{alignment}}}", r"\toprule"]
    lines.append(" & ".join(escape(column.name) for column in table.columns) + r" \\")
    lines.append(r"\midrule")
    for r, row in enumerate(table.shown()):
        cells = [
            rf"\textbf{{{escape(t)}}}" if (r, c) in table.marks else escape(t)
            for c, t in enumerate(row)
        ]
        lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    if table.notes:
        lines += ["", r"\smallskip{\footnotesize " + " ".join(map(escape, table.notes)) + "}"]
    return "\n".join(lines) + "\n"
