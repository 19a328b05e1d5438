"""What runs inside a Ray worker: tasks, with what they share looked up once, and actors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

__all__ = ["Actor", "RayBucket", "block", "deal", "emptied", "filled", "partition"]

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


def partition(task: Callable[..., Any], holder: list[Any], part: Any, *chunks: bytes) -> Any:
    """One partition, its buckets filled with chunks that Ray fetched."""
    return task(_shared(holder), filled(part, chunks))


def emptied(part: Any) -> tuple[Any, list[Any]]:
    """A partition without the chunks of its buckets, and the references to them.

    Ray fetches what is given beside a partition, and makes it again where a node was lost with it;
    it does not look inside.
    """
    if isinstance(part, RayBucket):
        return replace(part, references=len(part.references)), list(part.references)
    if is_dataclass(part) and not isinstance(part, type):
        buckets = {f.name: getattr(part, f.name) for f in fields(part)}
        found = {name: emptied(b) for name, b in buckets.items() if isinstance(b, RayBucket)}
        if found:
            changed = {name: empty for name, (empty, _) in found.items()}
            return replace(part, **changed), [r for _, given in found.values() for r in given]
    return part, []


def filled(part: Any, chunks: Sequence[bytes]) -> Any:
    """The partition again, with the chunks in its buckets."""
    if not chunks:
        return part
    rest = iter(chunks)

    def fill(bucket: RayBucket) -> RayBucket:
        return replace(bucket, references=[next(rest) for _ in range(bucket.references)])

    if isinstance(part, RayBucket):
        return fill(part)
    buckets = {f.name: getattr(part, f.name) for f in fields(part)}
    return replace(part, **{k: fill(b) for k, b in buckets.items() if isinstance(b, RayBucket)})


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


@dataclass(frozen=True)
class RayBucket:
    """A bucket whose chunks wait in the store of the cluster.

    `references`: to the chunks; on its way to a worker their number; there the chunks themselves.
    """

    references: Any
    number: int
    count: int

    def chunks(self) -> list[bytes]:
        """All its chunks, in the order of the partitions that dealt them."""
        return list(self.references)

    def __str__(self) -> str:
        return f"bucket {self.number + 1} of {self.count}"
