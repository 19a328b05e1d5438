"""The engine of many machines: tasks and actors of Ray (extra `ray`)."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeVar

from tare._kernels import default_threads, seams
from tare.engines import _ray_worker as ray_worker
from tare.engines._engine import Buckets, Engine, Told, failed
from tare.engines._memory import budget_of
from tare.engines._ray_worker import RayBucket
from tare.errors import EngineError, MissingExtraError, OptionError, TareError

__all__ = ["Ray", "RayBuckets"]

R = TypeVar("R")
RETRIES = 3
BLOCKS = 4  # of draws, for each worker


class RayBuckets:
    """Buckets in the store of the cluster, which spills to its own disks and cleans up itself."""

    def __init__(self, count: int, packs: int) -> None:
        self.count = count
        edges = [count * k // min(packs, count) for k in range(min(packs, count) + 1)]
        self.sizes = [end - start for start, end in pairwise(edges)]
        self._dealt: dict[int, list[Any]] = {}
        self.shared: Any = None  # what the tasks shared: chunks lost with a node are made again

    def add(self, partition: int, references: list[Any]) -> None:
        """Keeps what a partition dealt."""
        self._dealt[partition] = references

    def all(self) -> Sequence[RayBucket]:
        """The buckets."""
        parts = [self._dealt[k] for k in sorted(self._dealt)]
        found: list[RayBucket] = []
        for pack, size in enumerate(self.sizes):
            packs = [part[pack] for part in parts]  # one list for all buckets that are in them
            found += [
                RayBucket(packs, place, len(found) + place, self.count) for place in range(size)
            ]
        return found

    def close(self) -> None:
        """Lets go of the chunks; the store frees them."""
        self._dealt.clear()
        self.shared = None


class Ray(Engine):
    """Work on a Ray cluster, or on this machine's own Ray where no address is given.

    address: "auto" or "host:6379"; a Ray on this machine if not given.
    memory: what the rows at hand may take on each node; half of its memory if not given.
    workers: processors to use on this machine, where no cluster is named; all if not given.
    store: bytes of the object store, where no cluster is named; what Ray takes if not given.
    """

    name = "ray"

    def __init__(
        self,
        *,
        address: str | None = None,
        memory: int | str | None = None,
        workers: int | None = None,
        gpus: int | None = None,
        store: int | str | None = None,
        buckets: int | None = None,
        told: Told | None = None,
    ) -> None:
        if address is not None and (workers, gpus, store) != (None, None, None):
            raise OptionError(
                f"workers, gpus and store are those of the cluster at {address}; leave them out."
            )
        self._ray = _ray()
        self.address = address
        self.told = told
        self.bucket_count = buckets
        self._began = self._begin(workers, gpus, store)
        resources = self._ray.cluster_resources()
        nodes = [node for node in self._ray.nodes() if node.get("Alive")]
        self.workers = max(1, int(resources.get("CPU", 1)))
        self.copies = max(1, len(nodes))  # what tasks share is in the store of each node once
        self.gpus = float(resources.get("GPU", 0))
        of_node = budget_of(memory) if memory is not None else None
        total = of_node * len(nodes) if of_node else int(resources.get("memory", 0)) // 2
        self.memory = max(1, total)

    def _begin(self, workers: int | None, gpus: int | None, store: int | str | None) -> bool:
        """Whether Ray was begun here; this process may be in a cluster already."""
        if self._ray.is_initialized():
            return False
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        here: dict[str, Any] = {
            "include_dashboard": False,
            "num_cpus": workers or default_threads() or None,
            "num_gpus": gpus,
        }
        if store is not None:
            here["object_store_memory"] = budget_of(store)
        try:
            _knock(self.address)
            self._ray.init(
                # "local" starts a Ray; without it one that others left running would be taken.
                address=self.address or "local",
                log_to_driver=False,
                logging_level="ERROR",
                **(here if self.address is None else {}),
            )
        except (OSError, RuntimeError, ValueError) as error:
            raise EngineError(
                f"no Ray cluster answers at {self.address or 'this machine'} ({error}). Start one "
                "with `ray start --head`, or leave the address out for a Ray on this machine."
            ) from error
        return True

    def map_partitions(
        self,
        task: Callable[..., R],
        shared: Any,
        partitions: Sequence[Any],
        *,
        into: Buckets | None = None,
        what: str = "",
    ) -> list[R]:
        """One result a partition; a task whose worker dies is tried again elsewhere."""
        holder = [self._ray.put(shared)]
        if into is None:
            remote = self._remote(ray_worker.together)

            def working(parts: Sequence[Any]) -> Any:
                empty = [ray_worker.emptied(part)[0] for part in parts]
                return remote.remote(task, holder, empty, *ray_worker.emptied(parts[0])[1])

            batches = _batches(partitions)
            calls = ((lambda b=b: working(b)) for b in batches)
            return [r for found in self._gather(calls, batches, what) for r in found]
        assert isinstance(into, RayBuckets)
        store = into
        store.shared = holder
        remote = self._remote(ray_worker.deal, returns=1 + len(store.sizes))

        def dealing(number: int) -> Any:
            result, *chunks = remote.remote(task, holder, partitions[number], store.sizes)
            store.add(number, chunks)
            return result

        calls = ((lambda k=k: dealing(k)) for k in range(len(partitions)))
        return self._gather(calls, partitions, what)

    def buckets(self, count: int) -> RayBuckets:
        """Buckets in the object store."""
        return RayBuckets(count, max(seams().packs, 2 * self.workers))

    def map_blocks(
        self, task: Callable[[Any, int, int], R], shared: Any, draws: int, *, what: str = ""
    ) -> list[R]:
        """A few blocks for each worker."""
        holder = [self._ray.put(shared)]
        remote = self._remote(ray_worker.block)
        count = max(1, min(draws, BLOCKS * self.workers))
        edges = [draws * k // count for k in range(count + 1)]
        blocks = list(pairwise(edges))
        calls = ((lambda b=b: remote.remote(task, holder, *b)) for b in blocks)
        named = [f"draws {first:,} to {last:,}" for first, last in blocks]
        return self._gather(calls, named, what)

    def map_actors(
        self,
        make: Callable[[], Callable[[Any], R]],
        partitions: Sequence[Any],
        *,
        gpus: float = 0.0,
        what: str = "",
    ) -> list[R]:
        """Actors that each call `make` once; as many as processors, or as GPUs allow."""
        if gpus > self.gpus:
            raise EngineError(
                f"{what or 'this work'} needs {gpus:g} GPUs for each worker, and the cluster has "
                f"{self.gpus:g}. Add a node with GPUs, or ask for none."
            )
        most = int(self.gpus / gpus) if gpus > 0 else self.workers
        made = self._ray.remote(
            num_cpus=0 if gpus > 0 else 1,
            num_gpus=gpus,
            max_restarts=RETRIES,
            max_task_retries=RETRIES,
        )(ray_worker.Actor)
        actors = [made.remote(make) for _ in range(min(most, len(partitions)))]
        try:
            return self._dealt(actors, partitions, what)
        finally:
            for actor in actors:
                self._ray.kill(actor)

    def _dealt(self, actors: Sequence[Any], partitions: Sequence[Any], what: str) -> list[Any]:
        """Each actor takes the next partition when it is free; one that finds no place takes none."""
        results: list[Any] = [None] * len(partitions)
        numbers = iter(range(len(partitions)))
        working: dict[Any, tuple[Any, int | None]] = {a.begin.remote(): (a, None) for a in actors}
        done = 0
        while done < len(partitions):
            ready, _ = self._ray.wait(list(working), num_returns=1)
            actor, number = working.pop(ready[0])
            found = self._got(
                ready[0], "the start of a worker" if number is None else partitions[number]
            )
            if number is not None:
                results[number] = found
                done += 1
                self.tell(what, done, len(partitions))
            if (following := next(numbers, None)) is not None:
                working[actor.work.remote(partitions[following])] = (actor, following)
        return results

    def close(self) -> None:
        """Leaves the cluster, or ends the Ray of this machine; not one that was there before."""
        if self._began:
            self._ray.shutdown()

    def __repr__(self) -> str:
        return f"Ray(address={self.address!r}, memory={self.memory}, workers={self.workers})"

    def _remote(self, function: Callable[..., Any], returns: int = 1) -> Any:
        return self._ray.remote(max_retries=RETRIES, num_cpus=1, num_returns=returns)(function)

    def _gather(
        self, calls: Iterator[Callable[[], Any]], partitions: Sequence[Any], what: str
    ) -> list[Any]:
        """Results in order; only a few calls more than there are workers are under way at once."""
        results: list[Any] = [None] * len(partitions)
        pending: dict[Any, int] = {}
        begun = done = 0
        while done < len(partitions):
            while begun < len(partitions) and len(pending) < 2 * self.workers:
                pending[next(calls)()] = begun
                begun += 1
            ready, _ = self._ray.wait(list(pending), num_returns=1)
            number = pending.pop(ready[0])
            # Where one fails the few that are under way run to their end: to cancel a task that is
            # just ending aborts the process that asks for it (seen in Ray 2.60).
            results[number] = self._got(ready[0], partitions[number])
            done += 1
            self.tell(what, done, len(partitions))
        return results

    def _got(self, reference: Any, partition: Any) -> Any:
        try:
            return self._ray.get(reference)
        except Exception as error:
            raise _failure(partition, error) from error


class _Batch(list[Any]):
    """Partitions that one task works on, named by the first of them."""

    def __str__(self) -> str:
        more = f" and {len(self) - 1} more" if len(self) > 1 else ""
        return f"{self[0]}{more}"


def _batches(partitions: Sequence[Any]) -> list[_Batch]:
    """Neighbours whose buckets are in the same packs together, all others alone."""
    found: list[_Batch] = []
    last: tuple[int, ...] = ()
    for part in partitions:
        packs = ray_worker.packs_of(part)
        if packs and packs == last:
            found[-1].append(part)
        else:
            found.append(_Batch([part]))
        last = packs
    return found


def _failure(partition: Any, error: Exception) -> TareError:
    """What a task said itself; or, where its worker died again and again, what it worked on."""
    cause = getattr(error, "cause", None)
    if isinstance(cause, Exception):
        return failed(partition, cause)
    return EngineError(
        f"{partition}: its worker died {RETRIES + 1} times ({type(error).__name__}). Is the part "
        "damaged, or too large for the memory of a node? Less --memory makes smaller parts."
    )


def _knock(address: str | None) -> None:
    """Fails at once where nobody listens at host:port; Ray itself tries for minutes."""
    if address is not None and re.fullmatch(r"[\w.-]+:\d+", address):
        host, _, port = address.rpartition(":")
        socket.create_connection((host, int(port)), timeout=10).close()


def _ray() -> Any:
    try:
        import ray
    except ImportError:
        raise MissingExtraError("ray", "ray", "The engine ray") from None
    return ray
