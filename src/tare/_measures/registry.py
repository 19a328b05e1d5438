"""The registry: measures and groups by name, each loaded from its module on first use.

What a name means is fixed by the static table in `catalogue`, so it does not depend on which
modules were imported. Only measures defined by the user are added at run time.
"""

from __future__ import annotations

from importlib import import_module

from tare._measures import catalogue
from tare._measures.definition import Definition
from tare.errors import MeasureError

__all__ = [
    "definitions",
    "find",
    "find_group",
    "groups",
    "known_names",
    "register",
    "registered_names",
]

_MODULES = {name: module for module, names in catalogue.MEASURES.items() for name in names}
_ALIASES = {
    alias: name
    for names in catalogue.MEASURES.values()
    for name, aliases in names.items()
    for alias in aliases
}
_LOADED: dict[str, Definition] = {}
_REGISTERED: dict[str, Definition] = {}  # at run time, by name and by alias


def find(name: str) -> Definition | None:
    """Return the definition of a name or alias, or None if it is unknown."""
    name = _ALIASES.get(name, name)
    module = _MODULES.get(name)
    if module is None:
        return _REGISTERED.get(name)
    if name not in _LOADED:
        _LOADED.update({d.name: d for d in import_module(module).DEFINITIONS})
    return _LOADED[name]


def find_group(name: str) -> tuple[str, ...] | None:
    """Return the members of a group of measures, or None if there is no such group."""
    module = catalogue.GROUPS.get(name)
    return None if module is None else tuple(import_module(module).GROUP)


def definitions() -> list[Definition]:
    """Return all definitions: those of the table in its order, then those of the user."""
    listed = [definition for definition in map(find, _MODULES) if definition is not None]
    return [*listed, *dict.fromkeys(_REGISTERED.values())]


def groups() -> dict[str, tuple[str, ...]]:
    """Return the members of every group by the group's name."""
    return {name: tuple(import_module(module).GROUP) for name, module in catalogue.GROUPS.items()}


def known_names() -> list[str]:
    """Return every name, alias and group without loading a measure."""
    return [*_MODULES, *_REGISTERED, *_ALIASES, *catalogue.GROUPS]


def registered_names() -> list[str]:
    """Return the names and aliases that were added at run time."""
    return list(_REGISTERED)


def register(entry: Definition) -> None:
    """Add a definition at run time; its name and aliases must be new."""
    if find(entry.name) is entry:
        return
    for name in (entry.name, *entry.aliases):
        if find(name) is not None or name in catalogue.GROUPS:
            raise MeasureError(f"a measure named {name!r} already exists; choose another name.")
    for name in (entry.name, *entry.aliases):
        _REGISTERED[name] = entry
