"""Tables: columns, rows, marks and notes, written as text, Markdown, LaTeX, HTML, CSV or JSON."""

from tare._tables.p_values import PColumn, p_stated, shown
from tare._tables.table import Column, Table, interval_column

__all__ = ["Column", "PColumn", "Table", "interval_column", "p_stated", "shown"]
