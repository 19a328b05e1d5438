"""Matched words of two texts: shared n-grams, or a longest common subsequence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markupsafe import Markup, escape

from tare._plain_text import plain_lines

__all__ = ["common_subsequence", "marked_words", "shared_ngrams", "words_of"]

WORD = re.compile(r"\w+")
MAX_CELLS = 1_000_000  # of the table that finds a longest common subsequence


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case.

    >>> words_of("The cat sat.")
    ['the', 'cat', 'sat']
    """
    return [word.lower() for word in WORD.findall(text)]


def shared_ngrams(words: Sequence[str], others: Sequence[Sequence[str]], size: int) -> set[int]:
    """Return the places of words that are part of an n-gram of another text.

    >>> sorted(shared_ngrams(["a", "b", "c"], [["b", "c", "d"]], 2))
    [1, 2]
    """
    known = {tuple(other[k : k + size]) for other in others for k in range(len(other) - size + 1)}
    found: set[int] = set()
    for k in range(len(words) - size + 1):
        if tuple(words[k : k + size]) in known:
            found |= set(range(k, k + size))
    return found


def common_subsequence(words: Sequence[str], other: Sequence[str]) -> set[int] | None:
    """Return the places of words in a longest common subsequence; None if the texts are too long.

    >>> sorted(common_subsequence(["a", "x", "b"], ["a", "b", "x"]))
    [0, 2]
    """
    if len(words) * len(other) > MAX_CELLS:
        return None
    lengths = [[0] * (len(other) + 1) for _ in range(len(words) + 1)]
    for i in range(len(words) - 1, -1, -1):
        row, below, word = lengths[i], lengths[i + 1], words[i]
        for j in range(len(other) - 1, -1, -1):
            row[j] = below[j + 1] + 1 if word == other[j] else max(below[j], row[j + 1])
    found: set[int] = set()
    i = j = 0
    while i < len(words) and j < len(other):
        if words[i] == other[j] and lengths[i][j] == lengths[i + 1][j + 1] + 1:
            found.add(i)
            i, j = i + 1, j + 1
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            i += 1
        else:
            j += 1
    return found


def marked_words(text: str, places: set[int]) -> Markup:
    """Return a text with the words at some places in `<mark>`; everything else is escaped.

    >>> marked_words("The <cat> sat", {1})
    Markup('The &lt;<mark>cat</mark>&gt; sat')
    """
    parts: list[Markup] = []
    at = 0
    for number, found in enumerate(WORD.finditer(text)):
        if number in places:
            parts += [
                _safe(text[at : found.start()]),
                Markup("<mark>"),
                _safe(found[0]),
                Markup("</mark>"),
            ]
            at = found.end()
    parts.append(_safe(text[at:]))
    return Markup("").join(parts)


def _safe(text: str) -> Markup:
    return escape(plain_lines(text.replace("\t", " ").replace("\r", "")))
