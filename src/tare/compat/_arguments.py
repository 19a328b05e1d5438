"""Arguments as other programs take them, checked before they are used: what was found, and what is expected."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tare._plain_text import plain

__all__ = ["flag", "found", "number", "text", "texts"]


def found(value: object) -> str:
    """Return an argument of another program's interface and its type for a message, cut short.

    >>> found(1.5), found("x" * 99)[:12]
    ('1.5 (float)', "'xxxxxxxxxxx")
    """
    try:
        shown = plain(repr(value))
    except (ValueError, RecursionError):  # a number with too many digits, or lists too deep
        shown = "a value"
    shown = shown if len(shown) <= 60 else shown[:59] + "…"
    return f"{shown} ({type(value).__name__})"


def text(name: str, value: Any) -> str:
    """Return a string, or raise TypeError."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {found(value)}; expected a string.")
    return value


def texts(name: str, value: Any) -> list[str]:
    """Check an argument that should be a list of strings, and return it, or raise TypeError; a string is not taken for its letters."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise TypeError(f"{name} is {found(value)}; expected a list of strings.")
    return [text(f"{name}[{k}]", each) for k, each in enumerate(value)]


def number(name: str, value: Any) -> float:
    """Check an argument that should be a number, and return it, or raise TypeError; NaN is refused."""
    try:
        made = float("nan") if isinstance(value, str | bytes) else float(value)
    except (TypeError, ValueError, ArithmeticError):
        made = float("nan")
    if made != made:
        raise TypeError(f"{name} is {found(value)}; expected a number.")
    return made


def flag(name: str, value: Any) -> bool:
    """Return whether an argument is true, or raise TypeError if it has no truth value."""
    try:
        return bool(value)
    except (TypeError, ValueError, ArithmeticError):
        raise TypeError(f"{name} is {found(value)}; expected True or False.") from None
