"""Addresses among the words of a call: what may give access to an object is not printed."""

from __future__ import annotations

from collections.abc import Sequence

from tare._files.addresses import QUERY, is_like_address, refuse_query

__all__ = ["refuse_queries", "without_queries"]


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
