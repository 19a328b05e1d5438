"""Escaping of CSV and TSV cells that a spreadsheet would execute.

A spreadsheet treats a cell that begins with = + - @, a tab or a line end as a formula, and ids, labels
and comments come from strangers. An apostrophe before such a cell makes it text; the readers remove it
again. Numbers such as -1.5 are not changed.
"""

from __future__ import annotations

import re

__all__ = ["MARKED", "NUMBER", "RUNS", "marked", "unmarked"]

BEGINS = "[=+\\-@\\t\\r\\n＝＋－＠]"  # some spreadsheets also accept the full-width forms
RUNS = f"^'*{BEGINS}"  # leading apostrophes match too, so that removing one restores the text
MARKED = f"^'('*{BEGINS})"
NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


def marked(cell: str) -> str:
    """Escape a cell that a spreadsheet would execute.

    >>> marked("=1+1"), marked("-1.5"), marked("d1")
    ("'=1+1", '-1.5', 'd1')
    """
    return f"'{cell}" if re.match(RUNS, cell) and not re.fullmatch(NUMBER[1:-1], cell) else cell


def unmarked(cell: str) -> str:
    """Return the text of an escaped cell.

    >>> unmarked("'=1+1"), unmarked("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if re.match(MARKED, cell) else cell
