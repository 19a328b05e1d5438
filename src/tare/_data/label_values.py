"""Single labels as people and models write them: numbers, and what is found instead."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

__all__ = ["failure_of", "is_not_labelled", "is_word_scale", "number_of_label"]

SHOWN = 24  # characters of an answer in messages
WORDS = {"true": 1.0, "false": 0.0}


def is_not_labelled(label: Any) -> bool:
    """Return whether a cell of a wide table is empty: the pair was not labelled."""
    return label is None or (isinstance(label, str) and not label.strip()) or label != label


def number_of_label(label: Any, *, negative: bool = False) -> float | None:
    """Return the number of a label, or None if it is not one; `negative` numbers can be labels.

    >>> number_of_label(" 2 "), number_of_label("-1"), number_of_label("I cannot say")
    (2.0, None, None)
    """
    if isinstance(label, bool):
        return float(label)
    if isinstance(label, str):
        return _parsed(label, negative)  # a file has few distinct labels
    return _number(label, negative)


@lru_cache(maxsize=4096)
def _parsed(label: str, negative: bool) -> float | None:
    word = WORDS.get(label.strip().lower())
    return _number(label, negative) if word is None else word


def _number(label: Any, negative: bool) -> float | None:
    try:
        number = float(label)
    except (TypeError, ValueError, OverflowError):
        return None
    if not math.isfinite(number) or (number < 0 and not negative):
        return None
    return number + 0.0  # without a negative zero


def failure_of(label: Any) -> str:
    """Return what was found instead of a label, for messages.

    >>> failure_of(None), failure_of(-1), failure_of("Sorry, but I can not say")
    ('null', '-1', "'Sorry, but I can not say'")
    >>> failure_of(-(10**400))
    'a number beyond 1e308'
    """
    if is_not_labelled(label):
        return "null"
    if isinstance(label, int) and abs(label) > sys.float_info.max:
        return "a number beyond 1e308"
    if isinstance(label, int | float):
        return f"{label:g}"
    text = " ".join(str(label).split())
    try:
        return f"{float(text):g}"
    except ValueError:
        return repr(text if len(text) <= SHOWN else text[: SHOWN - 1] + "…")


def is_word_scale(labels: Sequence[Any]) -> bool:
    """Return whether the labels are names of categories: no number among them.

    >>> is_word_scale(["good", "bad", None]), is_word_scale(["1", "bad"])
    (True, False)
    """
    known = [label for label in labels if not is_not_labelled(label)]
    return bool(known) and all(
        isinstance(label, str) and number_of_label(label, negative=True) is None for label in known
    )
