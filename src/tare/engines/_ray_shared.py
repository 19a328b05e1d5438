"""What all tasks of a Ray engine share: data in the object store, and exported functions."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import is_dataclass
from typing import Any

from tare.engines._ray_failures import RETRIES

__all__ = ["Exported", "SharedData"]


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


class Exported:
    """Functions of tasks, each exported to the cluster once."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._known: dict[tuple[Callable[..., Any], int], Any] = {}

    def __call__(self, function: Callable[..., Any], returns: int = 1) -> Any:
        """Return a function whose `remote` starts a task."""
        key = (function, returns)
        if key not in self._known:
            options = {"max_retries": RETRIES, "num_cpus": 1, "num_returns": returns}
            self._known[key] = self._ray.remote(**options)(function)
        return self._known[key]
