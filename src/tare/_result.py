"""Results: one contract for tables, data frames, files, notebooks and reports."""

from __future__ import annotations

import json
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from tare._files.addresses import as_path
from tare._files.writing import new_file, write_text
from tare._tables import Table, writers
from tare._tables.delimited import marked_frame
from tare.errors import MissingExtraError, OptionError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from tare.report._blocks import Figure

__all__ = [
    "MultiTableResult",
    "PaperResult",
    "Result",
    "Row",
    "Rows",
    "RowsByName",
    "SingleRowResult",
    "TypedRows",
    "file_name",
    "frame_of",
    "json_value",
    "write_frame",
]


# Rows of results as data frames, plain JSON values and files.


def frame_of(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Return rows of a result as a data frame with all keys, in the order of their first appearance."""
    import polars as pl

    keys = list(dict.fromkeys(key for row in rows for key in row))
    filled = [{key: row.get(key) for key in keys} for row in rows]
    return pl.DataFrame(filled, infer_schema_length=None)


def write_frame(frame: pl.DataFrame, path: Path) -> None:
    """Write the data frame of a result in the format of the suffix; spreadsheets must not run its cells."""
    if path.suffix.lower() == ".parquet":
        with new_file(path) as file:
            frame.write_parquet(file)
    else:
        separator = "\t" if path.suffix.lower() == ".tsv" else ","
        write_text(path, marked_frame(_with_flat_cells(frame)).write_csv(separator=separator))


def _with_flat_cells(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame of a result with lists and dictionaries as JSON text, which CSV can hold."""
    import polars as pl

    nested = [column for column in frame if column.dtype.is_nested()]
    return frame.with_columns(
        pl.Series(column.name, [None if cell is None else _json(cell) for cell in column.to_list()])
        for column in nested
    )


def _json(cell: object) -> str:
    return json.dumps(json_value(cell), ensure_ascii=False)


def file_name(name: str) -> str:
    """Return the name of a result's table as a file name; names of attributes come from the user's data.

    >>> file_name("a/b: power")
    'a-b- power'
    """
    return re.sub(r"[^\w .()=+-]+", "-", name)


def json_value(value: Any) -> Any:
    """Return a value of a result as JSON has it; numbers that are not finite become None.

    >>> json_value({"a": (1.0, float("nan"))})
    {'a': [1.0, None]}
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return float(value) if abs(value) < float("inf") else None
    if isinstance(value, Mapping):
        return {str(key): json_value(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [json_value(part) for part in value]
    if hasattr(value, "tolist"):  # arrays and scalars of numpy
        return json_value(value.tolist())
    return str(value)  # measures, signatures, findings


Row: TypeAlias = dict[str, Any]
"""Plain values by name: text, numbers, truth values, None, and lists and dictionaries of these."""
Rows: TypeAlias = list[Row]
TypedRows: TypeAlias = Sequence[Mapping[str, Any]]
"""The rows of one table, such as those of a TypedDict."""
RowsByName: TypeAlias = Mapping[str, TypedRows]
"""The rows of several tables; what a row holds is said by the class of each result."""

TEXT_FORMATS = {".md": "markdown", ".tex": "latex", ".html": "html", ".txt": "text"}
DATA_FORMATS = (".json", ".csv", ".tsv", ".parquet")


class Result(ABC):
    """Base class of every result: a table for readers and rows for programs.

    A subclass defines `answer()`, `table()`, `rows()` and, where needed, `facts()`. A dataclass that derives from it is
    declared with ``repr=False``, so that the table is shown. With several tables, derive from `MultiTableResult`.

    Attributes
    ----------
    rows_key
        The key of the rows in `to_dict()`.

    Examples
    --------
    >>> import tare
    >>> result = tare.chance.floor({"q1": {"a": 1, "b": 0}}, "RR", pool="judged")
    >>> result.rows()[0]["expected"], result.to_frame().columns[:2]
    (0.75, ['measure', 'expected'])
    """

    rows_key: ClassVar[str] = "rows"

    @abstractmethod
    def answer(self) -> str:
        """Return the conclusion in one or two sentences."""

    @abstractmethod
    def table(self) -> Table:
        """Return the main table."""

    @abstractmethod
    def rows(self) -> TypedRows:
        """Return the rows behind the main table, one dictionary per row."""

    def tables(self) -> dict[str, Table]:
        """Return all tables by name; the first is the main table."""
        return {"result": self.table()}

    def all_rows(self) -> RowsByName:
        """Return the rows of all tables and figures by name."""
        return {"result": self.rows()}

    def facts(self) -> Row:
        """Return what the rows depend on: options, seeds, signatures and notes."""
        return {}

    def details(self) -> Row:
        """Return further values for `to_dict()` that are neither rows nor facts."""
        return {}

    def frames(self) -> dict[str, pl.DataFrame]:
        """Return all rows as polars data frames by name."""
        return {name: frame_of(rows) for name, rows in self.all_rows().items()}

    def to_frame(self) -> pl.DataFrame:
        """Return the rows of the main table as a polars data frame."""
        return frame_of(self.rows())

    def to_pandas(self) -> pd.DataFrame:
        """Return `to_frame()` as a pandas data frame; pyarrow is not needed.

        Returns
        -------
        pandas.DataFrame
            One row per row of the main table; missing numbers are NaN.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        try:
            import pandas as pd
        except ModuleNotFoundError:
            raise MissingExtraError("pandas", None, "to_pandas()") from None
        frame = self.to_frame()
        columns = {
            name: series.to_numpy() if series.dtype.is_numeric() else series.to_list()
            for name, series in zip(frame.columns, frame, strict=True)
        }
        return pd.DataFrame(columns, columns=frame.columns)

    def to_dict(self) -> Row:
        """Return answer, rows, facts and details as plain JSON values; undefined numbers are None."""
        made: Row = json_value(
            {"answer": self.answer()} | self._named_rows() | self.facts() | self.details()
        )
        return made

    def _named_rows(self) -> Row:
        """Return the rows of `to_dict()` by their keys."""
        return {self.rows_key: self.rows()}

    def to_json(self) -> str:
        """Return `to_dict()` as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def to_latex(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return all tables as LaTeX, for the package booktabs.

        Parameters
        ----------
        path : path, optional
            A file to write as well.

        Returns
        -------
        str
            The LaTeX source.
        """
        text = self._render("latex")
        if path is not None:
            write_text(path, text)
        return text

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the result; the suffix of the path chooses the format.

        Parameters
        ----------
        path : path
            ``.json`` holds `to_dict()`; ``.csv``, ``.tsv`` and ``.parquet`` hold `to_frame()`;
            ``.md``, ``.tex``, ``.html`` and ``.txt`` hold all tables. A path without a suffix is a
            folder, which gets one CSV file per set of rows and one Markdown file per table.

        Returns
        -------
        Path
            The path that was written.

        Raises
        ------
        OptionError
            If the suffix is unknown.
        """
        target = as_path(path)
        suffix = target.suffix.lower()
        if suffix in TEXT_FORMATS:
            write_text(target, self._render(TEXT_FORMATS[suffix]))
        elif suffix == ".json":
            write_text(target, self.to_json() + "\n")
        elif suffix in DATA_FORMATS:
            write_frame(self.to_frame(), target)
        elif not suffix or target.is_dir():
            for name, frame in self.frames().items():
                write_frame(frame, target / f"{file_name(name)}.csv")
            for name, table in self.tables().items():
                write_text(target / f"{file_name(name)}.md", table.to_markdown())
        else:
            accepted = ", ".join([*DATA_FORMATS, *TEXT_FORMATS])
            raise OptionError(
                f"cannot save a result to {target.name!r}: unknown suffix {suffix!r}. "
                f"Accepted: {accepted}, or a folder (a path without a suffix)."
            )
        return target

    def figures(self) -> dict[str, list[Figure]]:
        """Return the figures that the report draws, by the name of their table.

        Returns
        -------
        dict of str to list of Figure
            Needs the extra "report".
        """
        from tare.report._figures import figures_of

        return figures_of(self)

    def headlines(self) -> list[str]:
        """Return the findings that stand first in the report: the answer in full, sentence by sentence."""
        return []

    def report(
        self,
        path: str | os.PathLike[str] = "report.html",
        *,
        title: str | None = None,
        figures: str | os.PathLike[str] | None = None,
        formats: Sequence[str] = ("svg", "png", "pdf"),
    ) -> Path:
        """Write the report as one self-contained HTML page.

        Parameters
        ----------
        path : path
            The HTML file.
        title : str, optional
            The title of the page; by default it is derived from the result.
        figures : path, optional
            A folder for the figures as separate files; none are written by default.
        formats : sequence of str
            The formats of these files.

        Returns
        -------
        Path
            The HTML file.
        """
        from tare.report import write

        return write(self, path, title=title, figures=figures, formats=formats)

    def _shown(self) -> list[Table]:
        """Return the tables that `str()` and notebooks show."""
        return list(self.tables().values())

    def _render(self, format: str) -> str:
        return "\n".join(table.render(format) for table in self.tables().values())

    def __repr__(self) -> str:
        return "\n\n".join(str(table) for table in self._shown())

    def _repr_html_(self) -> str:
        return str(writers.notebook(self._shown()))

    def _repr_mimebundle_(
        self, include: Sequence[str] | None = None, exclude: Sequence[str] | None = None
    ) -> dict[str, str]:
        tables = self._shown()
        makers: dict[str, Callable[[], str]] = {
            "text/plain": lambda: repr(self),
            "text/html": self._repr_html_,
            "text/markdown": lambda: "\n".join(table.to_markdown() for table in tables),
            "text/latex": lambda: "\n".join(table.to_latex() for table in tables),
        }
        return {
            kind: make()
            for kind, make in makers.items()
            if (not include or kind in include) and kind not in (exclude or ())
        }


class MultiTableResult(Result):
    """A result with several tables, the main one first: a subclass defines `tables()`, `all_rows()` and `facts()`."""

    @abstractmethod
    def tables(self) -> dict[str, Table]:
        """Return all tables by name; the first is the main table."""

    @abstractmethod
    def all_rows(self) -> RowsByName:
        """Return the rows of all tables and figures by name."""

    def table(self) -> Table:
        """Return the main table."""
        return next(iter(self.tables().values()))

    def rows(self) -> TypedRows:
        """Return the rows behind the main table, one dictionary per row."""
        return next(iter(self.all_rows().values()))

    def _named_rows(self) -> Row:
        return dict(self.all_rows())


class SingleRowResult(Result):
    """A result of one row: a subclass defines `table()` and `row()`."""

    @abstractmethod
    def row(self) -> Row:
        """Return the row."""

    def rows(self) -> TypedRows:
        """Return the row in a list."""
        return [self.row()]

    def _named_rows(self) -> Row:
        return self.row()


# Results with a table for a paper: systems × measures, as LaTeX, Markdown or HTML.


class PaperResult(Result):
    """A result with a table for a paper: a subclass defines `paper_table()`."""

    @abstractmethod
    def paper_table(self, *, marks: str | None = None, digits: int = 3) -> Table:
        """Return the table of systems × measures; its notes explain the marks."""

    def to_latex(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        marks: str | None = None,
        digits: int = 3,
        caption: str | None = None,
        label: str | None = None,
        notes: bool | str | Sequence[str] = True,
    ) -> str:
        r"""Return the table of systems × measures as LaTeX, for the package booktabs.

        Parameters
        ----------
        path : path, optional
            A file to write as well.
        marks : {"superscript", "dagger", "bold"}, optional
            How significant differences are marked. "superscript" names the systems that a score is
            significantly better than, as ranx does. "dagger" marks scores that differ from the
            baseline, or from the best score if there is no baseline. "bold" prints the best score in
            bold, and those that do not differ significantly from it. A comparison uses "superscript"
            by default. Scores mark only the best: `tare.compare` tests their differences.
        digits : int
            Digits after the decimal point.
        caption, label : str, optional
            Caption and label; with one of them, the table is inside a table environment.
        notes : bool, str or sequence of str
            The notes below the table: True explains the marks and names the test, False leaves them
            out, and a text replaces them.

        Returns
        -------
        str
            The LaTeX source.

        Examples
        --------
        >>> import tare
        >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
        >>> run = {"q1": {"a": 2.0}, "q2": {"c": 2.0, "b": 1.0}}
        >>> print(tare.evaluate(qrels, run, ["RR", "P@1"]).to_latex(notes=False))
        % needs \usepackage{booktabs}
        \begin{tabular}{lll}
        \toprule
        system & RR & P@1 \\
        \midrule
        run & \textbf{0.750} & \textbf{0.500} \\
        \bottomrule
        \end{tabular}
        <BLANKLINE>
        """
        table = self._for_paper(marks, digits, notes)
        return _written(writers.render_latex(table, caption=caption, label=label), path)

    def to_markdown(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        marks: str | None = None,
        digits: int = 3,
        caption: str | None = None,
        notes: bool | str | Sequence[str] = True,
    ) -> str:
        """Return the table of systems × measures as Markdown; the options are those of `to_latex`."""
        table = replace(self._for_paper(marks, digits, notes), title=caption or "")
        return _written(table.render("markdown"), path)

    def to_html(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        marks: str | None = None,
        digits: int = 3,
        caption: str | None = None,
        notes: bool | str | Sequence[str] = True,
    ) -> str:
        """Return the table of systems × measures as HTML; the options are those of `to_latex`."""
        table = replace(self._for_paper(marks, digits, notes), title=caption or "")
        return _written(table.render("html"), path)

    def _for_paper(
        self, marks: str | None, digits: int, notes: bool | str | Sequence[str]
    ) -> Table:
        table = self.paper_table(marks=marks, digits=digits)
        if notes is True:
            return table
        own = () if notes is False else (notes,) if isinstance(notes, str) else tuple(notes)
        return replace(table, notes=own)


def _written(text: str, path: str | os.PathLike[str] | None) -> str:
    if path is not None:
        write_text(path, text)
    return text
