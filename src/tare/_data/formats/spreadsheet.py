"""Spreadsheets: cells of CSV and TSV that one would run are marked as text.

A spreadsheet takes a cell that begins with = + - @, a tab or the end of a line for a formula, and ids,
labels and reasons come from strangers. An apostrophe before such a cell makes it text; our readers take
it off again. Numbers such as -1.5 are left as they are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

__all__ = ["marked", "marked_frame", "unmarked", "unmarked_frame"]

BEGINS = "[=+\\-@\\t\\r\\n＝＋－＠]"  # some spreadsheets take the wide forms for the narrow ones
RUNS = f"^'*{BEGINS}"  # apostrophes of the text's own are counted in, so that one can be taken off
MARKED = f"^'('*{BEGINS})"
NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


def marked(cell: str) -> str:
    """A cell that no spreadsheet runs.

    >>> marked("=1+1"), marked("-1.5"), marked("d1")
    ("'=1+1", '-1.5', 'd1')
    """
    return f"'{cell}" if re.match(RUNS, cell) and not re.fullmatch(NUMBER[1:-1], cell) else cell


def unmarked(cell: str) -> str:
    """The text of a cell.

    >>> unmarked("'=1+1"), unmarked("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if re.match(MARKED, cell) else cell


def marked_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame whose text no spreadsheet runs; columns of numbers are not touched."""
    import polars as pl

    text = pl.col(pl.String)
    runs = text.str.contains(RUNS) & ~text.str.contains(NUMBER)
    made = frame.with_columns(pl.when(runs).then(pl.lit("'") + text).otherwise(text).name.keep())
    return made.rename({name: marked(name) for name in made.columns})


def unmarked_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame that was written."""
    import polars as pl

    made = frame.with_columns(pl.col(pl.String).str.replace(MARKED, "$1"))
    names = {name: unmarked(name) for name in made.columns}
    return made.rename(names) if len(set(names.values())) == len(names) else made
