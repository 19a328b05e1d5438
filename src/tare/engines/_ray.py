"""The engine for many machines: tasks and actors of Ray (extra `ray`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeVar

from tare._kernels import default_threads, seams
from tare.engines import _ray_worker as ray_worker
from tare.engines._engine import Buckets, Engine, Progress, partition_error
from tare.engines._memory import budget_of
from tare.engines._ray_buckets import RayBuckets, batches_of
from tare.engines._ray_watch import Waiting, check_address, check_cluster
from tare.errors import EngineError, MissingExtraError, OptionError, TareError

__all__ = ["Ray"]

P = TypeVar("P")
R = TypeVar("R")
S = TypeVar("S")
J = TypeVar("J")
RETRIES = 3
BLOCKS = 4  # blocks of draws per worker
PATIENCE = 30.0  # seconds without a finished task until the cluster is checked


class Ray(Engine):
    """Engine that runs on a Ray cluster, or on a local Ray instance (extra ``ray``).

    Parameters
    ----------
    address
        The address of the cluster, ``"auto"`` or ``"host:6379"`` (default: start Ray on this
        machine).
    memory
        The memory for rows on each node, in bytes or as text such as ``"4GB"`` (default: half of the
        memory).
    workers
        The number of processors to use on this machine; only without an address.
    gpus
        The number of GPUs to use on this machine; only without an address.
    store
        The size of the object store on this machine; only without an address.
    buckets
        The number of buckets for a run that is not grouped by query (default: chosen by the memory).
    on_progress
        A function that is called with the name of the task, the number of finished parts and their
        total after each part.
    on_wait
        A function that is called with a message if no part finishes for 30 seconds: which parts wait,
        and for what.

    Raises
    ------
    MissingExtraError
        If Ray is not installed.
    EngineError
        If the cluster does not respond.

    Examples
    --------
    >>> from tare.engines import Ray
    >>> with Ray(workers=2) as engine:  # doctest: +SKIP
    ...     scores = tare.evaluate("qrels.txt", "huge.parquet", "AP", engine=engine)
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
        on_progress: Progress | None = None,
        on_wait: Callable[[str], None] | None = None,
    ) -> None:
        if address is not None and (workers, gpus, store) != (None, None, None):
            raise OptionError(
                f"workers, gpus and store cannot be set for the cluster at {address}; leave them out."
            )
        self._ray = _ray()
        self.address = address
        self.on_progress = on_progress
        self.on_wait = on_wait
        self.bucket_count = buckets
        self._started = self._start(workers, gpus, store)
        resources = self._ray.cluster_resources()
        nodes = [node for node in self._ray.nodes() if node.get("Alive")]
        self.workers = max(1, int(resources.get("CPU", 1)))
        self.copies = max(1, len(nodes))  # shared data is in the object store of each node
        self.gpus = float(resources.get("GPU", 0))
        of_node = budget_of(memory) if memory is not None else None
        total = of_node * len(nodes) if of_node else int(resources.get("memory", 0)) // 2
        self.memory = max(1, total)

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
        try:
            check_address(self.address)
            self._ray.init(
                # "local" starts a new instance instead of joining one that is running.
                address=self.address or "local",
                log_to_driver=False,
                logging_level="ERROR",
                **(here if self.address is None else {}),
            )
        except (OSError, RuntimeError, ValueError) as error:
            raise EngineError(
                f"no Ray cluster responds at {self.address or 'this machine'} ({error}). Start one "
                "with `ray start --head`, or omit the address to use Ray on this machine."
            ) from error
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
        """Return one result per partition; a task is repeated if its worker dies."""
        holder = [self._ray.put(shared)]
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
        """Create buckets in the object store."""
        return RayBuckets(count, max(seams().packs, 2 * self.workers))

    def map_blocks(
        self, task: Callable[[S, int, int], R], shared: S, draws: int, *, what: str = ""
    ) -> list[R]:
        """Return one result per block of draws, with a few blocks per worker."""
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
        make: Callable[[], Callable[[P], R]],
        partitions: Sequence[P],
        *,
        gpus: float = 0.0,
        what: str = "",
    ) -> list[R]:
        """Return one result per partition, from one actor per processor or GPU."""
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

        while done < len(partitions):
            reference = self._finished(working, lambda job: named(job[1]), what)
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
        if self._started:
            self._ray.shutdown()

    def __repr__(self) -> str:
        return f"Ray(address={self.address!r}, memory={self.memory}, workers={self.workers})"

    def _remote(self, function: Callable[..., Any], returns: int = 1) -> Any:
        return self._ray.remote(max_retries=RETRIES, num_cpus=1, num_returns=returns)(function)

    def _gather(
        self, calls: Iterator[Callable[[], Any]], partitions: Sequence[Any], what: str
    ) -> list[Any]:
        """Return results in order; at most two calls per worker run at once."""
        results: list[Any] = [None] * len(partitions)
        pending: dict[Any, int] = {}
        begun = done = 0
        while done < len(partitions):
            while begun < len(partitions) and len(pending) < 2 * self.workers:
                pending[next(calls)()] = begun
                begun += 1
            reference = self._finished(pending, partitions.__getitem__, what)
            number = pending.pop(reference)
            # If one fails, running tasks are not cancelled: cancelling a task that is about to end
            # aborts this process (seen in Ray 2.60).
            results[number] = self._result_of(reference, partitions[number])
            done += 1
            self.report_progress(what, done, len(partitions))
        return results

    def _finished(self, pending: Mapping[Any, J], name: Callable[[J], Any], what: str) -> Any:
        """Return a finished task; while none finishes, check the cluster and report what waits."""
        while True:
            ready, _ = self._ray.wait(list(pending), num_returns=1, timeout=PATIENCE)
            if ready:
                return ready[0]
            waiting = Waiting(what, tuple(str(name(job)) for job in pending.values()))
            check_cluster(self._ray, waiting)
            if self.on_wait is not None:
                self.on_wait(waiting.report(self._ray, PATIENCE))

    def _result_of(self, reference: Any, partition: Any) -> Any:
        try:
            return self._ray.get(reference)
        except Exception as error:
            raise _task_error(partition, error) from error


def _task_error(partition: Any, error: Exception) -> TareError:
    """Return the error of a task; if its worker died repeatedly, the error names the partition."""
    cause = getattr(error, "cause", None)
    if isinstance(cause, Exception):
        return partition_error(partition, cause)
    return EngineError(
        f"{partition}: its worker died {RETRIES + 1} times ({type(error).__name__}). Is the part "
        "damaged, or too large for the memory of a node? A smaller --memory makes smaller parts."
    )


def _ray() -> Any:
    try:
        import ray
    except ImportError:
        raise MissingExtraError("ray", "ray", "The engine ray") from None
    return ray
