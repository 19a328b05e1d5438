"""Data in the object store that all tasks of a Ray engine share."""

from __future__ import annotations

import weakref
from dataclasses import is_dataclass
from typing import Any

__all__ = ["SharedData"]


class SharedData:
    """Data in the object store, put there once as long as calls share the same object.

    The judgements are shared by all calls for a run. Put twice, they would be sent to every node and
    unpacked by every worker twice.
    """

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._known: weakref.ref[Any] | None = None
        self._holder: list[Any] = []

    def holder(self, data: Any) -> list[Any]:
        """Return a list with the reference to these data, so that Ray does not resolve it per task."""
        if not _frozen(data):
            return [self._ray.put(data)]
        if self._known is None or self._known() is not data:
            self._holder = [self._ray.put(data)]
            self._known = weakref.ref(data, self._forget)
        return self._holder

    def _forget(self, reference: weakref.ref[Any]) -> None:
        if reference is self._known:
            self._known, self._holder = None, []


def _frozen(data: Any) -> bool:
    """Return whether an object cannot change between two calls."""
    return (
        is_dataclass(data) and not isinstance(data, type) and bool(data.__dataclass_params__.frozen)  # type: ignore[attr-defined]
    )
