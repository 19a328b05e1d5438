"""The engine for many machines: tasks and actors of Ray (extra `ray`)."""

from __future__ import annotations

import os
import re
import socket
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from itertools import pairwise
from typing import Any, TypeVar

from tare._kernels import default_threads
from tare.engines._engine import Engine, Progress, budget_of, naming_partition, partition_error
from tare.errors import EngineError, MissingExtraError, OptionError, TareError

__all__ = [
    "RETRIES",
    "Actor",
    "Ray",
    "SharedData",
    "block",
    "memory_of",
    "processors_of",
    "ray_module",
    "start_ray",
    "task_error",
    "work",
    "working_nodes",
]


# The nodes of a Ray cluster: their processors, and the memory that all tasks may use.


Nodes = Sequence[Mapping[str, Any]]


def working_nodes(nodes: Nodes) -> list[Mapping[str, Any]]:
    """Return the nodes that can run tasks; a head may have no processors."""
    return [node for node in nodes if _processors(node)]


def processors_of(nodes: Nodes) -> int:
    """Return the number of processors of all nodes, at least 1."""
    return max(1, sum(_processors(node) for node in nodes))


def memory_of(nodes: Nodes, of_node: int | None = None) -> int:
    """Return the memory for all tasks, such that each node has room for its own.

    Every processor gets the same share, so the node with the least memory per processor determines it.
    A head without processors runs no tasks, and counts only as long as it is alone. `of_node` is the limit
    of each node (default: half of its memory).
    """
    working = working_nodes(nodes) or nodes
    shares = [
        (of_node or int(node.get("Resources", {}).get("memory", 0)) // 2)
        // max(1, _processors(node))
        for node in working
    ]
    return max(1, processors_of(nodes) * min(shares, default=1))


def _processors(node: Mapping[str, Any]) -> int:
    return int(node.get("Resources", {}).get("CPU", 0))


# Errors of Ray's tasks, in the words of tare.


RETRIES = 3


def task_error(partition: Any, error: Exception) -> TareError:
    """Return the error of a task of Ray; if Ray gave it up, the error names the partition."""
    cause = getattr(error, "cause", None)
    if isinstance(cause, Exception):
        return partition_error(partition, cause)
    return EngineError(
        f"{partition}: Ray gave this part up after at most {RETRIES + 1} attempts ({type(error).__name__}). Is "
        "it damaged, or too large for the memory of a node? A smaller --memory makes smaller parts."
    )


# Data in the object store that all tasks of a Ray engine share.


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
    """Return whether an object to be shared with Ray's workers cannot change between two calls."""
    return (
        is_dataclass(data) and not isinstance(data, type) and bool(data.__dataclass_params__.frozen)  # type: ignore[attr-defined]
    )


# Functions that run in a Ray worker: tasks with cached shared data, and actors.


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


def work(task: Callable[..., Any], holder: list[Any], part: Any) -> Any:
    """Process one partition; an error names it."""
    shared = _shared(holder)
    with naming_partition(part):
        return task(shared, part)


def block(task: Callable[..., Any], holder: list[Any], first: int, last: int) -> Any:
    """Process one block of draws."""
    return task(_shared(holder), first, last)


class Actor:
    """A worker with state, so that a model is loaded once."""

    def __init__(self, make: Callable[[], Callable[[Any], Any]]) -> None:
        self._make = make
        self._work: Callable[[Any], Any] | None = None

    def start(self) -> None:
        """Create the state of a Ray actor in a call of its own, so that errors keep their messages."""
        self._work = self._make()

    def work(self, part: Any) -> Any:
        """Process one partition."""
        if self._work is None:  # restarted after its process died
            self.start()
        assert self._work is not None
        return self._work(part)


# The start of Ray on this machine, or the connection to a cluster.


STARTS = 3
CONNECTING = 10.0  # seconds
LATE = "timed out during startup"  # Ray waits 30 seconds for its processes, and a busy machine may need longer


def ray_module() -> Any:
    """Return the package `ray`."""
    try:
        import ray
    except ImportError:
        raise MissingExtraError("ray", "ray", "The engine ray") from None
    return ray


def start_ray(ray: Any, address: str | None, options: dict[str, Any]) -> None:
    """Start Ray on this machine with these options, or join the cluster at an address."""
    left = STARTS
    while True:
        left -= 1
        try:
            _check_address(address)
            ray.init(
                # "local" starts a new instance instead of joining one that is running.
                address=address or "local",
                log_to_driver=False,
                logging_level="ERROR",
                **(options if address is None else {}),
            )
            return
        except Exception as error:  # Ray raises plain exceptions too
            if address is not None:
                raise EngineError(
                    f"no Ray cluster responds at {address} ({error}). Start one with `ray start --head`, or omit "
                    "the address to use Ray on this machine."
                ) from error
            if left == 0 or LATE not in str(error):
                raise EngineError(
                    f"Ray did not start on this machine ({error}). Try again when the machine is less busy, or use "
                    "the engine `local`."
                ) from error
            ray.shutdown()  # the processes that did start


def _check_address(address: str | None) -> None:
    """Fail at once if nothing listens at host:port; Ray would try again for more than a minute."""
    if address is not None and re.fullmatch(r"[\w.-]+:\d+", address):
        host, _, port = address.rpartition(":")
        socket.create_connection((host, int(port)), timeout=CONNECTING).close()


P = TypeVar("P")
R = TypeVar("R")
S = TypeVar("S")
BLOCKS = 4  # blocks of draws per worker
JOINING = 2.0  # seconds between two looks at the nodes of the cluster


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
    on_progress
        Called after each part with the name of the task, the number of finished parts and their total.
    resume
        A folder for finished parts or systems, as for `Local`; every node must see that of parts.

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

    def __init__(
        self,
        *,
        address: str | None = None,
        memory: int | str | None = None,
        workers: int | None = None,
        gpus: int | None = None,
        store: int | str | None = None,
        on_progress: Progress | None = None,
        resume: str | os.PathLike[str] | None = None,
    ) -> None:
        if address is not None and (workers, gpus, store) != (None, None, None):
            own = "workers, gpus and store"
            raise OptionError(f"{own} cannot be set for the cluster at {address}; leave them out.")
        self._ray = ray_module()
        self._shared = SharedData(self._ray)
        self.address = address
        self.on_progress, self.resume = on_progress, resume
        budget = None if memory is None else budget_of(memory)
        self._started = self._start(workers, gpus, store)
        nodes = [node for node in self._ray.nodes() if node.get("Alive")]
        self.workers = processors_of(nodes)
        self.machines = max(1, len(working_nodes(nodes)))
        self.gpus = float(self._ray.cluster_resources().get("GPU", 0))
        self.memory = memory_of(nodes, budget)

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
        return True

    def map_partitions(
        self,
        task: Callable[..., R],
        shared: object,
        partitions: Sequence[object],
        *,
        what: str = "",
    ) -> list[R]:
        """Return one result per partition; a task is repeated if its worker dies.

        Parameters
        ----------
        task, shared, partitions, what
            As for `Engine.map_partitions`.
        """
        holder = self._shared.holder(shared)
        remote = self._remote(work)
        calls = ((lambda part=part: remote.remote(task, holder, part)) for part in partitions)
        return self._gather(calls, partitions, what)

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
        remote = self._remote(block)
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
        )(Actor)
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
            if (reference := self._next(working)) is None:
                self._processors(what)
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
        """Disconnect from Ray, or stop the local instance if this engine started it."""
        if self._started:
            self._ray.shutdown()

    def __repr__(self) -> str:
        return f"Ray(address={self.address!r}, memory={self.memory}, workers={self.workers})"

    def _remote(self, function: Callable[..., Any]) -> Any:
        return self._ray.remote(max_retries=RETRIES, num_cpus=1)(function)

    def _gather(
        self, calls: Iterator[Callable[[], Any]], partitions: Sequence[Any], what: str
    ) -> list[Any]:
        """Return the results of Ray's tasks in order; at most two calls per processor run at once."""
        results: list[Any] = [None] * len(partitions)
        pending: dict[Any, int] = {}
        begun = done = 0
        room, counted = 2 * self.workers, time.monotonic()
        while done < len(partitions):
            while begun < len(partitions) and len(pending) < room:
                pending[next(calls)()] = begun
                begun += 1
            reference = self._next(pending)
            if time.monotonic() - counted >= JOINING:  # nodes may have joined
                room, counted = 2 * max(self.workers, self._processors(what)), time.monotonic()
            if reference is None:
                continue
            number = pending.pop(reference)
            # If one fails, the others run on: cancelling a task near its end aborts us (Ray 2.60).
            results[number] = self._result_of(reference, partitions[number])
            done += 1
            self.report_progress(what, done, len(partitions))
        return results

    def _next(self, pending: Mapping[Any, Any]) -> Any:
        """Return a finished task of Ray; None if none finishes soon."""
        ready, _ = self._ray.wait(list(pending), num_returns=1, timeout=JOINING)
        return ready[0] if ready else None

    def _processors(self, what: str) -> int:
        """Return the processors of the cluster; without any, tasks would wait forever."""
        nodes = working_nodes([node for node in self._ray.nodes() if node.get("Alive")])
        if not nodes:
            raise EngineError(
                f"{what or 'tasks'}: no node of the cluster has a processor for tasks. Nothing was "
                "scored; add nodes with `ray start --address`, and run the command again."
            )
        return processors_of(nodes)

    def _result_of(self, reference: Any, partition: Any) -> Any:
        try:
            return self._ray.get(reference)
        except Exception as error:
            raise task_error(partition, error) from error
