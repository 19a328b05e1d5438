"""Engines by name, and what measures require of an engine.

Engines lie above the measures and cannot be imported from here. Like the registry of measures, a
static table gives the module of each name; the module is imported on first use.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Protocol, TypeVar, runtime_checkable

from tare._data.judged import Judged, Policies
from tare._measures.measure import Measure
from tare.errors import OptionError, nearest

__all__ = [
    "ActorEngine",
    "ListingEngine",
    "RankingEngine",
    "TextEngine",
    "engine_names",
    "opened_engine",
    "register_engine",
]

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

    @property
    def resume(self) -> str | os.PathLike[str] | None:
        """A folder for finished systems, with which a stopped job continues."""
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
    """Yield the engine for the work inside; None means this process without an engine.

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
