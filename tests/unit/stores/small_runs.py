"""Two versions of a run of one size, as text and as Parquet, that are read in many small ranges."""

from __future__ import annotations

import io
import random

import polars as pl

from tare._kernels.threads_and_blocks import Seams

SMALL = Seams(block=2000, text_piece=4000, least_piece=1000, table_rows=60, row_window=20)
QRELS = {f"q{q:02d}": {"d1": 1, "d2": 2} for q in range(40)}


def text_of(seed: int) -> bytes:
    chance = random.Random(seed)
    rows = [(q, d, chance.randint(1000, 9999)) for q in range(40) for d in range(20)]
    return "".join(f"q{q:02d} Q0 d{d} 0 {s} t\n" for q, d, s in rows).encode()


def table_of(text: bytes) -> bytes:
    rows = [
        (line.split()[0], line.split()[2], float(line.split()[4]))
        for line in text.decode().splitlines()
    ]
    frame = pl.DataFrame(rows, schema=["query", "document", "score"], orient="row")
    memory = io.BytesIO()
    frame.write_parquet(memory, row_group_size=100, compression="uncompressed", statistics=False)
    return memory.getvalue()


OLD, NEW = text_of(1), text_of(2)
