"""How saved estimates are recognised."""

from __future__ import annotations

import os
from typing import Any

from tare._data.formats import parquet
from tare._data.source import plain_suffix
from tare.stats._ppi.estimates import Estimates

__all__ = ["KEY", "KIND", "is_estimates", "is_saved"]

KEY = "tare"  # of the metadata of a Parquet file
KIND = "estimates"


def is_saved(source: Any) -> bool:
    """Return whether a source is a file of saved estimates."""
    if not isinstance(source, str | os.PathLike) or plain_suffix(source) not in parquet.SUFFIXES:
        return False
    about = parquet.metadata(source).get(KEY, "")
    return about.startswith(f'{{"kind": "{KIND}"')


def is_estimates(source: Any) -> bool:
    """Return whether a source is estimates, or a file of saved estimates."""
    return isinstance(source, Estimates) or is_saved(source)
