"""Where runs are joined with judgements: in this process, or by an engine known by its name.

Engines lie above the measures and cannot be imported from here; `tare.engines` makes its own known
when it is imported, as `tare.chance` does with its measures.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from tare._data.judged import Judged, Policies
from tare._measures.measure import Measure
from tare.errors import OptionError, nearest

__all__ = ["Actors", "Placement", "known_places", "offer_place", "placed"]


class Placement(Protocol):
    """What `evaluate` asks of an engine."""

    def rankings(
        self,
        source: Any,
        measures: tuple[Measure, ...],
        runs: Any,
        policies: Policies,
        progress: Callable[[str], None] | None = None,
    ) -> list[Judged]:
        """Every run joined with the judgements that the measures need, as this process would."""
        ...


class Actors(Protocol):
    """What measures by a model ask of an engine."""

    @property
    def gpus(self) -> float:
        """How many GPUs it has."""
        ...

    def map_actors(
        self,
        make: Callable[[], Callable[[Any], Any]],
        partitions: Sequence[Any],
        *,
        gpus: float = 0.0,
        what: str = "",
    ) -> list[Any]:
        """One result a partition, by workers that each call `make` once and keep what it made."""
        ...


_MAKERS: dict[str, Callable[[], Placement]] = {}


def offer_place(name: str, maker: Callable[[], Placement]) -> None:
    """Makes an engine known by a name."""
    _MAKERS[name] = maker


def known_places() -> tuple[str, ...]:
    """The names of engines."""
    return tuple(_MAKERS)


def placed(engine: str | Placement | None) -> Placement | None:
    """The engine that is meant; None is this process itself."""
    if not isinstance(engine, str):
        return engine
    if engine not in _MAKERS:
        known = ", ".join(f"'{name}'" for name in _MAKERS) or "none; import tare.engines first"
        raise OptionError(
            f"engine={engine!r} is not known. Accepted: {known}.{nearest(engine, _MAKERS)}"
        )
    return _MAKERS[engine]()
