"""Texts with the words of a query marked, as safe HTML."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from tare._plain_text import plain_lines

__all__ = ["marked"]

WORD = re.compile(r"\w+")
MIN_LETTERS = 2
STOP = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "by",
        "do",
        "does",
        "for",
        "from",
        "how",
        "in",
        "is",
        "it",
        "of",
        "on",
        "or",
        "that",
        "the",
        "to",
        "was",
        "what",
        "when",
        "where",
        "which",
        "who",
        "why",
        "will",
        "with",
    ]
)


def marked(text: str, query: str, limit: int = 0) -> Markup:
    """Return a text with the words of the query in `<mark>`; everything else is escaped.

    >>> marked("The <b>cats</b> sat", "cat cats?")
    Markup('The &lt;b&gt;<mark>cats</mark>&lt;/b&gt; sat')
    """
    cut = limit and len(text) > limit
    shown = plain_lines((text[:limit] if cut else text).replace("\t", " ").replace("\r", ""))
    words = {w.lower() for w in WORD.findall(query) if len(w) >= MIN_LETTERS}
    words = (words - STOP) or words
    parts: list[str] = []
    at = 0
    for found in WORD.finditer(shown):
        if found[0].lower() in words:
            parts += [
                escape(shown[at : found.start()]),
                Markup("<mark>"),
                escape(found[0]),
                Markup("</mark>"),
            ]
            at = found.end()
    parts.append(escape(shown[at:]))
    return Markup("").join(parts) + ("…" if cut else "")
