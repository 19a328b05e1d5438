"""References in a table cell: one text or several, and their authors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["Text", "authors_of", "group_of", "references_of", "text_of"]

Text = str | tuple[str, ...]


def references_of(value: Any) -> tuple[tuple[Text, ...], tuple[str, ...]]:
    """Return references and their authors, if given as {author: text} or [{author, text}, …].

    >>> references_of({"A": "The cat.", "B": "A cat."})
    (('The cat.', 'A cat.'), ('A', 'B'))
    """
    if isinstance(value, str) and value.lstrip().startswith("[{"):
        try:
            found = json.loads(value)
        except (ValueError, RecursionError):  # a text that begins with a bracket
            return (value,), ()
        if any(set(one) != {"author", "text"} for one in found):
            return (value,), ()
        value = found
    if isinstance(value, Mapping):
        known = {str(author): text_of(text) for author, text in value.items() if text is not None}
        return tuple(known.values()), tuple(known)
    if isinstance(value, list | tuple) and value and all(isinstance(v, Mapping) for v in value):
        if any("text" not in one for one in value):
            raise TypeError("expected references as texts or as {author, text}; 'text' is missing.")
        authors = tuple(str(one.get("author") or "") for one in value)
        return tuple(text_of(one["text"]) for one in value), authors if any(authors) else ()
    return group_of(value), ()


def authors_of(value: Any, references: tuple[Text, ...]) -> tuple[str, ...]:
    """Return the author of each reference, from a list or JSON in a cell."""
    if value is None:
        return ()
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.lstrip().startswith("[") else [value]
        except ValueError:
            value = [value]
    if not isinstance(value, list | tuple):
        raise TypeError(f"expected an author or a list of authors, found {value!r:.60}.")
    if len(value) != len(references):
        raise ValueError(
            f"{len(references)} references and {len(value)} authors; expected one per reference, in the "
            "same order."
        )
    return tuple("" if one is None else str(one) for one in value)


def group_of(value: Any) -> tuple[Text, ...]:
    """Return the references from one text, a list, or a JSON list in a cell."""
    if value is None:
        return ()
    if isinstance(value, str):
        if not value.lstrip().startswith("["):
            return (value,)
        try:
            listed_texts = json.loads(value)
            return tuple(text_of(one) for one in listed_texts)
        except (ValueError, TypeError, RecursionError):  # a text that begins with a bracket
            return (value,)
    if not isinstance(value, list | tuple):
        raise TypeError(f"expected a reference or a list of references, found {value!r:.60}.")
    return tuple(text_of(one) for one in value)


def text_of(value: Any) -> Text:
    """Return a text, or its sentences; None is an empty text."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
        return tuple(value)
    raise TypeError(f"expected a text or a list of sentences, found {value!r:.60}.")
