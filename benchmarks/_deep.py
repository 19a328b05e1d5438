"""Deep runs: the same queries with more and more rows, as folders of Parquet files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from _records import WORK

__all__ = ["FILE_ROWS", "QUERIES", "deep_run"]

QUERIES = 10_000
FILE_ROWS = 10_000_000
JUDGED = 40
DOCUMENTS = 8_800_000


def deep_run(rows: int, queries: int = QUERIES) -> tuple[Path, Path]:
    """Return the qrels and the folder of a run with so many rows, `rows / queries` for each query.

    Files are written one by one. They differ in their queries only: making documents and scores once costs
    less, and nothing that reads one file sees another.
    """
    depth = rows // queries
    folder = WORK / f"deep-{rows}-{queries}"
    qrels, run = folder / "qrels.txt", folder / "run"
    if (folder / "done").exists():
        return qrels, run
    run.mkdir(parents=True, exist_ok=True)
    at_once = max(1, min(queries, FILE_ROWS // depth))
    template, judged = _template(at_once, depth)
    with qrels.open("wb") as file:
        for first in range(0, queries, at_once):
            ids = pl.Series(
                "query", [f"deep-{k}" for k in range(first, min(first + at_once, queries))]
            )
            column = ids.gather(np.repeat(np.arange(len(ids)), depth))
            frame = template.head(len(ids) * depth).insert_column(0, column)
            frame.write_parquet(run / f"{first:06d}.parquet", row_group_size=250_000)
            lines = judged.head(len(ids) * JUDGED).insert_column(
                0, ids.gather(np.repeat(np.arange(len(ids)), JUDGED))
            )
            text = lines.select(pl.format("{} 0 {} {}", "query", "document", "grade"))
            text.write_csv(file, include_header=False, quote_style="never")
    (folder / "done").touch()
    return qrels, run


def _template(queries: int, depth: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Documents and scores of the rows of one file, and judgements of forty documents per query."""
    random = np.random.default_rng(12)
    steps = random.integers(
        1, 2 * DOCUMENTS // (depth + depth // 8), (queries, depth), dtype=np.int32
    )
    documents = (np.cumsum(steps, axis=1) % DOCUMENTS)[:, random.permutation(depth)].reshape(-1)
    scores = -np.sort(-random.gamma(2, 8, (queries, depth)), axis=1).reshape(-1)
    template = pl.DataFrame({"document": documents, "score": np.round(scores, 6)}).with_columns(
        document="msmarco_doc_" + pl.col("document").cast(pl.String).str.zfill(8)
    )
    places = np.arange(queries)[:, None] * depth + np.arange(JUDGED) * (depth // JUDGED)
    judged = template.select("document")[places.reshape(-1)]
    return template, judged.with_columns(
        grade=pl.Series(random.choice([0, 0, 1, 2, 3], judged.height))
    )
