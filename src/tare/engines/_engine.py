"""The interface of engines: three ways to distribute work, and the memory to use."""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self, TypeVar

from tare._data.judged import Judged, Policies
from tare._data.qrels import Qrels
from tare._measures.inputs import QrelsInput, RunsInput
from tare._measures.measure import Measure
from tare._plain_text import plain
from tare.errors import EngineError, OptionError, TareError

__all__ = [
    "Engine",
    "Progress",
    "budget_of",
    "format_size",
    "half_of_memory",
    "naming_partition",
    "partition_error",
]


# Memory: the amount available, and the limit to use.


UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
UNKNOWN = 2 << 30  # if the size of the memory is unknown


def half_of_memory() -> int:
    """Return half of the memory of this machine or container."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        total = 2 * UNKNOWN
    for path in LIMITS:
        try:
            total = min(total, int(Path(path).read_text()))
        except (OSError, ValueError):  # no container, or one without a limit ("max")
            continue
    return total // 2


def budget_of(memory: int | str | None) -> int:
    """Return a memory limit in bytes, given as a number or text; None is half of the memory.

    >>> budget_of("1.5 GB"), budget_of("512MiB"), budget_of(1000)
    (1500000000, 536870912, 1000)
    """
    if memory is None:
        return half_of_memory()
    if isinstance(memory, int):
        number = memory
    else:
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", memory.lower())
        if found is None:
            raise OptionError(
                f"memory={memory!r} is not an amount of memory. Accepted: bytes, or a number with a "
                "unit, such as '800MB', '1.5GB' or '2GiB'."
            )
        digits, unit, binary = found.groups()
        if binary and not unit:
            raise OptionError(
                f"memory={memory!r} is not an amount of memory; did you mean a unit such as '2GiB'?"
            )
        base = 1024 ** "kmgt".index(unit) * 1024 if binary else UNITS[unit]
        number = int(float(digits) * base)
    if number < 1:
        raise OptionError(f"memory={memory!r} is not possible: at least one byte is needed.")
    return number


def format_size(amount: int) -> str:
    """Return an amount of memory as text.

    >>> format_size(3_240_000_000), format_size(512)
    ('3.2 GB', '512 bytes')
    """
    for unit, size in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if amount >= size:
            return f"{amount / size:.1f} {unit}"
    return f"{amount} bytes"


# Errors of a task, with the name of its partition.


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
    """Return the error of a task on one partition of the data, with the name of the partition."""
    if isinstance(error, TareError):
        return error
    if isinstance(error, OSError) and error.strerror and error.filename:  # a full disk, for example
        return EngineError(
            f"{partition}: {error.strerror}: {plain(os.fspath(error.filename))}. Nothing was scored."
        )
    return EngineError(
        f"{partition}: this part could not be processed ({type(error).__name__}: {error}). "
        "Nothing was scored; repair or remove this part, and try again."
    )


# The interface of engines: three ways to distribute work.


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
        """Release all resources of the engine, which cannot be used afterwards."""

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
        from tare.engines._judged_runs import rankings

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
        from tare.engines._judged_runs import rankings

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
