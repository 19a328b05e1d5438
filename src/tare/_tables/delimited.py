"""Tables as CSV and TSV, with full precision.

CSV is what people open in a spreadsheet, so text that it would execute is escaped. TSV is what a pipe gets:
programs compare its ids with those of other files, so it is not changed.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from tare._tables.spreadsheet import marked

if TYPE_CHECKING:
    from tare._tables.table import Single, Table

__all__ = ["render_csv", "render_tsv"]


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
    """Return CSV with a header; missing values are empty, and no spreadsheet executes a cell."""
    return _render(table, ",", marked)


def render_tsv(table: Table) -> str:
    """Return TSV with a header; missing values are empty."""
    return _render(table, "\t", str)
