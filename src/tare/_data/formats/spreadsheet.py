"""Escaping of the text cells of a data frame that a spreadsheet would execute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tare._tables.delimited import MARKED, NUMBER, RUNS, marked, unmarked

if TYPE_CHECKING:
    import polars as pl

__all__ = ["marked_frame", "unmarked_frame"]


def marked_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """Escape all text cells of a frame; columns of numbers are not changed."""
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
