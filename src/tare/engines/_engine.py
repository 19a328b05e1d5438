"""The protocol of engines: three ways to spread work, and a place where dealt rows wait."""

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

__all__ = ["Bucket", "Buckets", "Deal", "Engine", "Told", "failed", "naming"]

R = TypeVar("R")

Told = Callable[[str, int, int], None]  # what is done, how many parts of it, of how many
Deal = Callable[[Sequence[bytes]], None]  # takes a chunk a bucket


class Bucket(Protocol):
    """The chunks of one bucket, wherever they are."""

    def chunks(self) -> Sequence[bytes | NDArray[np.uint8]]:
        """All of them, in the order of the partitions that dealt them."""
        ...


class Buckets(Protocol):
    """Where dealt rows wait: on a disk, or in the store of a cluster."""

    @property
    def count(self) -> int:
        """How many buckets there are."""
        ...

    def all(self) -> Sequence[Bucket]:
        """The buckets, once everything was dealt."""
        ...

    def close(self) -> None:
        """Lets go of everything that waits here."""
        ...


class Engine(ABC):
    """Where work runs; what is computed does not depend on it.

    A task is a function that can be pickled. `shared` is what all tasks of a call need: it is sent
    once to each worker. Results come in the order of what was given.
    """

    name: str = ""
    workers: int = 1  # how many tasks run at once
    gpus: float = 0.0  # how many there are for actors; those of this process it finds itself
    copies: int = 1  # of what tasks share: one, or one for each machine
    memory: int = 0  # bytes that all tasks of one machine may use together
    most_buckets: int = 4096
    bucket_count: int | None = None  # how many buckets to use, where somebody wants to say
    told: Told | None = None  # is told of every part that is done

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
        """One result a partition of data, task(shared, partition); one that fails is named.

        With `into`, task(shared, partition, deal) deals rows to these buckets, which can be the
        partitions of a later call.
        """

    @abstractmethod
    def buckets(self, count: int) -> Buckets:
        """Empty buckets, for rows that are dealt to them."""

    @abstractmethod
    def map_blocks(
        self, task: Callable[[Any, int, int], R], shared: Any, draws: int, *, what: str = ""
    ) -> list[R]:
        """One result a block of draws, task(shared, first, last); blocks cover all draws in order."""

    @abstractmethod
    def map_actors(
        self,
        make: Callable[[], Callable[[Any], R]],
        partitions: Sequence[Any],
        *,
        gpus: float = 0.0,
        what: str = "",
    ) -> list[R]:
        """One result a partition, by workers that each call `make` once and keep what it made."""

    def close(self) -> None:  # noqa: B027 (most hold nothing)
        """Lets go of what the engine holds; it does no more work."""

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
        """Runs joined with judgements, on this engine: what `tare.evaluate` asks for."""
        from tare.engines._rankings import rankings

        return rankings(self, source, measures, runs, policies, progress)

    def threads_for(self, partitions: int) -> int:
        """How many threads a task may use where there are so many of them."""
        return 1

    def tell(self, what: str, done: int, total: int) -> None:
        """Tells of a part that is done to whoever wants to know."""
        if self.told is not None:
            self.told(what, done, total)


@contextmanager
def naming(partition: object) -> Iterator[None]:
    """Within it, whatever fails says which partition it is about."""
    try:
        yield
    except Exception as error:
        told = failed(partition, error)
        if told is error:
            raise
        raise told from error


def failed(partition: object, error: BaseException) -> TareError:
    """The error of a partition, which says what it is about."""
    if isinstance(error, TareError):
        return error
    return EngineError(
        f"{partition}: this part could not be worked on ({type(error).__name__}: {error}). "
        "Nothing was scored; mend or leave out what is named, and try again."
    )
