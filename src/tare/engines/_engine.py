"""The interface of engines: three ways to distribute work, and buckets for rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from tare._data.judged import Judged
from tare._data.policies import Policies
from tare._measures.measure import Measure
from tare.errors import EngineError, TareError

__all__ = ["Bucket", "Buckets", "Deal", "Engine", "Progress", "naming_partition", "partition_error"]

R = TypeVar("R")

Progress = Callable[
    [str, int, int], None
]  # called with the task, the number of finished parts, and their total
Deal = Callable[[Sequence[bytes]], None]  # takes one chunk per bucket


class Bucket(Protocol):
    """One bucket of rows."""

    def chunks(self) -> Sequence[bytes | NDArray[np.uint8]]:
        """Return all chunks, in the order of the partitions they came from."""
        ...


class Buckets(Protocol):
    """Storage of distributed rows: a disk, or the object store of a cluster."""

    @property
    def count(self) -> int:
        """The number of buckets."""
        ...

    def all(self) -> Sequence[Bucket]:
        """Return the buckets, after all rows were distributed."""
        ...

    def close(self) -> None:
        """Release all rows."""
        ...


class Engine(ABC):
    """Base class of engines, which run the work of `evaluate` and `compare`.

    Results do not depend on the engine. A task is a function that can be pickled. `shared` is data
    that all tasks of a call need; it is sent to each worker once. Results are in the order of the
    partitions.

    Attributes
    ----------
    name
        The name of the engine.
    workers
        The number of tasks that run at once.
    gpus
        The number of GPUs for actors.
    copies
        The number of copies of shared data: 1, or one per machine.
    memory
        The memory in bytes for all tasks of one machine.
    max_buckets
        The largest number of buckets.
    bucket_count
        The number of buckets to use; None chooses it by the memory.
    on_progress
        A function that is called with the name of the task, the number of finished parts and their
        total after each part.
    """

    name: str = ""
    workers: int = 1
    gpus: float = 0.0
    copies: int = 1
    memory: int = 0
    max_buckets: int = 4096
    bucket_count: int | None = None
    on_progress: Progress | None = None

    @abstractmethod
    def map_partitions(
        self,
        task: Callable[..., R],
        shared: Any,
        partitions: Sequence[Any],
        *,
        into: Buckets | None = None,
        what: str = "",
    ) -> list[R]:
        """Return task(shared, partition) for each partition; errors name the partition.

        With `into`, task(shared, partition, deal) distributes rows to these buckets, which can be
        the partitions of a later call.
        """

    @abstractmethod
    def buckets(self, count: int) -> Buckets:
        """Create empty buckets."""

    @abstractmethod
    def map_blocks(
        self, task: Callable[[Any, int, int], R], shared: Any, draws: int, *, what: str = ""
    ) -> list[R]:
        """Return task(shared, first, last) for consecutive blocks of draws."""

    @abstractmethod
    def map_actors(
        self,
        make: Callable[[], Callable[[Any], R]],
        partitions: Sequence[Any],
        *,
        gpus: float = 0.0,
        what: str = "",
    ) -> list[R]:
        """Return one result per partition; each worker calls `make` once and keeps its result."""

    def close(self) -> None:  # noqa: B027 (most engines hold nothing)
        """Release all resources; the engine cannot be used afterwards."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def rankings(
        self,
        source: Any,
        measures: tuple[Measure, ...],
        runs: Any,
        policies: Policies,
        progress: Callable[[str], None] | None = None,
    ) -> list[Judged]:
        """Join runs with judgements on this engine, for `tare.evaluate`."""
        from tare.engines._rankings import rankings

        return rankings(self, source, measures, runs, policies, progress)

    def threads_for(self, partitions: int) -> int:
        """Return the number of threads per task for a number of partitions."""
        return 1

    def report_progress(self, what: str, done: int, total: int) -> None:
        """Call `on_progress` after a part is finished."""
        if self.on_progress is not None:
            self.on_progress(what, done, total)


@contextmanager
def naming_partition(partition: object) -> Iterator[None]:
    """Add the name of the partition to every error raised within the block."""
    try:
        yield
    except Exception as error:
        named = partition_error(partition, error)
        if named is error:
            raise
        raise named from error


def partition_error(partition: object, error: BaseException) -> TareError:
    """Return the error of a partition, with its name."""
    if isinstance(error, TareError):
        return error
    return EngineError(
        f"{partition}: this part could not be processed ({type(error).__name__}: {error}). "
        "Nothing was scored; repair or remove this part, and try again."
    )
