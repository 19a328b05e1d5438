"""The interface of engines: three ways to distribute work."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Self, TypeVar

from tare._data.judged import Judged, Policies
from tare._data.qrels import Qrels
from tare._measures.inputs import QrelsInput, RunsInput
from tare._measures.measure import Measure

__all__ = ["Engine", "Progress"]

P = TypeVar("P")
R = TypeVar("R")
S = TypeVar("S")

Progress = Callable[
    [str, int, int], None
]  # called with the task, the number of finished parts, and their total


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
    machines
        The number of machines that run tasks.
    memory
        The memory in bytes for the rows of all tasks, on all machines together.
    on_progress
        A function that is called with the name of the task, the number of finished parts and their
        total after each part.
    resume
        A folder for finished parts of `tare.evaluate` and finished systems of `tare.evaluate_texts`,
        with which a stopped job continues. Of rankings, a folder holds the parts of one job; other
        judgements, runs or options need another folder.

    Examples
    --------
    >>> from tare.engines import Engine, Local
    >>> engine = Local(threads=1)
    >>> isinstance(engine, Engine), engine.name, engine.workers
    (True, 'local', 1)
    >>> engine.map_partitions(lambda shared, part: shared + part, 10, [1, 2])
    [11, 12]
    """

    name: str = ""
    workers: int = 1
    gpus: float = 0.0
    machines: int = 1
    memory: int = 0
    on_progress: Progress | None = None
    resume: str | os.PathLike[str] | None = None

    @abstractmethod
    def map_partitions(
        self,
        task: Callable[..., R],
        shared: object,
        partitions: Sequence[object],
        *,
        what: str = "",
    ) -> list[R]:
        """Run a task for each partition of the data.

        Parameters
        ----------
        task
            A function that is called as ``task(shared, partition)``.
        shared
            Data that all tasks need.
        partitions
            The parts of the data.
        what
            The name of the task for progress reports.

        Returns
        -------
        list
            One result per partition, in order. An error names its partition.
        """

    @abstractmethod
    def map_blocks(
        self, task: Callable[[S, int, int], R], shared: S, draws: int, *, what: str = ""
    ) -> list[R]:
        """Run a task for consecutive blocks of random draws.

        Parameters
        ----------
        task
            A function that is called as ``task(shared, first, last)``.
        shared
            Data that all tasks need.
        draws
            The number of draws.
        what
            The name of the task for progress reports.

        Returns
        -------
        list
            One result per block, in order.
        """

    @abstractmethod
    def map_actors(
        self,
        make: Callable[[], Callable[[P], R]],
        partitions: Sequence[P],
        *,
        gpus: float = 0.0,
        what: str = "",
    ) -> list[R]:
        """Run partitions on workers that keep a state, such as a model.

        Parameters
        ----------
        make
            A function without arguments that each worker calls once. It returns the function that
            is called with each partition.
        partitions
            The parts of the data.
        gpus
            The number of GPUs per worker.
        what
            The name of the task for progress reports.

        Returns
        -------
        list
            One result per partition, in order.
        """

    def close(self) -> None:  # noqa: B027 (most engines hold nothing)
        """Release all resources; the engine cannot be used afterwards."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def rankings(
        self,
        source: QrelsInput,
        measures: tuple[Measure, ...],
        runs: RunsInput,
        policies: Policies,
        progress: Callable[[str], None] | None = None,
    ) -> list[Judged]:
        """Join runs with judgements on this engine; `tare.evaluate` calls it.

        Parameters
        ----------
        source
            The judgements.
        measures
            The measures, which determine the kind of judgements.
        runs
            The runs.
        policies
            How runs are read.
        progress
            A function that is called with the name of each run.

        Returns
        -------
        list of Judged
            One entry per run.
        """
        from tare.engines._rankings import rankings

        if self.resume is not None:
            from tare.engines._resume import resumed_rankings

            return resumed_rankings(self, source, measures, runs, policies, progress)
        return rankings(self, source, measures, runs, policies, progress)

    def listed(self, lists: Qrels, runs: RunsInput) -> list[Judged]:
        """Join runs with lists of candidates on this engine; `tare.evaluate` calls it.

        Parameters
        ----------
        lists
            The candidates, as judgements.
        runs
            The runs.

        Returns
        -------
        list of Judged
            One entry per run. No parts are kept in `resume`.
        """
        from tare._measures.names import parse
        from tare.engines._rankings import rankings

        return rankings(self, lists, (parse("P@1"),), runs, Policies())

    def threads_for(self, partitions: int) -> int:
        """Return the number of threads that each task may use.

        Parameters
        ----------
        partitions
            The number of tasks.

        Returns
        -------
        int
            1 or more.
        """
        return 1

    def report_progress(self, what: str, done: int, total: int) -> None:
        """Call `on_progress`, if it is set.

        Parameters
        ----------
        what
            The name of the task.
        done
            The number of finished parts.
        total
            The number of parts.
        """
        if self.on_progress is not None:
            self.on_progress(what, done, total)
