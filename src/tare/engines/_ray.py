"""The engine for many machines: tasks and actors of Ray (extra `ray`)."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeVar

from tare._kernels import default_threads
from tare._kernels.seams import seams
from tare.engines import _ray_worker as ray_worker
from tare.engines._engine import Buckets, Engine, Progress
from tare.engines._memory import budget_of
from tare.engines._ray_buckets import RayBuckets, batches_of
from tare.engines._ray_failures import RETRIES, silence, task_error
from tare.engines._ray_nodes import memory_of, processors_of
from tare.engines._ray_shared import Exported, SharedData
from tare.engines._ray_start import ray_module, start_ray
from tare.engines._ray_watch import Head, Wait, cluster_identity
from tare.errors import EngineError, OptionError

__all__ = ["Ray"]

P = TypeVar("P")
R = TypeVar("R")
S = TypeVar("S")
BLOCKS = 4  # blocks of draws per worker


class Ray(Engine):
    """Engine that runs on a Ray cluster, or on a local Ray instance (extra ``ray``).

    Parameters
    ----------
    address
        The address of the cluster, ``"auto"`` or ``"host:6379"`` (default: start Ray on this machine).
    memory
        The memory for rows on each node, in bytes or as text such as ``"4GB"`` (default: half of it).
    workers, gpus, store
        The processors, GPUs and size of the object store on this machine; only without an address.
    buckets
        The number of buckets for a run that is not grouped by query (default: chosen by the memory).
    on_progress
        Called after each part with the name of the task, the number of finished parts and their total.
    on_wait
        Called with a message if no part finishes for 30 seconds: which parts wait, and for what.
    on_lost
        A function that another thread calls with a message if the head of the cluster is lost and a
        call of Ray does not return. Ray itself then ends the process within a minute.
    resume
        A folder for finished parts, as for `Local`; every node must see it.

    Raises
    ------
    MissingExtraError
        If Ray is not installed.
    EngineError
        If the cluster does not respond.
    OptionError
        If workers, GPUs or store are set for a cluster, or an amount of memory is not valid.

    Examples
    --------
    >>> from tare.engines import Ray
    >>> with Ray(workers=2) as engine:  # doctest: +SKIP
    ...     scores = tare.evaluate("qrels.txt", "huge.parquet", "AP", engine=engine)
    """

    name = "ray"
    lost = False  # the head, when the engine was closed

    def __init__(
        self,
        *,
        address: str | None = None,
        memory: int | str | None = None,
        workers: int | None = None,
        gpus: int | None = None,
        store: int | str | None = None,
        buckets: int | None = None,
        on_progress: Progress | None = None,
        on_wait: Callable[[str], None] | None = None,
        on_lost: Callable[[str], None] | None = None,
        resume: str | os.PathLike[str] | None = None,
    ) -> None:
        if address is not None and (workers, gpus, store) != (None, None, None):
            own = "workers, gpus and store"
            raise OptionError(f"{own} cannot be set for the cluster at {address}; leave them out.")
        self._ray = ray_module()
        self._shared, self._exported = SharedData(self._ray), Exported(self._ray)
        self.address, self.bucket_count = address, buckets
        self.on_progress, self.on_wait, self.resume = on_progress, on_wait, resume
        budget = None if memory is None else budget_of(memory)
        self._started = self._start(workers, gpus, store)
        try:
            self._join(budget, on_lost)
        except BaseException:
            if self._started:
                self._ray.shutdown()
            raise

    def _join(self, budget: int | None, on_lost: Callable[[str], None] | None) -> None:
        """Learn what the cluster has, and begin to watch its head."""
        nodes = [node for node in self._ray.nodes() if node.get("Alive")]
        self.workers = processors_of(nodes)
        self.copies = max(1, len(nodes))  # shared data is in the object store of each node
        self.gpus = float(self._ray.cluster_resources().get("GPU", 0))
        self.memory = memory_of(nodes, budget)
        address = str(self._ray.get_runtime_context().gcs_address)
        self._head = Head(address, cluster_identity, on_lost)

    def _start(self, workers: int | None, gpus: int | None, store: int | str | None) -> bool:
        """Start or join Ray; return False if this process was already connected."""
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
        start_ray(self._ray, self.address, here)
        silence()
        return True

    def map_partitions(
        self,
        task: Callable[..., R],
        shared: object,
        partitions: Sequence[object],
        *,
        into: Buckets | None = None,
        what: str = "",
    ) -> list[R]:
        """Return one result per partition; a task is repeated if its worker dies.

        Parameters
        ----------
        task, shared, partitions, into, what
            As for `Engine.map_partitions`.
        """
        holder = self._shared.holder(shared)
        if into is None:
            remote = self._remote(ray_worker.together)

            def working(parts: Sequence[Any]) -> Any:
                empty = [ray_worker.emptied(part)[0] for part in parts]
                return remote.remote(task, holder, empty, *ray_worker.emptied(parts[0])[1])

            batches = batches_of(partitions)
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
        """Create buckets in the object store.

        Parameters
        ----------
        count
            As for `Engine.buckets`.
        """
        return RayBuckets(count, max(seams().packs, 2 * self.workers))

    def map_blocks(
        self, task: Callable[[S, int, int], R], shared: S, draws: int, *, what: str = ""
    ) -> list[R]:
        """Return one result per block of draws, with a few blocks per worker.

        Parameters
        ----------
        task, shared, draws, what
            As for `Engine.map_blocks`.
        """
        holder = self._shared.holder(shared)
        remote = self._remote(ray_worker.block)
        count = max(1, min(draws, BLOCKS * self.workers))
        blocks = list(pairwise(draws * k // count for k in range(count + 1)))
        calls = ((lambda b=b: remote.remote(task, holder, *b)) for b in blocks)
        named = [f"draws {first:,} to {last:,}" for first, last in blocks]
        return self._gather(calls, named, what)

    def map_actors(
        self,
        make: Callable[[], Callable[[P], R]],
        partitions: Sequence[P],
        *,
        gpus: float = 0.0,
        what: str = "",
    ) -> list[R]:
        """Return one result per partition, from one actor per processor or GPU.

        Parameters
        ----------
        make, partitions, gpus, what
            As for `Engine.map_actors`.
        """
        if gpus > self.gpus:
            raise EngineError(
                f"{what or 'this task'} needs {gpus:g} GPUs per worker, but the cluster has "
                f"{self.gpus:g}. Add a node with GPUs, or use none."
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
            return self._distribute(actors, partitions, what)
        finally:
            for actor in actors:
                self._ray.kill(actor)

    def _distribute(self, actors: Sequence[Any], partitions: Sequence[Any], what: str) -> list[Any]:
        """Give each free actor the next partition; actors that cannot start get none."""
        results: list[Any] = [None] * len(partitions)
        numbers = iter(range(len(partitions)))
        working: dict[Any, tuple[Any, int | None]] = {a.start.remote(): (a, None) for a in actors}
        done = 0

        def named(number: int | None) -> Any:
            return "the start of a worker" if number is None else partitions[number]

        wait = Wait(self._ray, self._head, what, self.on_wait)
        while done < len(partitions):
            if (reference := wait.next(working, lambda job: named(job[1]))) is None:
                continue
            actor, number = working.pop(reference)
            found = self._result_of(reference, named(number))
            if number is not None:
                results[number] = found
                done += 1
                self.report_progress(what, done, len(partitions))
            if (following := next(numbers, None)) is not None:
                working[actor.work.remote(partitions[following])] = (actor, following)
        return results

    def close(self) -> None:
        """Disconnect from Ray, or stop the local instance, if this engine started it."""
        self.lost = self._head.close()
        if self._started and self.lost and self.address is not None:
            atexit.unregister(self._ray.shutdown)  # without the head, it ends this process
        elif self._started:
            self._ray.shutdown()

    def __repr__(self) -> str:
        return f"Ray(address={self.address!r}, memory={self.memory}, workers={self.workers})"

    def _remote(self, function: Callable[..., Any], returns: int = 1) -> Any:
        self._head.check("the start of tasks")
        return self._exported(function, returns)

    def _gather(
        self, calls: Iterator[Callable[[], Any]], partitions: Sequence[Any], what: str
    ) -> list[Any]:
        """Return results in order; at most two calls per worker run at once."""
        results: list[Any] = [None] * len(partitions)
        pending: dict[Any, int] = {}
        begun = done = 0
        wait = Wait(self._ray, self._head, what, self.on_wait)
        while done < len(partitions):
            room = 2 * max(self.workers, wait.processors)  # nodes may have joined
            while begun < len(partitions) and len(pending) < room:
                pending[next(calls)()] = begun
                begun += 1
            if (reference := wait.next(pending, partitions.__getitem__)) is None:
                continue
            number = pending.pop(reference)
            # If one fails, the others run on: cancelling a task near its end aborts us (Ray 2.60).
            results[number] = self._result_of(reference, partitions[number])
            done += 1
            self.report_progress(what, done, len(partitions))
        return results

    def _result_of(self, reference: Any, partition: Any) -> Any:
        try:
            return self._ray.get(reference)
        except Exception as error:
            raise task_error(partition, error) from error
