"""Tables: columns, rows, marks and notes, written as text, Markdown, LaTeX, HTML, CSV or JSON."""

from tare._tables.table import Column, Table, interval_column

__all__ = ["Column", "Table", "interval_column"]
