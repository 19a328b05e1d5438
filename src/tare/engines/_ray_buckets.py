"""Buckets in the object store of Ray, and batches of partitions that share them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from tare.engines import _ray_worker as ray_worker
from tare.engines._ray_worker import RayBucket

__all__ = ["Batch", "RayBuckets", "batches_of"]


class RayBuckets:
    """Buckets in the object store of the cluster, which spills to disk and cleans up itself."""

    def __init__(self, count: int, packs: int) -> None:
        self.count = count
        edges = [count * k // min(packs, count) for k in range(min(packs, count) + 1)]
        self.sizes = [end - start for start, end in pairwise(edges)]
        self._dealt: dict[int, list[Any]] = {}
        self.shared: Any = None  # shared data, needed to recreate chunks of a lost node

    def add(self, partition: int, references: list[Any]) -> None:
        """Store the packs of a partition."""
        self._dealt[partition] = references

    def all(self) -> Sequence[RayBucket]:
        """Return all buckets."""
        parts = [self._dealt[k] for k in sorted(self._dealt)]
        found: list[RayBucket] = []
        for pack, size in enumerate(self.sizes):
            packs = [part[pack] for part in parts]  # one list for all buckets of a pack
            found += [
                RayBucket(packs, place, len(found) + place, self.count) for place in range(size)
            ]
        return found

    def close(self) -> None:
        """Release the chunks, so that the store can free them."""
        self._dealt.clear()
        self.shared = None


class Batch(list[Any]):
    """Partitions that one task processes, named after the first."""

    def __str__(self) -> str:
        more = f" and {len(self) - 1} more" if len(self) > 1 else ""
        return f"{self[0]}{more}"


def batches_of(partitions: Sequence[Any]) -> list[Batch]:
    """Group neighbouring partitions with the same packs; other partitions are alone."""
    found: list[Batch] = []
    last: tuple[int, ...] = ()
    for part in partitions:
        packs = ray_worker.packs_of(part)
        if packs and packs == last:
            found[-1].append(part)
        else:
            found.append(Batch([part]))
        last = packs
    return found
