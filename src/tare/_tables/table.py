"""A table of results, independent of its output format; p-values in words and tables."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from tare._files.writing import write_text
from tare._tables import delimited, text, writers
from tare.errors import choose

__all__ = ["FORMATS", "Cell", "Column", "PColumn", "Table", "interval_column", "p_stated", "shown"]

Single = str | int | float | None
Cell = Single | tuple[Single, ...]
WRITERS = {
    "markdown": writers.render_markdown,
    "latex": writers.render_latex,
    "html": writers.render_html,
    "csv": delimited.render_csv,
    "tsv": delimited.render_tsv,
    "json": writers.render_json,
    "jsonl": writers.render_jsonl,
}
FORMATS = ("text", *WRITERS)


@dataclass(frozen=True)
class Column:
    """A column of a table of results: its heading, and how its numbers are formatted.

    Parameters
    ----------
    name : str
        The heading.
    digits : int, default 4
        Digits after the decimal point.
    align : {"left", "right"}, default "right"
        The alignment.
    parts : tuple of str
        Names of the numbers in each cell, such as the ends of an interval. Formats for programs
        have one column per part.
    between : str
        The text that joins the parts in formats for people.
    of : str or tuple of str
        The name of the value in a row, or of each part; by default the heading, with _ for spaces.
    """

    name: str
    digits: int = 4
    align: Literal["left", "right"] = "right"
    parts: tuple[str, ...] = ()
    between: str = " … "
    of: str | tuple[str, ...] = ""

    def cell(self, row: object) -> Cell:
        """Return the value of a row of results, a mapping or an object, that this column of the table shows."""
        names = self.of or self.name.replace(" ", "_")
        if isinstance(names, tuple):
            return cast("Cell", tuple(_value(row, name) for name in names))
        return _value(row, names)

    def show(self, cell: Cell) -> str:
        """Return a cell of a table's column as text; missing values are a dash."""
        if isinstance(cell, tuple):
            missing = any(part is None or part != part for part in cell)
            return "–" if missing else self.between.join(self.show(part) for part in cell)
        if cell is None or (isinstance(cell, float) and math.isnan(cell)):
            return "–"
        if isinstance(cell, bool):
            return "yes" if cell else "no"
        if isinstance(cell, float):
            return f"{cell:.{self.digits}f}".replace("-", "−")
        return f"{cell:,}" if isinstance(cell, int) else str(cell)


def interval_column(name: str, *, digits: int = 4, of: tuple[str, str] = ("low", "high")) -> Column:
    """Return a column of a table of results with an interval (low, high) in each cell; `of` names the two ends in a row."""
    return Column(name, digits, parts=("low", "high"), of=of)


def _value(row: object, name: str) -> Cell:
    """Return the value of a row of results by its name; a mapping may lack it."""
    return cast("Cell", row.get(name) if isinstance(row, Mapping) else getattr(row, name))


def _plain(cell: Any) -> Cell:
    """Convert a table's cell that is a NumPy scalar, whose repr is not a plain number, to a Python value."""
    if type(cell) is tuple:
        return tuple(_plain(part) for part in cell)  # type: ignore[misc]
    if cell is None or type(cell) in (str, int, float, bool):
        return cell  # type: ignore[no-any-return]
    return cell.item() if hasattr(cell, "item") else cell  # type: ignore[no-any-return]


# P-values in words and tables: four digits, and never 0.


LEAST = 0.0001


def shown(p: float) -> str:
    """Format a p-value with four digits, never as 0.

    >>> shown(0.0312), shown(0.0000213)
    ('0.0312', '< 0.0001')
    """
    if math.isnan(p):
        return "–"
    return f"< {LEAST}" if p < LEAST else f"{p:.4f}"


def p_stated(p: float) -> str:
    """State a p-value in a sentence.

    >>> p_stated(0.0312), p_stated(0.0)
    ('p = 0.0312', 'p < 0.0001')
    """
    return f"p {shown(p)}" if p < LEAST else f"p = {shown(p)}"


@dataclass(frozen=True)
class PColumn(Column):
    """A column of p-values."""

    def show(self, cell: Cell) -> str:
        """Four digits, and never 0."""
        return shown(cell) if isinstance(cell, float) else super().show(cell)


