"""What runs inside a Ray worker: tasks, with what they share looked up once, and actors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["Actor", "RayBucket", "block", "deal", "partition"]

_KEPT: dict[str, Any] = {}  # what the tasks of the last call share, in this process


def _shared(holder: list[Any]) -> Any:
    """What tasks share; unpacked once by each worker, for judgements take a while to index."""
    import ray

    reference = holder[0]  # within a list, so that Ray does not unpack it for every task
    key = reference.hex()
    if key not in _KEPT:
        _KEPT.clear()
        _KEPT[key] = ray.get(reference)
    return _KEPT[key]


def partition(task: Callable[..., Any], holder: list[Any], part: Any) -> Any:
    """One partition."""
    return task(_shared(holder), part)


def deal(task: Callable[..., Any], holder: list[Any], part: Any, buckets: int) -> list[Any]:
    """One partition that deals rows: its result, then the bytes of each bucket."""
    dealt: list[list[bytes]] = [[] for _ in range(buckets)]

    def take(chunks: Sequence[bytes]) -> None:
        for bucket, chunk in zip(dealt, chunks, strict=True):
            bucket.append(chunk)

    result = task(_shared(holder), part, take)
    return [result, *(b"".join(bucket) for bucket in dealt)]


def block(task: Callable[..., Any], holder: list[Any], first: int, last: int) -> Any:
    """One block of draws."""
    return task(_shared(holder), first, last)


class Actor:
    """A worker that keeps what it made: a model is loaded once."""

    def __init__(self, make: Callable[[], Callable[[Any], Any]]) -> None:
        self._work = make()

    def work(self, part: Any) -> Any:
        """One partition."""
        return self._work(part)


class RayBucket:
    """A bucket whose chunks wait in the store of the cluster."""

    def __init__(self, references: Sequence[Any], number: int, count: int) -> None:
        self.references = list(references)
        self.number, self.count = number, count

    def chunks(self) -> list[bytes]:
        """All its chunks, in the order of the partitions that dealt them."""
        import ray

        found: list[bytes] = ray.get(self.references)
        return found

    def __str__(self) -> str:
        return f"bucket {self.number + 1} of {self.count}"
