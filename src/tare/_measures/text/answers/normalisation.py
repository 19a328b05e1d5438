"""SQuAD's normalisation of answers."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence

from tare._kernels import Text

__all__ = ["gold_tokens", "normalised", "tokens"]

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


def normalised(text: Text) -> str:
    """Return a text in lower case, without ASCII punctuation and articles, with single spaces.

    >>> normalised("The  Eiffel-Tower, a tower!")
    'eiffeltower tower'
    """
    whole = text if isinstance(text, str) else "\n".join(text)
    return " ".join(_ARTICLES.sub(" ", whole.lower().translate(_PUNCTUATION)).split())


def tokens(text: Text) -> tuple[str, ...]:
    """Return the words of a normalised text."""
    return tuple(normalised(text).split())


def gold_tokens(references: Sequence[Text]) -> list[tuple[str, ...]]:
    """Return the words of the references; empty ones count only if all are empty.

    A question whose only answers are empty has no answer, and an empty text is right.
    """
    words = [tokens(reference) for reference in references]
    full = [one for one in words if one]
    return full or words[:1]
