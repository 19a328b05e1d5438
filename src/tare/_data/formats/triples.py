"""Runs of three columns without a header, as MS MARCO publishes them: query, document, and a rank or a score."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tare._data.findings import Finding
from tare._data.formats.damage import guarded
from tare._files.opening import PathLike, name_of, read_all
from tare.errors import FormatError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read"]

BLANKS = re.compile(rb"[ \t\r]*\n|[ \t]+")


def read(source: PathLike, *, ranked: bool) -> tuple[pl.DataFrame, Finding]:
    """Read a run of three columns as query, document, and rank or score; return what was recognised too.

    The last column holds ranks if `ranked` says so or if the numbers of each query are 1, 2, 3, …; it
    holds scores if they are not all whole, or if they never rise. Other numbers could be either.
    """
    import polars as pl

    name = name_of(source)
    data = read_all(source)
    if b" " in data or b"\r" in data or b"\t\t" in data:
        data = BLANKS.sub(lambda found: b"\n" if found[0][-1:] == b"\n" else b"\t", data)
    with guarded(name, "a readable run of three columns"):
        frame = pl.read_csv(
            data,
            separator="\t",
            has_header=False,
            new_columns=["query", "document", "value"],
            quote_char=None,
            comment_prefix="#",
            infer_schema=False,
        )
    what = "rank" if ranked else _meaning(frame, name)
    note = f"{name}: three columns without a header were read as query, document and {what}."
    return frame.rename({"value": what}), Finding("columns", note, severity="note")


def _meaning(frame: pl.DataFrame, name: str) -> str:
    """Return whether the third column of a run without a header holds ranks or scores."""
    import polars as pl

    number = pl.col("value").cast(pl.Float64, strict=False)
    step = number.diff()
    queries = frame.group_by("query").agg(
        ((number.n_unique() == pl.len()) & (number.min() == 1) & (number.max() == pl.len())).alias(
            "counted"
        ),
        (number.is_null() | (number != number.round()) | (number < 0)).any().alias("fractions"),
        (step > 0).any().fill_null(False).alias("rises"),
        (step < 0).any().fill_null(False).alias("falls"),
    )
    counted, fractions, rises, falls = (
        bool(queries.select(part).item())
        for part in (
            pl.col("counted").all(),
            pl.col("fractions").any(),
            pl.col("rises").any(),
            pl.col("falls").any(),
        )
    )
    if fractions:
        return "score"
    if counted and (rises or not falls):
        return "rank"
    if falls and not rises and not counted:
        return "score"
    raise FormatError(
        f"{name}: the third column could be a rank or a score: whole numbers, but not 1, 2, 3, … in each "
        "query. Write a first line with the names query, document, and rank or score, separated by tabs; "
        "ranks are also read with --order rank (in Python order='rank')."
    )
