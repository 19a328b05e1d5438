"""The engine of one machine: threads, a budget of memory, and the disk for what exceeds it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from tare._kernels import cores, seams
from tare.engines._engine import Buckets, Engine, Told, naming
from tare.engines._memory import budget_of
from tare.engines._store import DiskBuckets
from tare.errors import OptionError

__all__ = ["Local"]

R = TypeVar("R")


class Local(Engine):
    """Work on this machine, in threads; the core lets go of Python while it works.

    memory: what the rows at hand may take, in bytes or as "800MB"; half of the memory if not given.
    threads: how many; all the machine has if not given.
    temporary: the folder for rows that wait on the disk; that of the system if not given.
    buckets: how many buckets an ungrouped run is dealt to; as many as the budget needs if not given.

    >>> Local(memory="1GB", threads=2)
    Local(memory=1000000000, threads=2)
    """

    name = "local"

    def __init__(
        self,
        *,
        memory: int | str | None = None,
        threads: int | None = None,
        temporary: str | os.PathLike[str] | None = None,
        buckets: int | None = None,
        told: Told | None = None,
    ) -> None:
        for name, given in (("threads", threads), ("buckets", buckets)):
            if given is not None and given < 1:
                raise OptionError(f"{name}={given} is not possible: 1 or more are needed.")
        self.memory = budget_of(memory)
        self.workers = threads or cores()
        self.temporary = temporary
        self.bucket_count = buckets
        self.told = told

    def map_partitions(
        self,
        task: Callable[..., R],
        shared: Any,
        partitions: Sequence[Any],
        *,
        into: Buckets | None = None,
        what: str = "",
    ) -> list[R]:
        """One result a partition, as many at once as there are threads."""

        def call(number: int) -> R:
            partition = partitions[number]
            with naming(partition):
                if into is None:
                    return task(shared, partition)
                assert isinstance(into, DiskBuckets)
                return task(shared, partition, _dealer(into, number))

        return self._run(call, len(partitions), what)

    def buckets(self, count: int) -> DiskBuckets:
        """Buckets in a temporary file without a name."""
        return DiskBuckets(count, self.temporary, seams().spool or self.memory // 8)

    def map_blocks(
        self, task: Callable[[Any, int, int], R], shared: Any, draws: int, *, what: str = ""
    ) -> list[R]:
        """All draws in one block: the core spreads them over threads itself."""
        count = max(1, min(draws, seams().draw_blocks))
        found = []
        for k in range(count):
            found.append(task(shared, draws * k // count, draws * (k + 1) // count))
            self.tell(what, k + 1, count)
        return found

    def map_actors(
        self,
        make: Callable[[], Callable[[Any], R]],
        partitions: Sequence[Any],
        *,
        gpus: float = 0.0,
        what: str = "",
    ) -> list[R]:
        """One after the other, by one worker: what it made uses all threads and devices itself."""
        worker = make()
        found = []
        for done, partition in enumerate(partitions, 1):
            with naming(partition):
                found.append(worker(partition))
            self.tell(what, done, len(partitions))
        return found

    def threads_for(self, partitions: int) -> int:
        """Threads within a task, where there are fewer tasks than threads."""
        return max(1, self.workers // max(1, partitions))

    def _run(self, call: Callable[[int], R], count: int, what: str) -> list[R]:
        if count == 1 or self.workers == 1:
            found = []
            for number in range(count):
                found.append(call(number))
                self.tell(what, number + 1, count)
            return found
        return self._in_threads(call, count, what)

    def _in_threads(self, call: Callable[[int], R], count: int, what: str) -> list[R]:
        """Each thread takes the next number. An interrupt can come at any moment, and what `wait` of
        concurrent.futures holds then it holds for ever; a SimpleQueue holds nothing."""
        results: list[Any] = [None] * count
        numbers = iter(range(count))
        finished: SimpleQueue[BaseException | None] = SimpleQueue()
        stopped = False

        def work() -> None:
            for number in numbers:
                if stopped:
                    return
                try:
                    results[number] = call(number)
                except BaseException as error:
                    finished.put(error)
                    return
                finished.put(None)

        threads = [Thread(target=work, daemon=True) for _ in range(min(self.workers, count))]
        try:
            for thread in threads:
                thread.start()
            for done in range(1, count + 1):
                error = finished.get()
                if error is not None:
                    raise error
                self.tell(what, done, count)
        finally:
            stopped = True
            for thread in threads:
                if thread.ident is not None:
                    thread.join()
        return results

    def __repr__(self) -> str:
        return f"Local(memory={self.memory}, threads={self.workers})"


def _dealer(into: DiskBuckets, number: int) -> Callable[[Sequence[bytes]], None]:
    """Keeps what one partition deals, in its order."""
    deals = 0

    def deal(chunks: Sequence[bytes]) -> None:
        nonlocal deals
        into.deal(number, deals, chunks)
        deals += 1

    return deal
