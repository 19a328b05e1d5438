"""Evaluation of the rankings of one system by the kernels; and engines by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tare import _kernels as kernels
from tare._data.judged import Judged, Policies
from tare._data.pools import Pools
from tare._kernels.random_numbers import check_seed
from tare._measures.evaluation import Evaluation
from tare._measures.measure import Measure
from tare.errors import OptionError, nearest

__all__ = [
    "ActorEngine",
    "ListingEngine",
    "RankingEngine",
    "RankingEvaluation",
    "Sampling",
    "TextEngine",
    "engine_names",
    "kernel_of",
    "opened_engine",
    "register_engine",
]


# Rankings of one system, and how values without a closed form are sampled.


MAX_SAMPLES = 1_000_000_000


@dataclass(frozen=True)
class Sampling:
    """Seed and limits for values of rankings without a closed form: few orders are enumerated, many sampled."""

    seed: int = 0
    samples: int = 10_000
    most_orders: int = 50_000

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if not 2 <= self.samples <= MAX_SAMPLES:
            raise OptionError(
                f"samples={self.samples} is not possible: 2 to {MAX_SAMPLES:,} can be drawn."
            )


def kernel_of(
    measure: Measure, levels: NDArray[np.float64], deepest: int = 0
) -> kernels.MeasureKernel:
    """Return the kernel of a ranking measure for these grades and this depth of the rankings."""
    definition = measure.definition
    assert definition.arguments is not None
    arguments = definition.arguments(measure, levels)
    gain = arguments.gain if arguments.gain is not None else np.zeros(len(levels))
    cutoff = int(measure.cutoff or 0) if definition.cutoff != "recall" else 0
    return kernels.MeasureKernel(
        arguments.kernel,
        cutoff,
        int(np.searchsorted(levels, max(arguments.rel, 0.0))),
        int(np.searchsorted(levels, 0.0)),
        np.ascontiguousarray(gain, dtype=np.float64),
        np.array(arguments.parameters, dtype=np.float64),
        arguments.discount,
        arguments.discount_parameter,
        deepest,
    )


class RankingEvaluation(Evaluation):
    """The values of one system's rankings, one per query; those with kernels are computed together."""

    def __init__(
        self,
        judged: Judged,
        sampling: Sampling,
        pools: Pools | None = None,
        resources: dict[Hashable, Any] | None = None,
    ) -> None:
        super().__init__(len(judged.items), resources)
        self.judged = judged
        self.sampling = sampling
        self.pools = pools or Pools()

    def prepare(self, measures: Iterable[Measure]) -> None:
        """Compute all ranking measures that have kernels, including inner measures, in one call."""
        wanted: dict[Measure, None] = {}
        for measure in measures:
            inner: Measure | None = measure
            while inner is not None:
                definition = inner.definition
                by_kernel = definition.arguments is not None and definition.derive is None
                if by_kernel and inner not in self._values:
                    wanted[inner] = None
                inner = inner.inner
        if not wanted:
            return
        qrels = self.judged.qrels
        deepest = int(max(self.judged.retrieved.max(initial=0), np.diff(qrels.pool_offsets).max()))
        rankings = self.judged.kernel_rankings
        values, errors = kernels.evaluate(
            rankings,
            qrels.pool_offsets,
            qrels.pool,
            self.judged.streams if len(rankings.lows) else None,
            [kernel_of(measure, qrels.levels, deepest) for measure in wanted],
            most_orders=self.sampling.most_orders,
            samples=self.sampling.samples,
            seed=self.sampling.seed,
        )
        sampled = bool(errors.any())
        for k, measure in enumerate(wanted):
            self.set_values(measure, values[k], errors[k] if sampled else None)

    def compute(self, measure: Measure) -> NDArray[np.float64]:
        """Compute a measure of one system's rankings: by its kernel, or as its definition derives it."""
        if measure.definition.derive is None:
            self.prepare([measure])
            return self._values[measure]
        return measure.definition.derive(self, measure)


# Engines by name, and what measures require of an engine.
#
# Engines lie above the measures and cannot be imported from here. Like the registry of measures, a
# static table gives the module of each name; the module is imported on first use.


