"""Plain text: names and ids of strangers, made harmless for a terminal.

An id such as "\\x1b]0;…" would otherwise set the title of a window, move the cursor, or hide what
follows. Everything that tare writes for people passes through here; data keep their ids as they are.
"""

from __future__ import annotations

import unicodedata

__all__ = ["plain", "plain_lines"]

JOINER = "\u200d"  # joins the parts of one sign, in Indic scripts and emoji
# Control characters, direction marks and other invisible signs, lone surrogates, separators of lines.
OBEYED = ("Cc", "Cf", "Cs", "Zl", "Zp")


def plain(text: str) -> str:
    """One line of text whose control characters are written out, so that a name cannot move the cursor.

    >>> plain("red\\x1b[31m")
    'red\\\\x1b[31m'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c if unicodedata.category(c) not in OBEYED or c == JOINER else ascii(c)[1:-1] for c in text
    )


def plain_lines(text: str) -> str:
    """Several lines of text, each of them plain.

    >>> plain_lines("one\\x1b[A\\ntwo").split("\\n")
    ['one\\\\x1b[A', 'two']
    """
    return "\n".join(map(plain, text.split("\n")))
