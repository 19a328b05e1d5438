"""Engines by name, and what measures require of an engine.

Engines lie above the measures and cannot be imported from here. Like the registry of measures, a
static table gives the module of each name; the module is imported on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

from tare._data.judged import Judged
from tare._data.policies import Policies
from tare._measures.measure import Measure
from tare.errors import OptionError, nearest

__all__ = [
    "ActorEngine",
    "ListingEngine",
    "RankingEngine",
    "TextEngine",
    "engine_names",
    "register_engine",
    "resolve_engine",
]


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
        """Join every run with the judgements that the measures need."""
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

    def map_actors(
        self,
        make: Callable[[], Callable[[Any], Any]],
        partitions: Sequence[Any],
        *,
        gpus: float = 0.0,
        what: str = "",
    ) -> list[Any]:
        """Return one result per partition; each worker calls `make` once and keeps its result."""
        ...


class TextEngine(ActorEngine, Protocol):
    """The methods of an engine that text measures use."""

    @property
    def memory(self) -> int:
        """The memory in bytes for all tasks of one machine."""
        ...

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
        """Return the number of threads that each task may use."""
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
        A function without arguments that returns the engine. It is called once per evaluation.

    Raises
    ------
    OptionError
        If an engine of that name exists.

    Examples
    --------
    >>> from tare.engines import Local
    >>> register_engine("small", lambda: Local(memory="100MB", threads=1))
    >>> resolve_engine("small")
    Local(memory=100000000, threads=1)
    """
    if name in engine_names():
        raise OptionError(f"an engine named {name!r} already exists; choose another name.")
    _REGISTERED[name] = make


def resolve_engine(engine: str | RankingEngine | None) -> RankingEngine | None:
    """Return the engine of a name; None means this process without an engine."""
    if not isinstance(engine, str):
        return engine
    if engine in _REGISTERED:
        return _REGISTERED[engine]()
    if engine not in _ENGINES:
        accepted = ", ".join(f"'{name}'" for name in engine_names())
        raise OptionError(
            f"engine={engine!r} is not known. Accepted: {accepted}.{nearest(engine, engine_names())}"
        )
    module, name = _ENGINES[engine]
    made: RankingEngine = getattr(import_module(module), name)()
    return made
