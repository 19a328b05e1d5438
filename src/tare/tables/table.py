"""A table of results, independent of how it is written."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tare.errors import choose
from tare.writing import write_text

__all__ = ["FORMATS", "Cell", "Column", "Table"]

Cell = str | int | float | None
FORMATS = ("text", "markdown", "latex", "html", "csv", "tsv", "json", "jsonl")


@dataclass(frozen=True)
class Column:
    """A column: its heading, and how its numbers are shown (by digits after the point)."""

    name: str
    digits: int = 4
    align: Literal["left", "right"] = "right"

    def show(self, cell: Cell) -> str:
        """A cell as people read it; missing values are a dash."""
        if cell is None or (isinstance(cell, float) and math.isnan(cell)):
            return "–"
        if isinstance(cell, bool):
            return "yes" if cell else "no"
        if isinstance(cell, float):
            return f"{cell:.{self.digits}f}".replace("-", "−")
        return f"{cell:,}" if isinstance(cell, int) else str(cell)


@dataclass(frozen=True)
class Table:
    """Columns, rows, the cells that are marked (row, column), a title and notes."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    marks: frozenset[tuple[int, int]] = frozenset()

    @classmethod
    def of(
        cls,
        columns: Sequence[Column | str],
        rows: Sequence[Sequence[Cell]],
        *,
        title: str = "",
        notes: Sequence[str] = (),
        marks: frozenset[tuple[int, int]] = frozenset(),
    ) -> Table:
        """A table from plain sequences; a column given as text is left-aligned."""
        made = tuple(c if isinstance(c, Column) else Column(c, align="left") for c in columns)
        return cls(made, tuple(tuple(row) for row in rows), title, tuple(notes), marks)

    def shown(self) -> list[list[str]]:
        """All cells as people read them."""
        return [
            [column.show(cell) for column, cell in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]

    def render(self, format: str = "text", *, width: int | None = None, bold: bool = False) -> str:
        """The table in one of the formats; `width` and `bold` are for terminals."""
        from tare.tables import delimited, html, latex, markdown, objects, text

        choose("format", format, FORMATS)
        if format == "text":
            return text.render(self, width=width, bold=bold)
        writers: dict[str, Any] = {
            "markdown": markdown.render,
            "latex": latex.render,
            "html": html.render,
            "csv": delimited.render_csv,
            "tsv": delimited.render_tsv,
            "json": objects.render_json,
            "jsonl": objects.render_jsonl,
        }
        return str(writers[format](self))

    def _write(self, format: str, path: str | os.PathLike[str] | None) -> str:
        text = self.render(format)
        if path is not None:
            write_text(path, text)
        return text

    def to_markdown(self, path: str | os.PathLike[str] | None = None) -> str:
        """Markdown; written to `path` if given."""
        return self._write("markdown", path)

    def to_latex(self, path: str | os.PathLike[str] | None = None) -> str:
        """LaTeX with booktabs; written to `path` if given."""
        return self._write("latex", path)

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """An HTML table; written to `path` if given."""
        return self._write("html", path)

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str:
        """CSV with all digits; written to `path` if given."""
        return self._write("csv", path)

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """JSON with all digits; written to `path` if given."""
        return self._write("json", path)

    def __str__(self) -> str:
        return self.render("text")

    def _repr_html_(self) -> str:
        return self.render("html")
