"""Samples of lm-eval (samples_*.jsonl) as a score table: one row per document and filter."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from tare.errors import FormatError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["is_samples", "samples_table"]

MARKS = {"doc_id", "resps", "filtered_resps"}


def is_samples(frame: pl.DataFrame) -> bool:
    """Return whether a table has the columns that lm-eval writes for its samples."""
    return set(frame.columns) >= MARKS and "measure" not in frame.columns


def samples_table(frame: pl.DataFrame, source: str | os.PathLike[str], name: str) -> pl.DataFrame:
    """Return system, item, measure and value; the system is the folder, which lm-eval names after the model.

    If a task has several filters, a measure is named as in the results of lm-eval, such as
    "exact_match,strict-match".
    """
    import polars as pl

    path = Path(source)
    system = path.parent.name or path.name.split(".")[0]
    if "metrics" in frame.columns and frame.schema["metrics"] == pl.List(pl.String):
        named = frame["metrics"].explode().drop_nulls().unique(maintain_order=True).to_list()
        measures = [m for m in named if m in frame.columns]
    else:
        after = frame.columns.index("filtered_resps")
        measures = frame.columns[after + 1 :]
    measures = [
        m for m in measures if frame.schema[m].is_numeric() or frame.schema[m] == pl.Boolean
    ]
    if not measures:
        raise FormatError(f"{name}: samples of lm-eval without a column of numbers for a measure.")
    filters = frame["filter"].n_unique() if "filter" in frame.columns else 1
    long = frame.select(
        pl.lit(system).alias("system"),
        pl.col("doc_id").cast(pl.String, strict=False).alias("item"),
        *(["filter"] if filters > 1 else []),
        *(pl.col(m).cast(pl.Float64) for m in measures),
    ).unpivot(
        on=measures,
        index=["system", "item", *(["filter"] if filters > 1 else [])],
        variable_name="measure",
        value_name="value",
    )
    if filters > 1:
        long = long.with_columns(
            pl.concat_str("measure", "filter", separator=",").alias("measure")
        ).drop("filter")
    return long.filter(pl.col("value").is_not_null())