E = TypeVar("E")


class RankingEngine(Protocol):
    """The methods of an engine that `evaluate` uses."""

    def rankings(
        self,
        source: Any,
        measures: tuple[Measure, ...],
        runs: Any,
        policies: Policies,
        progress: Callable[[str], None] | None = None,
    ) -> list[Judged]:
        """Join every run with the judgements that the measures need; a method of ranking engines."""
        ...


@runtime_checkable
class ListingEngine(Protocol):
    """An engine that joins runs with lists of candidates in another way than with judgements."""

    def listed(self, lists: Any, runs: Any) -> list[Judged]:
        """Join every run with the candidates."""
        ...


class ActorEngine(Protocol):
    """The methods of an engine that measures based on language models use."""

    @property
    def gpus(self) -> float:
        """The number of GPUs."""
        ...

    @property
    def resume(self) -> str | os.PathLike[str] | None:
        """A folder in which an engine keeps finished systems, with which a stopped job continues."""
        ...

    def map_actors(
        self,
        make: Callable[[], Callable[[Any], Any]],
        partitions: Sequence[Any],
        *,
        gpus: float = 0.0,
        what: str = "",
    ) -> list[Any]:
        """Return one result per partition; each worker of the engine calls `make` once and keeps its result."""
        ...


class TextEngine(ActorEngine, Protocol):
    """The methods of an engine that text measures use."""

    @property
    def workers(self) -> int:
        """The number of tasks that run at once."""
        ...

    def map_partitions(
        self, task: Callable[..., Any], shared: object, partitions: Sequence[Any], *, what: str = ""
    ) -> list[Any]:
        """Return one result of ``task(shared, partition)`` per partition."""
        ...

    def threads_for(self, partitions: int) -> int:
        """Return the number of threads that each task of the engine may use."""
        ...


_ENGINES = {"local": ("tare.engines._local", "Local"), "ray": ("tare.engines._ray", "Ray")}
_REGISTERED: dict[str, Callable[[], RankingEngine]] = {}


def engine_names() -> tuple[str, ...]:
    """Return the names of all engines."""
    return (*_ENGINES, *_REGISTERED)


def register_engine(name: str, make: Callable[[], RankingEngine]) -> None:
    """Make an engine available by name.

    Parameters
    ----------
    name
        The name to pass as `engine=`. It must not be in use.
    make
        A function without arguments that returns a new engine. It is called whenever the name is
        used, and the engine is closed afterwards if it has a method `close`.

    Raises
    ------
    OptionError
        If an engine of that name exists.

    Examples
    --------
    >>> from tare.engines import Local
    >>> register_engine("small", lambda: Local(memory="100MB", threads=1))
    >>> import tare
    >>> tare.evaluate({"q1": {"a": 1}}, {"q1": {"a": 3.0}}, "RR", engine="small").mean
    1.0
    """
    if name in engine_names():
        raise OptionError(f"an engine named {name!r} already exists; choose another name.")
    _REGISTERED[name] = make


@contextmanager
def opened_engine(engine: str | E | None) -> Iterator[E | None]:
    """Yield the engine of this name, or the one that was passed, for the work inside; None means this process without an engine.

    An engine given by name is made here, so it is closed at the end, also after an error. An engine
    that was passed belongs to the caller and stays open.
    """
    if not isinstance(engine, str):
        yield engine
        return
    made: Any = _made(engine)  # engines of `tare.engines` do the work of every protocol
    try:
        yield made
    finally:
        if (close := getattr(made, "close", None)) is not None:
            close()


def _made(name: str) -> Any:
    """Make the engine of a name."""
    if name in _REGISTERED:
        return _REGISTERED[name]()
    if name not in _ENGINES:
        accepted = ", ".join(f"'{known}'" for known in engine_names())
        raise OptionError(
            f"engine={name!r} is not known. Accepted: {accepted}.{nearest(name, engine_names())}"
        )
    module, kind = _ENGINES[name]
    return getattr(import_module(module), kind)()
