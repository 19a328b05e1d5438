"""Functions that run in a Ray worker: tasks with cached shared data, and actors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare.engines._partition_errors import naming_partition

__all__ = ["Actor", "RayBucket", "block", "deal", "emptied", "filled", "packs_of", "together"]

Pack = NDArray[np.uint8]

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


def together(
    task: Callable[..., Any], holder: list[Any], parts: list[Any], *packs: Pack
) -> list[Any]:
    """Process partitions that share packs, one after the other; errors name the partition."""
    shared = _shared(holder)
    results = []
    for part in parts:
        with naming_partition(part):
            results.append(task(shared, filled(part, packs)))
    return results


def emptied(part: Any) -> tuple[Any, list[Any]]:
    """Return a partition without the packs of its buckets, and the references to them.

    Ray resolves only references that are direct arguments of a task, and recreates them if a node is
    lost.
    """
    if isinstance(part, RayBucket):
        return replace(part, packs=len(part.packs)), list(part.packs)
    found = {name: emptied(bucket) for name, bucket in _buckets_of(part).items()}
    if not found:
        return part, []
    changed = {name: empty for name, (empty, _) in found.items()}
    return replace(part, **changed), [r for _, given in found.values() for r in given]


def filled(part: Any, packs: Sequence[Pack]) -> Any:
    """Return the partition with the packs in its buckets."""
    if not packs:
        return part
    rest = iter(packs)

    def fill(bucket: RayBucket) -> RayBucket:
        return replace(bucket, packs=[next(rest) for _ in range(bucket.packs)])

    if isinstance(part, RayBucket):
        return fill(part)
    return replace(part, **{name: fill(bucket) for name, bucket in _buckets_of(part).items()})


def packs_of(part: Any) -> tuple[int, ...]:
    """Return the packs of a partition; partitions with the same packs form a batch."""
    buckets = [part] if isinstance(part, RayBucket) else list(_buckets_of(part).values())
    return tuple(id(bucket.packs) for bucket in buckets)


def _buckets_of(part: Any) -> dict[str, RayBucket]:
    if not is_dataclass(part) or isinstance(part, type):
        return {}
    held = {f.name: getattr(part, f.name) for f in fields(part)}
    return {name: value for name, value in held.items() if isinstance(value, RayBucket)}


def deal(task: Callable[..., Any], holder: list[Any], part: Any, sizes: Sequence[int]) -> list[Any]:
    """Distribute the rows of a partition; return its result, then packs of `sizes` buckets."""
    collected: list[list[bytes]] = [[] for _ in range(sum(sizes))]

    def take(chunks: Sequence[bytes]) -> None:
        for bucket, chunk in zip(collected, chunks, strict=True):
            if chunk:
                bucket.append(chunk)

    result = task(_shared(holder), part, take)
    rest = iter(collected)
    return [result, *(_packed(list(islice(rest, size))) for size in sizes)]


def _packed(buckets: list[list[bytes]]) -> Pack:
    """Pack the chunks of some buckets in one array, which workers read without a copy."""
    ends = np.cumsum([0, *(sum(map(len, bucket)) for bucket in buckets)], dtype=np.int64)
    chunks = [np.frombuffer(chunk, np.uint8) for bucket in buckets for chunk in bucket]
    return np.concatenate([np.array([len(ends)]).view(np.uint8), ends.view(np.uint8), *chunks])


def _unpacked(pack: Pack, place: int) -> Pack:
    """Return the chunk of one bucket."""
    count = int(pack[:8].view(np.int64)[0])
    head = 8 * (count + 1)
    start, end = pack[8:head].view(np.int64)[place : place + 2].tolist()
    return pack[head + start : head + end]


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


@dataclass(frozen=True)
class RayBucket:
    """A bucket whose chunks are in the object store, packed with those of other buckets.

    `packs` holds references to the packs; on the way to a worker, their number; in the worker, the
    packs.
    """

    packs: Any
    place: int  # within each pack
    number: int
    count: int

    def chunks(self) -> list[Pack]:
        """Return all chunks, in the order of the partitions they came from."""
        return [_unpacked(pack, self.place) for pack in self.packs]

    def __str__(self) -> str:
        return f"bucket {self.number + 1} of {self.count}"
