"""The stop words of SMART, in the form that ROUGE-1.5.5 removes with -s."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

__all__ = ["smart_stop_words"]


@cache
def smart_stop_words() -> tuple[str, ...]:
    """The words, sorted.

    >>> "the" in smart_stop_words()
    True
    """
    return tuple(files("tare.measures.text").joinpath("smart.txt").read_text("ascii").split())
