"""Files that hold a table, in CSV, TSV, JSON lines or Parquet: read by what they contain, written by suffix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tare._data.recognised_files import SUFFIXES, Form, form_of
from tare._files.opening import PathLike, plain_suffix

if TYPE_CHECKING:
    import polars as pl

__all__ = ["TABLES", "TableFile", "table_in", "write_table"]

# A format is loaded when a file needs it.
_MODULES = {"csv": "delimited", "tsv": "delimited", "jsonl": "jsonl", "parquet": "parquet"}
TABLES = tuple(suffix for suffix, form in SUFFIXES.items() if form in _MODULES)
"""The suffixes of tables."""


@dataclass(frozen=True)
class TableFile:
    """A file that holds a table, and its form."""

    source: PathLike
    form: Form

    @property
    def first(self) -> int:
        """The number of the first row in messages; a header is row 1."""
        return 2 if self.form in ("csv", "tsv") else 1

    @property
    def columns(self) -> list[str]:
        """The names of the columns; of Parquet, the rows are not read for them."""
        if self.form == "parquet":
            with _module(self.form).opened(self.source) as file:
                return list(file.columns)
        return self.read().columns

    def read(self, *, marks: bool = True) -> pl.DataFrame:
        """Return all rows; those of CSV and TSV as text, in which `marks` of spreadsheets are removed."""
        module = _module(self.form)
        if self.form in ("csv", "tsv"):
            found = module.read(self.source, "\t" if self.form == "tsv" else ",", marks=marks)
        else:
            found = module.read(self.source)
        frame: pl.DataFrame = found
        return frame


def table_in(source: PathLike) -> TableFile | None:
    """Return the table that a file holds; None if it holds text or nested JSON."""
    form = form_of(source)
    return TableFile(source, form) if form in _MODULES else None


def write_table(make: Callable[[], pl.DataFrame], path: Path) -> bool:
    """Make a table and write it in the format of a suffix; return False for other suffixes."""
    form = SUFFIXES.get(plain_suffix(path))
    if form not in _MODULES:
        return False
    _module(form).write(make(), path)
    return True


def _module(form: str) -> Any:
    return import_module(f"tare._data.formats.{_MODULES[form]}")
