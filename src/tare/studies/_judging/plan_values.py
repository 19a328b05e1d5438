"""Values of a plan: tables, lists and values of the right type, with the key in every message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, time
from typing import Any

from tare.errors import OptionError, nearest

__all__ = ["check_values", "list_of_tables", "table"]

Kinds = Mapping[str, str]
FORMS = {
    "text": "text in quotation marks",
    "texts": "text in quotation marks, or a list of texts",
    "list": "a list in square brackets",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "tables": "a list of tables",
    "anything": "a value",
}


def table(given: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a table of the plan; empty if it is missing."""
    found = given.get(name, {})
    if not isinstance(found, Mapping):
        raise OptionError(f"{name}: expected a table, written as [{name}], found {_shown(found)}.")
    return found


def list_of_tables(given: Mapping[str, Any], name: str) -> Sequence[Mapping[str, Any]]:
    """Return a list of tables of the plan; empty if it is missing."""
    found = given.get(name, ())
    if not isinstance(found, list | tuple) or any(not isinstance(x, Mapping) for x in found):
        raise OptionError(
            f"{name}: expected tables, each written as [[{name}]], found {_shown(found)}."
        )
    return found


def check_values(
    given: Mapping[str, Any], kinds: Kinds, where: str, required: Sequence[str] = ()
) -> None:
    """Raise if a table has an unknown key, a value of another type, or lacks a key.

    where: the name of the table in messages.
    """
    for name, value in given.items():
        key = f"{where}.{name}" if where else name
        if name not in kinds:
            raise OptionError(
                f"unknown key {key!r}. Accepted: {', '.join(kinds)}.{nearest(name, list(kinds))}"
            )
        if not _fits(value, kinds[name]):
            raise OptionError(f"{key}: expected {FORMS[kinds[name]]}, found {_shown(value)}.")
    for name in required:
        if name not in given:
            key = f"{where}.{name}" if where else name
            raise OptionError(f"{key} is missing; expected {FORMS[kinds[name]]}.")


def _fits(value: Any, kind: str) -> bool:
    whole = isinstance(value, int) and not isinstance(value, bool)
    fits = {
        "text": isinstance(value, str),
        "texts": isinstance(value, str) or _texts(value),
        "list": isinstance(value, list | tuple)
        and not any(isinstance(x, Mapping | list) for x in value),
        "integer": whole,
        "number": whole or isinstance(value, float),
        "boolean": isinstance(value, bool),
        "tables": isinstance(value, list | tuple) and all(isinstance(x, Mapping) for x in value),
        "anything": not isinstance(value, Mapping | list | tuple),
    }
    return fits[kind]


def _texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(x, str) for x in value)


def _shown(value: Any) -> str:
    """Return a value as TOML writes it, shortened."""
    text = _written(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, Mapping):
        pairs = (f"{_key(name)} = {_written(kept)}" for name, kept in value.items())
        return f"{{{', '.join(pairs)}}}"
    return repr(value)


def _key(name: str) -> str:
    bare = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if bare else f'"{name}"'
