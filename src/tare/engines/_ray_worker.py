"""Functions that run in a Ray worker: tasks with cached shared data, and actors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tare.engines._partition_errors import naming_partition

__all__ = ["Actor", "block", "work"]

_KEPT: dict[str, Any] = {}  # shared data of the last call in this process


def _shared(holder: list[Any]) -> Any:
    """Return the shared data, fetched once per worker; judgements stay in the object store."""
    import ray

    reference = holder[0]  # in a list, so that Ray does not resolve it for every task
    key = reference.hex()
    if key not in _KEPT:
        _KEPT.clear()
        _KEPT[key] = ray.get(reference)
    return _KEPT[key]


def work(task: Callable[..., Any], holder: list[Any], part: Any) -> Any:
    """Process one partition; an error names it."""
    shared = _shared(holder)
    with naming_partition(part):
        return task(shared, part)


def block(task: Callable[..., Any], holder: list[Any], first: int, last: int) -> Any:
    """Process one block of draws."""
    return task(_shared(holder), first, last)


class Actor:
    """A worker with state, so that a model is loaded once."""

    def __init__(self, make: Callable[[], Callable[[Any], Any]]) -> None:
        self._make = make
        self._work: Callable[[Any], Any] | None = None

    def start(self) -> None:
        """Create the state; a separate call, so that errors keep their messages."""
        self._work = self._make()

    def work(self, part: Any) -> Any:
        """Process one partition."""
        if self._work is None:  # restarted after its process died
            self.start()
        assert self._work is not None
        return self._work(part)
