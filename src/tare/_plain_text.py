"""Plain text: control characters in names and ids are escaped before they reach a terminal.

An id such as "\\x1b]0;…" could set the title of the window, move the cursor or hide text. Everything
that tare prints for people passes through here. Data files keep their ids unchanged.
"""

from __future__ import annotations

import unicodedata

__all__ = ["LONE_SURROGATE", "has_lone_surrogate", "lines_of", "plain", "plain_lines"]

JOINER = "\u200d"  # joins the parts of one character in Indic scripts and emoji
# Control characters, direction marks and other invisible characters, lone surrogates, line separators.
ESCAPED = ("Cc", "Cf", "Cs", "Zl", "Zp")


def plain(text: str) -> str:
    """Return one line of text with control characters escaped.

    >>> plain("red\\x1b[31m")
    'red\\\\x1b[31m'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c if unicodedata.category(c) not in ESCAPED or c == JOINER else ascii(c)[1:-1] for c in text
    )


def plain_lines(text: str) -> str:
    """Return text with control characters other than line feeds escaped.

    >>> plain_lines("one\\x1b[A\\ntwo").split("\\n")
    ['one\\\\x1b[A', 'two']
    """
    return "\n".join(map(plain, text.split("\n")))


def lines_of(text: str) -> list[str]:
    """Return the lines of a text. Only a line feed ends a line, with or without a carriage return.

    `str.splitlines` also cuts at form feeds, U+0085, U+2028 and others, which can be part of a field.

    >>> lines_of("one\\r\\ntwo\\u2028still two\\n")
    ['one', 'two\\u2028still two']
    """
    *whole, last = text.split("\n")
    return [*(line.removesuffix("\r") for line in whole), *([last] if last else [])]


LONE_SURROGATE = "contains a lone surrogate, which is not valid text. Was an emoji cut in half?"


def has_lone_surrogate(text: str) -> bool:
    """Return whether a text contains a lone surrogate, which UTF-8 cannot encode.

    >>> has_lone_surrogate("a"), has_lone_surrogate("a\\ud800")
    (False, True)
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False
