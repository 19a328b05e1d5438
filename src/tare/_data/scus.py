"""Content units of summaries: from pyramids, annotated peers or answers of assessors."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from tare._data.inputs import Frame
from tare._data.pyramid import Contributor, PeerAnnotation, Pyramid, Scu, read_peer, read_pyramid
from tare._data.scu_presence import majority, read_presence
from tare._files.opening import PathLike, plain_suffix
from tare.errors import FormatError

__all__ = ["Scus", "read_scus", "scus_of_objects"]

Scus = Pyramid | PeerAnnotation
"""The units of an item, or those found in the text of one system."""

ScusSource: TypeAlias = "PathLike | Frame | Scus | Mapping[Any, Any] | Iterable[Any]"
"""A file, a data frame, units, answers by (system, item), or several of these."""
KEYS = ("scu", "id", "label", "weight", "present", "contributors")


def read_scus(source: ScusSource) -> list[Scus]:
    """Read pyramids and annotations from files (.pyr, .pan, tables of answers) or objects."""
    if isinstance(source, Pyramid | PeerAnnotation):
        return [source]
    if isinstance(source, str | os.PathLike):
        suffix = plain_suffix(source)
        if suffix == ".pan":
            return [read_peer(source)]
        return [read_pyramid(source)] if suffix == ".pyr" else _of_presence(read_presence(source))
    if isinstance(source, Mapping):
        return _of_presence(source)
    if isinstance(source, Iterable) and not hasattr(source, "columns"):
        return [found for part in source for found in read_scus(part)]
    return _of_presence(read_presence(source))


def scus_of_objects(given: Any, system: str, item: str, references: int) -> Scus:
    """Return the units of one text from a list of {scu, weight, present, contributors}.

    Without any `present` they are the pyramid of the item. `present` is true or false, or a list
    with the answer of each assessor; `contributors` are texts, or lists of their parts.

    >>> scus_of_objects([{"scu": "1", "weight": 2, "present": True}], "s", "d", 3).size
    1
    """
    if isinstance(given, str):  # in a cell of a table without lists
        try:
            given = json.loads(given)
        except RecursionError:
            raise ValueError("scus are nested too deep.") from None
    if not isinstance(given, list | tuple) or not all(isinstance(unit, Mapping) for unit in given):
        raise TypeError(f"scus are a list of {{scu, weight, present}}; found {given!r:.60}.")
    scus: list[Scu] = []
    found: dict[str, tuple[Contributor, ...]] = {}
    for number, unit in enumerate(given, 1):
        unknown = [key for key in unit if key not in KEYS]
        if unknown:
            raise ValueError(f"an SCU has {', '.join(KEYS)}; found {unknown[0]!r}.")
        name = str(unit.get("scu", unit.get("id", number)))
        weight = unit.get("weight") or 1
        if not isinstance(weight, int | float) or not 0 <= weight < 1e15 or weight != int(weight):
            raise ValueError(
                f"SCU {name}: the weight must be a whole number; found {weight!r:.60}."
            )
        contributors = tuple(_contributor(part) for part in unit.get("contributors") or ())
        scus.append(Scu(name, str(unit.get("label") or name), int(weight), contributors))
        if _present(unit.get("present"), name):
            found[name] = ()
    pyramid = Pyramid(item, tuple(scus), references or max((s.weight for s in scus), default=1))
    if all(unit.get("present") is None for unit in given):
        return pyramid
    return PeerAnnotation(item, system, pyramid, found, 0)


def _contributor(given: Any) -> Contributor:
    parts = (given,) if isinstance(given, str) else tuple(given)
    if not all(isinstance(part, str) for part in parts):
        raise TypeError(
            f"a contributor must be a text or a list of its parts; found {given!r:.60}."
        )
    return Contributor(" … ".join(parts), parts)


def _present(given: Any, name: str) -> bool:
    votes = list(given) if isinstance(given, list | tuple) else [given]
    if not all(vote in (None, True, False) for vote in votes):
        raise ValueError(f"SCU {name}: present must be true or false; found {given!r:.60}.")
    return majority(bool(vote) for vote in votes)


def _of_presence(presence: Mapping[Any, Any]) -> list[Scus]:
    """Return annotations from answers: units have weight 1, and are present by majority."""
    if not isinstance(presence, Mapping) or not all(
        isinstance(u, Mapping) for u in presence.values()
    ):
        raise FormatError("answers must be {(system, item): {SCU: [answer of each assessor]}}.")
    made: list[Scus] = []
    for (system, item), units in presence.items():
        pyramid = Pyramid(item, tuple(Scu(scu, scu, 1) for scu in units), 1)
        found: dict[str, tuple[Contributor, ...]] = {
            scu: () for scu, votes in units.items() if majority(votes)
        }
        made.append(PeerAnnotation(item, system, pyramid, found, 0))
    return made
