"""Rows as bytes and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tare import _core
from tare._kernels.ranking import Rows

__all__ = ["join_chunks", "pack_rows"]


def pack_rows(rows: Rows, lines_before: int = 0) -> bytes:
    """Return rows as bytes; `lines_before` is added to their line numbers, which appear in messages."""
    return _core.pack_rows(rows, lines_before)


def join_chunks(chunks: Sequence[bytes]) -> Rows:
    """Return the rows of chunks made by `pack_rows`."""
    return _core.join_chunks([np.frombuffer(chunk, np.uint8) for chunk in chunks if len(chunk)])
