"""Files that hold a table, in CSV, TSV, JSON lines or Parquet: read by what they contain, written by suffix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._data.recognised_files import SUFFIXES, Form, form_of
from tare._files.opening import PathLike, plain_suffix

if TYPE_CHECKING:
    import polars as pl

__all__ = ["TABLES", "Lines", "TableFile", "table_in", "write_table"]

Lines = int | NDArray[np.int64]
"""The number of the first row, or of each row if they are not consecutive."""

# A format is loaded when a file needs it.
_MODULES = {"csv": "delimited", "tsv": "delimited", "jsonl": "jsonl", "parquet": "parquet"}
TABLES = tuple(suffix for suffix, form in SUFFIXES.items() if form in _MODULES)
"""The suffixes of tables."""


@dataclass(frozen=True)
class TableFile:
    """A file that holds a table, and its form: CSV, TSV, JSON lines or Parquet."""

    source: PathLike
    form: Form

    @property
    def columns(self) -> list[str]:
        """The names of the columns of a table file; of Parquet, the rows are not read for them."""
        if self.form == "parquet":
            with _module(self.form).opened(self.source) as file:
                return list(file.columns)
        return self.read().columns

    def read(self, *, marks: bool = True) -> pl.DataFrame:
        """Return all rows of a table file; those of CSV and TSV as text, in which `marks` of spreadsheets are removed."""
        return self.read_with_lines(marks=marks)[0]

    def read_with_lines(self, *, marks: bool = True) -> tuple[pl.DataFrame, Lines]:
        """Return all rows of a table file, and the number of the first one, or of each if they are not consecutive.

        Rows of text have the number of their line, those of Parquet are numbered from 1.
        """
        module = _module(self.form)
        found: tuple[pl.DataFrame, Lines]
        if self.form == "parquet":
            found = module.read(self.source), 1
        elif self.form == "jsonl":
            found = module.read_with_lines(self.source)
        else:
            separator = "\t" if self.form == "tsv" else ","
            found = module.read_with_lines(self.source, separator, marks=marks)
        return found


def table_in(source: PathLike) -> TableFile | None:
    """Return a file as a table file; None if it holds text or nested JSON."""
    form = form_of(source)
    return TableFile(source, form) if form in _MODULES else None


def write_table(make: Callable[[], pl.DataFrame], path: Path) -> bool:
    """Make a table and write it as a file in the format of its suffix; return False for suffixes of no table."""
    form = SUFFIXES.get(plain_suffix(path))
    if form not in _MODULES:
        return False
    _module(form).write(make(), path)
    return True


def _module(form: str) -> Any:
    return import_module(f"tare._data.formats.{_MODULES[form]}")
