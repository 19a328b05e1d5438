"""Lists of measures in one text: `nDCG@10,AP`, `nDCG@10 AP`, `ndcg_cut.5,10`."""

from __future__ import annotations

import re

__all__ = ["blank_parts", "comma_parts"]

_CUTOFF = re.compile(r"\s*\d+\.?\d*\s*")
_CUT_NAME = re.compile(r"(.*(?:@|[._]))\d+\.?\d*\s*")


def comma_parts(text: str) -> list[str]:
    """Split a text at commas outside brackets and quotes; a number repeats the name before it.

    >>> comma_parts("nDCG@5,10, V2(SP@10,pool=judged)")
    ['nDCG@5', 'nDCG@10', 'V2(SP@10,pool=judged)']
    """
    made: list[str] = []
    for part in _split(text, ","):
        name = _CUT_NAME.fullmatch(made[-1]) if made and _CUTOFF.fullmatch(part) else None
        made.append(part.strip() if name is None else name[1] + part.strip())
    return [part for part in made if part]


def blank_parts(text: str) -> list[str]:
    """Split a text at blanks outside brackets and quotes.

    >>> blank_parts("nDCG@10 P(rel = 2)@5")
    ['nDCG@10', 'P(rel = 2)@5']
    """
    return [part for part in _split(text, " \t\n\r") if part]


def _split(text: str, signs: str) -> list[str]:
    made = [""]
    depth, quote = 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "({":
            depth += 1
        elif character in ")}":
            depth -= 1
        if character in signs and depth <= 0 and not quote:
            made.append("")
        else:
            made[-1] += character
    return made
