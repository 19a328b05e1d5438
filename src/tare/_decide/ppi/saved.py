"""How saved estimates are recognised."""

from __future__ import annotations

import os
from typing import Any, TypeGuard

from tare._data.formats import parquet
from tare._files.opening import plain_suffix

__all__ = ["KEY", "KIND", "is_saved"]

KEY = "tare"  # of the metadata of a Parquet file
KIND = "estimates"


def is_saved(source: Any) -> TypeGuard[str | os.PathLike[str]]:
    """Return whether a source is a file of saved estimates."""
    if not isinstance(source, str | os.PathLike) or plain_suffix(source) not in parquet.SUFFIXES:
        return False
    about = parquet.metadata(source).get(KEY, "")
    return about.startswith(f'{{"kind": "{KIND}"')
