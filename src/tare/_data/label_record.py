"""One label, with its place in the source."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["LabelRow"]


class LabelRow(NamedTuple):
    """One label, with the place in the source for messages; `judge` is None if the source names none."""

    where: str
    query: str
    document: str
    label: Any
    judge: str | None = None
