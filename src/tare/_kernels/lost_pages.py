"""Mapped files that shrink while others read them: told, where the system would end the process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tare import _core

__all__ = ["lost_pages"]


@contextmanager
def lost_pages() -> Iterator[Callable[[], bool]]:
    """Within it, pages of a mapped file that are gone are zeros; what it gives tells whether any were."""
    _core.watch_lost_pages()
    before = _core.lost_pages()
    try:
        yield lambda: bool(_core.lost_pages() != before)
    finally:
        _core.leave_lost_pages()
