"""Sentences of a text: as given, by lines, or by rules; nothing is ever fetched."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tare.errors import choose

__all__ = ["SPLITTERS", "split", "split_all"]

SPLITTERS = ("given", "rules")
"""given: lists as they are, and a string's lines; rules: those lines split further."""

END = re.compile(r"(?<=[.!?…])[\"'”’»)\]]*\s+|(?<=[。！？])[”’」』）]*\s*|\n+")
ABBREVIATIONS = (
    " mr mrs ms dr prof sen rep gov gen col lt sgt capt cmdr maj hon rev st jr sr vs etc inc ltd "
    "co corp no vol fig figs eq al cf e.g i.e approx dept est jan feb mar apr jun jul aug sep "
    "sept oct nov dec mon tue wed thu fri sat sun u.s u.k u.n a.m p.m ca pp "
)
LAST_WORD = re.compile(r"([^\s(\[\"'“‘]+)\.$")


def split(text: str | Sequence[str]) -> list[str]:
    """The sentences of a text by rules: after . ! ? … and before a blank, and at line ends.

    No sentence ends after an abbreviation or an initial, nor before a small letter.

    >>> split("Dr. Who met Mr. J. Smith at 3 p.m. on Monday. He left. Why?")
    ['Dr. Who met Mr. J. Smith at 3 p.m. on Monday.', 'He left.', 'Why?']
    """
    if not isinstance(text, str):
        return list(text)
    sentences: list[str] = []
    start = 0
    for match in END.finditer(text):
        piece = text[start : match.end()].strip()
        if "\n" not in match.group() and not _ends(piece, text[match.end() : match.end() + 1]):
            continue
        if piece:
            sentences.append(piece)
        start = match.end()
    if rest := text[start:].strip():
        sentences.append(rest)
    return sentences


def split_all(
    texts: Sequence[str | Sequence[str]], splitter: str
) -> list[str] | list[str | Sequence[str]] | list[list[str]]:
    """All texts, split by the splitter of this name."""
    choose("sentences", splitter, SPLITTERS)
    return list(texts) if splitter == "given" else [split(text) for text in texts]


def _ends(piece: str, following: str) -> bool:
    if following and following.islower():
        return False
    word = LAST_WORD.search(piece)
    if word is None:
        return True
    last = word.group(1)
    return not (f" {last.lower()} " in ABBREVIATIONS or (len(last) == 1 and last.isupper()))
