"""Options of the audit that name judges or systems: maps, cuts and attributes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from tare._data import frames
from tare._data.columns import recognise
from tare._data.findings import Frame
from tare._data.labels import LabelSet, LabelSource
from tare._data.rows import TABLES
from tare._files.opening import PathLike, name_of, plain_suffix
from tare.errors import FormatError, MismatchError, OptionError, nearest

__all__ = [
    "Cuts",
    "Groups",
    "GroupsInput",
    "LabelSources",
    "Maps",
    "for_each_judge",
    "groups_of",
    "sources_of",
]

Maps = Mapping[float, float] | Mapping[str, Mapping[float, float]]
"""{label: grade} for all judges on another scale, or {judge: {label: grade}}."""

Cuts = float | Mapping[str, float]
"""The lowest label that counts as relevant, for all judges on another scale or by judge."""

Groups = Mapping[str, str]

GroupsInput: TypeAlias = "Groups | PathLike | Frame"
"""The attribute of each system: {system: value}, or a table with the column system."""


def sources_of(given: Any) -> list[Any]:
    """Return one or several sources as a list; {name: source} names them."""
    from tare._data.labels import read_labels

    if isinstance(given, Mapping) and given:
        parts = list(given.values())
        inner = [next(iter(p.values()), None) for p in parts if isinstance(p, Mapping)]
        if len(inner) < len(parts) or all(isinstance(x, Mapping) for x in inner):
            return [
                found
                for name, source in given.items()
                for found in read_labels(source, name=str(name))
            ]
    if isinstance(given, list | tuple):
        return list(given)
    return [given]


def for_each_judge(given: Any, judges: Sequence[LabelSet], option: str) -> dict[str, Any]:
    """Return the value of an option by judge; None is the key of all judges that are not named."""
    if given is None:
        return {}
    names = [j.name for j in judges]
    named = isinstance(given, Mapping) and all(isinstance(key, str) for key in given)
    if not named:
        return dict.fromkeys(names, given)
    for name in given:
        if name not in names:
            raise OptionError(
                f"{option}: there is no judge {name!r}; there are {', '.join(names)}."
                f"{nearest(name, names)}"
            )
    return dict(given)


def groups_of(
    given: GroupsInput, attribute: str | None, systems: Sequence[str]
) -> tuple[Groups, str]:
    """Return the value of an attribute of each system, and the name of the attribute."""
    if isinstance(given, Mapping):
        found, name = {str(k): str(v) for k, v in given.items()}, attribute or "group"
    else:
        found, name = _of_table(given, attribute)
    missing = [s for s in systems if s not in found]
    if missing:
        raise MismatchError(
            f"{len(missing):,} systems have no {name}, such as {missing[0]!r}. Add them to the table of "
            "systems."
        )
    values = {found[s] for s in systems}
    if len(values) < 2:
        raise MismatchError(f"all systems have the same {name}, {min(values)!r}; two are needed.")
    return found, name


def _of_table(given: Any, attribute: str | None) -> tuple[dict[str, str], str]:
    if isinstance(given, str | os.PathLike):
        shown, suffix = name_of(given), plain_suffix(given)
        if suffix not in TABLES:
            raise FormatError(
                f"{shown}: attributes of systems are read from {', '.join(TABLES)} with the columns system "
                "and the attribute."
            )
        frame = TABLES[suffix].read(given)
    elif frames.is_frame(given):
        shown, frame = "data frame", frames.to_polars(given)
    else:
        raise FormatError(
            f"attributes of systems cannot be read from a {type(given).__name__}. Accepted: "
            "{system: value}, a table."
        )
    system = recognise(frame.columns, ["system"], shown)["system"]
    others = [c for c in frame.columns if c != system]
    if attribute is None and len(others) == 1:
        attribute = others[0]
    if attribute is None or attribute not in others:
        raise OptionError(
            f"{shown} has no column {attribute!r}; there are {', '.join(others) or 'none'}. Name one with "
            f"group=…, --group.{nearest(str(attribute), others)}"
        )
    made = {str(s): str(v) for s, v in frame.select(system, attribute).iter_rows()}
    return made, attribute


LabelSources: TypeAlias = "LabelSource | Sequence[LabelSource] | Mapping[str, LabelSource]"
"""One source of labels, several, or {name: source}."""
