"""Addresses of objects among the words of a call: paths of options keep them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tare._stores.addresses import QUERY, ObjectPath, is_address, is_like_address, refuse_query

if TYPE_CHECKING:
    from cyclopts import App

__all__ = ["called", "refuse_queries", "without_queries"]


def refuse_queries(argv: Sequence[str]) -> None:
    """Raise if the address of a bucket contains a query, before any word of the call is printed."""
    for word in _words(argv):
        refuse_query(word)


def without_queries(text: str, argv: Sequence[str]) -> str:
    """Return a message without the queries of the addresses of a call, which may be signatures.

    >>> without_queries("http://host/a?sig=0f3a: no such file", ["score", "http://host/a?sig=0f3a"])
    'http://host/a: no such file'
    """
    for word in filter(is_like_address, _words(argv)):
        if (found := QUERY.search(word)) and len(query := word[found.start() :]) > 1:
            text = text.replace(query, "")
    return text


def _words(argv: Sequence[str]) -> set[str]:
    """Return the words of a call, and the values of options that are written with =."""
    return {word for given in argv for word in (given, given.partition("=")[2])}


def called(app: App, argv: Sequence[str]) -> Any:
    """Run the verb of a call; a path that was given as an address is an `ObjectPath`.

    A plain path would turn s3://bucket into the local folder s3:/bucket.
    """
    given = {Path(word): ObjectPath(word) for word in _words(argv) if is_address(word)}
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
