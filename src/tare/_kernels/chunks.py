"""Rows as bytes: distributed to buckets by query, and read back."""

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
    """Return one chunk per bucket; all rows of a query go to one bucket and keep their order.

    `lines_before` is added to the line numbers of the rows, which appear in messages.
    """
    return _core.split_rows(rows, buckets, lines_before, threads)


def join_chunks(chunks: Sequence[bytes | NDArray[np.uint8]]) -> Rows:
    """Return the rows of chunks made by `split_rows`."""
    return _core.join_chunks([np.frombuffer(chunk, np.uint8) for chunk in chunks if len(chunk)])
