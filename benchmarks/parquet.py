"""A Parquet run file: processor seconds of `parquet.read` and `read_run`, and ratios to a plain pyarrow read.

python benchmarks/parquet.py [MILLIONS OF ROWS, default 3]

All three take turns in one process, and the least of the rounds counts.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq

import tare
from tare._data.formats import parquet

DEPTH = 1000
ROUNDS = 5


def write_run(path: Path, rows: int) -> None:
    """Write a run with 1,000 documents per query and long document ids."""
    random = np.random.default_rng(1)
    documents = np.concatenate(
        [
            random.choice(8_800_000, DEPTH, replace=False, shuffle=False)
            for _ in range(rows // DEPTH)
        ]
    )
    pl.DataFrame(
        {
            "query": np.repeat(np.arange(rows // DEPTH), DEPTH),
            "document": documents,
            "score": np.round(30 * random.random(len(documents)), 6),
        }
    ).with_columns(
        pl.col("query").cast(pl.String),
        "msmarco_doc_" + pl.col("document").cast(pl.String).str.zfill(8),
    ).write_parquet(path)


def main() -> None:
    """Print the seconds and ratios as JSON."""
    rows = int(1e6 * float(sys.argv[1] if len(sys.argv) > 1 else 3))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.parquet"
        write_run(path, rows)
        tasks: dict[str, Callable[[], object]] = {
            "pyarrow": lambda: pq.ParquetFile(path).read(),
            "parquet.read": lambda: parquet.read(path),
            "read_run": lambda: tare.read_run(path),
        }
        seconds = dict.fromkeys(tasks, float("inf"))
        for _ in range(ROUNDS):
            for name, task in tasks.items():
                start = time.process_time()
                task()
                seconds[name] = min(seconds[name], time.process_time() - start)
    print(
        json.dumps(
            {
                "rows": rows,
                "processor seconds": {name: round(s, 2) for name, s in seconds.items()},
                "ratio to pyarrow": {
                    name: round(s / seconds["pyarrow"], 2) for name, s in seconds.items()
                },
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
