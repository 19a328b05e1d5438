"""Addresses of objects among the words of a call: paths of options keep them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tare._stores.addresses import ObjectPath, is_address

if TYPE_CHECKING:
    from cyclopts import App

__all__ = ["called"]


def called(app: App, argv: Sequence[str]) -> Any:
    """Run the verb of a call; a path that was given as an address is an `ObjectPath`.

    A plain path would turn s3://bucket into the local folder s3:/bucket.
    """
    words = {word for given in argv for word in (given, given.partition("=")[2])}
    given = {Path(word): ObjectPath(word) for word in words if is_address(word)}
    command, bound, _ = app.parse_args(argv, print_error=False)
    for name, value in bound.arguments.items():
        bound.arguments[name] = _kept(value, given)
    return command(*bound.args, **bound.kwargs)


def _kept(value: Any, given: Mapping[Path, ObjectPath]) -> Any:
    if isinstance(value, Path):
        return given.get(value, value)
    if is_dataclass(value) and not isinstance(value, type):
        held = {each.name: getattr(value, each.name) for each in fields(value)}
        changed = {name: _kept(one, given) for name, one in held.items() if isinstance(one, Path)}
        return replace(value, **changed) if changed else value
    return value
