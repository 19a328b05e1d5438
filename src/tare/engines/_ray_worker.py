"""What runs inside a Ray worker: tasks, with what they share looked up once, and actors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare.engines._engine import naming

__all__ = ["Actor", "RayBucket", "block", "deal", "emptied", "filled", "packs_of", "together"]

Pack = NDArray[np.uint8]

_KEPT: dict[str, Any] = {}  # what the tasks of the last call share, in this process


def _shared(holder: list[Any]) -> Any:
    """What tasks share; fetched once by each worker, and judgements then read where the store keeps them."""
    import ray

    reference = holder[0]  # within a list, so that Ray does not unpack it for every task
    key = reference.hex()
    if key not in _KEPT:
        _KEPT.clear()
        _KEPT[key] = ray.get(reference)
    return _KEPT[key]


def together(
    task: Callable[..., Any], holder: list[Any], parts: list[Any], *packs: Pack
) -> list[Any]:
    """Partitions whose buckets were packed together, one after the other; one that fails is named."""
    shared = _shared(holder)
    results = []
    for part in parts:
        with naming(part):
            results.append(task(shared, filled(part, packs)))
    return results


def emptied(part: Any) -> tuple[Any, list[Any]]:
    """A partition without the packs of its buckets, and the references to them.

    Ray fetches what is given beside a partition, and makes it again where a node was lost with it;
    it does not look inside.
    """
    if isinstance(part, RayBucket):
        return replace(part, packs=len(part.packs)), list(part.packs)
    found = {name: emptied(bucket) for name, bucket in _buckets_of(part).items()}
    if not found:
        return part, []
    changed = {name: empty for name, (empty, _) in found.items()}
    return replace(part, **changed), [r for _, given in found.values() for r in given]


def filled(part: Any, packs: Sequence[Pack]) -> Any:
    """The partition again, with the packs in its buckets."""
    if not packs:
        return part
    rest = iter(packs)

    def fill(bucket: RayBucket) -> RayBucket:
        return replace(bucket, packs=[next(rest) for _ in range(bucket.packs)])

    if isinstance(part, RayBucket):
        return fill(part)
    return replace(part, **{name: fill(bucket) for name, bucket in _buckets_of(part).items()})


def packs_of(part: Any) -> tuple[int, ...]:
    """Which packs a partition needs: those that need the same may be worked on together."""
    buckets = [part] if isinstance(part, RayBucket) else list(_buckets_of(part).values())
    return tuple(id(bucket.packs) for bucket in buckets)


def _buckets_of(part: Any) -> dict[str, RayBucket]:
    if not is_dataclass(part) or isinstance(part, type):
        return {}
    held = {f.name: getattr(part, f.name) for f in fields(part)}
    return {name: value for name, value in held.items() if isinstance(value, RayBucket)}


def deal(task: Callable[..., Any], holder: list[Any], part: Any, sizes: Sequence[int]) -> list[Any]:
    """One partition that deals rows: its result, then packs of so many buckets each."""
    dealt: list[list[bytes]] = [[] for _ in range(sum(sizes))]

    def take(chunks: Sequence[bytes]) -> None:
        for bucket, chunk in zip(dealt, chunks, strict=True):
            if chunk:
                bucket.append(chunk)

    result = task(_shared(holder), part, take)
    rest = iter(dealt)
    return [result, *(_packed(list(islice(rest, size))) for size in sizes)]


def _packed(buckets: list[list[bytes]]) -> Pack:
    """Chunks of some buckets in one array, which workers of a machine read without a copy."""
    ends = np.cumsum([0, *(sum(map(len, bucket)) for bucket in buckets)], dtype=np.int64)
    chunks = [np.frombuffer(chunk, np.uint8) for bucket in buckets for chunk in bucket]
    return np.concatenate([np.array([len(ends)]).view(np.uint8), ends.view(np.uint8), *chunks])


def _unpacked(pack: Pack, place: int) -> Pack:
    """The chunk of one of the buckets."""
    count = int(pack[:8].view(np.int64)[0])
    head = 8 * (count + 1)
    start, end = pack[8:head].view(np.int64)[place : place + 2].tolist()
    return pack[head + start : head + end]


def block(task: Callable[..., Any], holder: list[Any], first: int, last: int) -> Any:
    """One block of draws."""
    return task(_shared(holder), first, last)


class Actor:
    """A worker that keeps what it made: a model is loaded once."""

    def __init__(self, make: Callable[[], Callable[[Any], Any]]) -> None:
        self._make = make
        self._work: Callable[[Any], Any] | None = None

    def begin(self) -> None:
        """Makes what it works with; a call of its own, because what fails here keeps its words."""
        self._work = self._make()

    def work(self, part: Any) -> Any:
        """One partition."""
        if self._work is None:  # started again, after its process died
            self.begin()
        assert self._work is not None
        return self._work(part)


@dataclass(frozen=True)
class RayBucket:
    """A bucket whose chunks wait in the store of the cluster, packed with those of others.

    `packs`: references to them; on the way to a worker their number; there the packs themselves.
    """

    packs: Any
    place: int  # within each pack
    number: int
    count: int

    def chunks(self) -> list[Pack]:
        """All its chunks, in the order of the partitions that dealt them."""
        return [_unpacked(pack, self.place) for pack in self.packs]

    def __str__(self) -> str:
        return f"bucket {self.number + 1} of {self.count}"
