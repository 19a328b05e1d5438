"""Tables as CSV and TSV, with full precision; cells that a spreadsheet would execute are escaped."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from tare._tables.table import Single, Table

__all__ = ["marked", "marked_frame", "render_csv", "render_tsv", "unmarked", "unmarked_frame"]


# Escaping of CSV and TSV cells that a spreadsheet would execute.
#
# A spreadsheet treats a cell that begins with = + - @, a tab or a line end as a formula, and ids, labels
# and comments come from strangers. An apostrophe before such a cell makes it text; the readers remove it
# again. Numbers such as -1.5 are not changed.


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


def marked_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """Escape all text cells of a frame for CSV that a spreadsheet opens; columns of numbers are not changed."""
    import polars as pl

    text = pl.col(pl.String)
    runs = text.str.contains(RUNS) & ~text.str.contains(NUMBER)
    made = frame.with_columns(pl.when(runs).then(pl.lit("'") + text).otherwise(text).name.keep())
    return made.rename({name: marked(name) for name in made.columns})


def unmarked_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """Restore a frame that was escaped."""
    import polars as pl

    made = frame.with_columns(pl.col(pl.String).str.replace(MARKED, "$1"))
    names = {name: unmarked(name) for name in made.columns}
    return made.rename(names) if len(set(names.values())) == len(names) else made


# Tables as CSV and TSV, with full precision.
#
# CSV is what people open in a spreadsheet, so text that it would execute is escaped. TSV is what a pipe gets:
# programs compare its ids with those of other files, so it is not changed.


def _written(cell: Single) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"  # as polars, R and JSON write it
    return repr(cell) if isinstance(cell, float) else str(cell)


def _render(table: Table, delimiter: str, text: Callable[[str], str]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    names, rows = table.plain()
    writer.writerow(map(text, names))
    writer.writerows(
        [text(cell) if isinstance(cell, str) else _written(cell) for cell in row] for row in rows
    )
    return out.getvalue()


def render_csv(table: Table) -> str:
    """Return a table as CSV with a header; missing values are empty, and no spreadsheet executes a cell."""
    return _render(table, ",", marked)


def render_tsv(table: Table) -> str:
    """Return a table as TSV with a header; missing values are empty."""
    return _render(table, "\t", str)
