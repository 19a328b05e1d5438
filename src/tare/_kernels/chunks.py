"""Rows as bytes: dealt to buckets by their queries, and read back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tare import _core
from tare._kernels.ranking import ALL_THREADS, Rows

__all__ = ["join_chunks", "split_rows"]


def split_rows(
    rows: Rows, buckets: int, lines_before: int = 0, threads: int = ALL_THREADS
) -> list[bytes]:
    """A chunk a bucket: all rows of a query in the same one, in the order given.

    `lines_before` is added to the lines of the rows, by which messages tell where a row stood.
    """
    return _core.split_rows(rows, buckets, lines_before, threads)


def join_chunks(chunks: Sequence[bytes | NDArray[np.uint8]]) -> Rows:
    """The rows of chunks that `split_rows` made."""
    return _core.join_chunks([np.frombuffer(chunk, np.uint8) for chunk in chunks if len(chunk)])
