"""The engine for one machine: threads and a memory limit."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from tare._kernels import cores
from tare._kernels.threads_and_blocks import seams
from tare.engines._engine import Engine, Progress, budget_of, naming_partition
from tare.errors import OptionError

__all__ = ["Local"]

P = TypeVar("P")
R = TypeVar("R")
S = TypeVar("S")


class Local(Engine):
    """Engine that runs on this machine, in threads and within a memory limit.

    Runs are processed in parts, each within the limit. A run that is not grouped by query must fit
    into it as a whole.

    Parameters
    ----------
    memory
        The memory for rows, in bytes or as text such as ``"800MB"`` (default: half of the memory).
    threads
        The number of threads (default: all processors).
    on_progress
        A function that is called with the name of the task, the number of finished parts and their
        total after each part.
    resume
        A folder for finished parts of `tare.evaluate` and finished systems of `tare.evaluate_texts`. A
        job that was stopped continues with it.

    Raises
    ------
    OptionError
        If a value is out of range.

    Examples
    --------
    >>> from tare.engines import Local
    >>> Local(memory="1GB", threads=2)
    Local(memory=1000000000, threads=2)
    """

    name = "local"

    def __init__(
        self,
        *,
        memory: int | str | None = None,
        threads: int | None = None,
        on_progress: Progress | None = None,
        resume: str | os.PathLike[str] | None = None,
    ) -> None:
        if threads is not None and threads < 1:
            raise OptionError(f"threads={threads} is not possible: it must be 1 or more.")
        self.memory = budget_of(memory)
        self.workers = threads or cores()
        self.on_progress = on_progress
        self.resume = resume

    def map_partitions(
        self,
        task: Callable[..., R],
        shared: object,
        partitions: Sequence[object],
        *,
        what: str = "",
    ) -> list[R]:
        """Return one result per partition, computed in threads.

        Parameters
        ----------
        task, shared, partitions, what
            As for `Engine.map_partitions`.
        """

        def call(number: int) -> R:
            partition = partitions[number]
            with naming_partition(partition):
                return task(shared, partition)

        return self._run(call, len(partitions), what)

    def map_blocks(
        self, task: Callable[[S, int, int], R], shared: S, draws: int, *, what: str = ""
    ) -> list[R]:
        """Process all draws in one block, because the core uses threads itself.

        Parameters
        ----------
        task, shared, draws, what
            As for `Engine.map_blocks`.
        """
        count = max(1, min(draws, seams().draw_blocks))
        found = []
        for k in range(count):
            found.append(task(shared, draws * k // count, draws * (k + 1) // count))
            self.report_progress(what, k + 1, count)
        return found

    def map_actors(
        self,
        make: Callable[[], Callable[[P], R]],
        partitions: Sequence[P],
        *,
        gpus: float = 0.0,
        what: str = "",
    ) -> list[R]:
        """Process partitions one after the other; a model uses all threads and devices itself.

        Parameters
        ----------
        make, partitions, gpus, what
            As for `Engine.map_actors`.
        """
        worker = make()
        found = []
        for done, partition in enumerate(partitions, 1):
            with naming_partition(partition):
                found.append(worker(partition))
            self.report_progress(what, done, len(partitions))
        return found

    def threads_for(self, partitions: int) -> int:
        """Return the threads per task, more than one if there are fewer tasks than threads.

        Parameters
        ----------
        partitions
            As for `Engine.threads_for`.
        """
        return max(1, self.workers // max(1, partitions))

    def _run(self, call: Callable[[int], R], count: int, what: str) -> list[R]:
        if count == 1 or self.workers == 1:
            found = []
            for number in range(count):
                found.append(call(number))
                self.report_progress(what, number + 1, count)
            return found
        return self._in_threads(call, count, what)

    def _in_threads(self, call: Callable[[int], R], count: int, what: str) -> list[R]:
        """Run calls in threads, each of which takes the next number.

        An interrupt may come at any moment. `wait` of concurrent.futures could then keep a lock
        forever; a SimpleQueue has none.
        """
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
                self.report_progress(what, done, count)
        finally:
            stopped = True
            for thread in threads:
                if thread.ident is not None:
                    thread.join()
        return results

    def __repr__(self) -> str:
        return f"Local(memory={self.memory}, threads={self.workers})"
