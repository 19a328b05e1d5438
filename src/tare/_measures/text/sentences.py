"""Sentences of a text: as given, by lines, or by rules; nothing is downloaded."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from tare._measures.text.findings_by_cell import CellFinding
from tare.errors import choose

__all__ = ["SPLITTERS", "split", "split_all", "unsplit"]

SPLITTERS = ("given", "rules")
"""given: lists as they are, and a string's lines; rules: those lines split further."""

CLOSING = "\"'”’»)\\]"
END = re.compile(rf"(?<=[.!?…])[{CLOSING}]*\s+|(?<=[。！？])[”’」』）]*\s*|\n+")
PLAIN = re.compile(
    rf"[a-z]{{4}}[.!?][{CLOSING}]*[ \t]+[\"'“‘(\[]*[A-Z]|\S [.!?][ \t]+[{CLOSING}]?[ \t]*\w|[。！？]\w"
)
LAST_WORD = re.compile(r"(['’]?)([^\s(\[\"'“‘’]+)\.$")
TOKENISED = re.compile(r"(\S+)\s\.$")
NEXT_WORD = re.compile(r"\W*(\w+)")
NO_WORD = re.compile(r"[\W_]*$")
# Still part of the sentence: ! ! !, or ? ' . in a tokenised text, or a closing quote at the end.
CONTINUES = re.compile(rf"[{CLOSING}]*\s*[.!?…]+[{CLOSING}]*(?:\s|$)|[{CLOSING}]+\s*$")
DOTTED = re.compile(r"(?:\w\.)+\w$")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# A sentence continues after these; in cased text titles are capitalised ("Gen. Lee", "one more rep.").
TITLES = _words(
    "mr mrs ms messrs dr prof sen rep gov gen col lt sgt capt cmdr maj hon rev st supt pres"
)
NEVER = _words("vs v cf e.g i.e viz approx")
# Only before a number: "No. 5" and "Mar. 3", but "he said no." and "the edge of mar."
NUMBERED = _words("no nos vol fig figs eq eqs pp ca art sec")
DATES = _words(
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thurs fri sat sun"
)
# These may end a sentence; they do if the next word usually starts one.
EITHER = _words("jr sr inc ltd co corp etc al est dept ph.d")
PRONOUNS = _words("he she it they we")
STARTERS = PRONOUNS | _words(
    "this these there a an the i you that those his her its their our my but and so if when while after before in "
    "on at for as with what who how why where both all many some most however meanwhile"
)


def split(text: str | Sequence[str]) -> list[str]:
    """Split a text into sentences by rules: after . ! ? … and a space, and at line ends.

    No sentence ends after an abbreviation or an initial, or before a lower-case letter. Case decides
    what is an abbreviation: "on Sat. at noon" continues, "the cat sat." ends. In a text without
    capitals a sentence may start with a lower-case letter. In a tokenised text a separate full stop
    ends the sentence.

    >>> split("Dr. Who met Mr. J. Smith at 3 p.m. on Monday. He left. Why?")
    ['Dr. Who met Mr. J. Smith at 3 p.m. on Monday.', 'He left.', 'Why?']
    >>> split("The cat sat. The dog ran home.")
    ['The cat sat.', 'The dog ran home.']
    """
    if not isinstance(text, str):
        return list(text)
    cased = any(map(str.isupper, text))
    sentences: list[str] = []
    start = 0
    for match in END.finditer(text):
        piece = text[start : match.end()].strip()
        line_end = "\n" in match.group()
        if not line_end and not _ends(piece, text[match.end() : match.end() + 40], cased):
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
    """Return all texts, split into sentences by the splitter of this name."""
    choose("sentences", splitter, SPLITTERS)
    return list(texts) if splitter == "given" else [split(text) for text in texts]


def unsplit(
    texts: Sequence[str | Sequence[str]], references: Sequence[Sequence[str | Sequence[str]]] = ()
) -> CellFinding:
    """Report texts, and then references, of one line that clearly have several sentences."""
    own = [cell for cell, text in enumerate(texts) if _has_several(text)]
    others = [cell for cell, group in enumerate(references) for text in group if _has_several(text)]
    message = (
        "{count} texts have several sentences on one line, and each counts as a single "
        "sentence. Put every sentence on its own line, pass lists of sentences, or add "
        "sentences=rules to the measure."
    )
    cases = (np.array(own, dtype=np.int64), np.array(others, dtype=np.int64))
    return CellFinding("unsplit sentences", message, cases)


def _has_several(text: str | Sequence[str]) -> bool:
    return isinstance(text, str) and bool(PLAIN.search(text)) and "\n" not in text.strip()


def _ends(piece: str, rest: str, cased: bool) -> bool:
    """Return whether a sentence ends after the piece."""
    if NO_WORD.match(piece) or CONTINUES.match(rest):
        return False
    if piece.endswith(" .") and (alone := TOKENISED.search(piece)) is not None:
        return not _is_title(alone.group(1), cased)
    if rest[:1].islower() and (cased or piece.endswith(("..", "…"))):
        return False
    word = LAST_WORD.search(piece)
    return word is None or not _continues(word.group(2), rest, cased, bool(word.group(1)))


def _continues(word: str, following: str, cased: bool, quoted: bool) -> bool:
    """Return whether a sentence continues after a word with a full stop, an abbreviation; 's is not an initial."""
    low = word.lower().rpartition("-")[2]
    after = NEXT_WORD.match(following)
    next_word = after.group(1).lower() if after else ""
    starts = next_word in (STARTERS if cased else PRONOUNS)
    if low in NEVER or _is_title(word, cased):
        return True
    if low in NUMBERED:
        return following[:1].isdecimal()
    if low in DATES:
        return following[:1].isdecimal() or (word[:1].isupper() and not starts)
    initial = len(word) == 1 and word.isalpha() and (word.isupper() or not (cased or quoted))
    return (initial or low in EITHER or DOTTED.match(low) is not None) and not starts


def _is_title(word: str, cased: bool) -> bool:
    word = word.rpartition("-")[2]
    return word.lower() in TITLES and (word[:1].isupper() or not cased)
