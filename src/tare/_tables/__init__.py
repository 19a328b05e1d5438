"""Tables: columns, rows, marks and notes, written as text, Markdown, LaTeX, HTML, CSV or JSON."""

from tare._tables.table import Column, PColumn, Table, interval_column, p_stated, shown

__all__ = ["Column", "PColumn", "Table", "interval_column", "p_stated", "shown"]