@dataclass(frozen=True)
class Table:
    """A table of results, which every output format is made from.

    Attributes
    ----------
    columns : tuple of Column
        The headings and formats.
    rows : tuple of tuple
        The cells; a missing value is None or NaN.
    title : str
        The title.
    notes : tuple of str
        Remarks shown below the table.
    marks : frozenset of (int, int)
        Row and column of each highlighted cell.
    superscripts : dict of (int, int) to str
        Superscripts of cells, by row and column; formats for programs leave them out.

    Examples
    --------
    >>> table = Table.of(["system", Column("AP", 2)], [("bm25", 0.25)])
    >>> print(table)
    system    AP
    ──────  ────
    bm25    0.25
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    marks: frozenset[tuple[int, int]] = frozenset()
    superscripts: Mapping[tuple[int, int], str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        columns: Sequence[Column | str],
        rows: Sequence[Sequence[Cell]],
        *,
        title: str = "",
        notes: Sequence[str] = (),
        marks: frozenset[tuple[int, int]] = frozenset(),
        superscripts: Mapping[tuple[int, int], str] | None = None,
    ) -> Table:
        """Make a table of results from sequences; a column given as a string is left-aligned."""
        made = tuple(c if isinstance(c, Column) else Column(c, align="left") for c in columns)
        cells = tuple(tuple(map(_plain, row)) for row in rows)
        return cls(made, cells, title, tuple(notes), marks, dict(superscripts or {}))

    @classmethod
    def of_rows(
        cls,
        columns: Sequence[Column | str | None],
        rows: Sequence[object],
        *,
        title: str = "",
        notes: Sequence[str] = (),
        marks: Mapping[str, str] | None = None,
    ) -> Table:
        """Make a table of values by their names.

        Parameters
        ----------
        columns
            What is shown, in order; a column given as a string is left-aligned, and None is left out.
        rows
            Mappings or objects; a column shows the value that its `of` names.
        title, notes
            The title, and remarks below the table.
        marks
            Headings of columns, and the name of the value that says whether a cell is highlighted.

        Examples
        --------
        >>> rows = [{"system": "a", "mean": 0.5, "low": 0.4, "high": 0.6, "best": True}]
        >>> columns = ["system", Column("AP", 2, of="mean"), interval_column("interval", digits=2)]
        >>> print(Table.of_rows(columns, rows, marks={"AP": "best"}))
        system     AP     interval
        ──────  ─────  ───────────
        a       0.50*  0.40 … 0.60
        """
        given = [c for c in columns if c is not None]
        made = [c if isinstance(c, Column) else Column(c, align="left") for c in given]
        cells = [[column.cell(row) for column in made] for row in rows]
        names = [column.name for column in made]
        marked = frozenset(
            (place, names.index(name))
            for name, flag in (marks or {}).items()
            for place, row in enumerate(rows)
            if _value(row, flag)
        )
        return cls.of(made, cells, title=title, notes=notes, marks=marked)

    def shown(self) -> list[list[str]]:
        """Return all cells as formatted text."""
        return [
            [column.show(cell) for column, cell in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]

    def plain(self) -> tuple[list[str], list[list[Single]]]:
        """Return unique headings of a table of results and rows with one number or string per cell, for programs."""
        names: list[str] = []
        single = [part for column in self.columns for part in column.parts]
        for column in self.columns:
            if column.parts:
                alone = all(single.count(part) == 1 for part in column.parts)
                names += [part if alone else f"{column.name} {part}" for part in column.parts]
            else:
                names.append(column.name)
        rows: list[list[Single]] = []
        for row in self.rows:
            cells: list[Single] = []
            for column, cell in zip(self.columns, row, strict=True):
                if isinstance(cell, tuple):
                    cells += cell
                else:
                    cells += [cell] if not column.parts else [None] * len(column.parts)
            rows.append(cells)
        return _unique(names), rows

    def labelled(self, name: str) -> Table:
        """Return a copy of a table of results with a first column `table` that holds a name."""
        columns = (Column("table", align="left"), *self.columns)
        rows = tuple((name, *row) for row in self.rows)
        marks = frozenset((r, c + 1) for r, c in self.marks)
        above = {(r, c + 1): text for (r, c), text in self.superscripts.items()}
        return Table(columns, rows, self.title, self.notes, marks, above)

    def render(self, format: str = "text", *, width: int | None = None, bold: bool = False) -> str:
        """Return the table of results as text in one of the formats; `width` and `bold` apply to terminals."""
        choose("format", format, FORMATS)
        if format == "text":
            return text.render(self, width=width, bold=bold)
        return WRITERS[format](self)

    def _write(self, format: str, path: str | os.PathLike[str] | None) -> str:
        written = self.render(format)
        if path is not None:
            write_text(path, written)
        return written

    def to_markdown(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the table of results as Markdown; also write it to `path` if given."""
        return self._write("markdown", path)

    def to_latex(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the table of results as LaTeX with booktabs; also write it to `path` if given."""
        return self._write("latex", path)

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the table of results as HTML; also write it to `path` if given."""
        return self._write("html", path)

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the table of results as CSV with full precision; also write it to `path` if given."""
        return self._write("csv", path)

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the table of results as JSON with full precision; also write it to `path` if given."""
        return self._write("json", path)

    def __str__(self) -> str:
        return self.render("text")

    def _repr_html_(self) -> str:
        return self.render("html")


def _unique(names: list[str]) -> list[str]:
    """Make names unique, and replace empty ones.

    >>> _unique(["a", "", "a"])
    ['a', 'column 2', 'a (2)']
    """
    made: list[str] = []
    for place, name in enumerate(names, 1):
        wanted = base = name or f"column {place}"
        count = 1
        while wanted in made:
            count += 1
            wanted = f"{base} ({count})"
        made.append(wanted)
    return made
