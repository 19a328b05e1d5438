"""Shapes: checks of values that were read from a journal.

A shape is a type (`float` is any number, `int` a whole number), `None`, a tuple of alternatives, a list
with one shape for all its values (or a `FixedList` with one shape for each), a dictionary with a shape
for every key, or a `PlainRow`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["FixedList", "PlainRow", "mismatch"]


@dataclass(frozen=True)
class PlainRow:
    """A dictionary of plain values with at least these keys."""

    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class FixedList:
    """A list of fixed length with a shape for each value."""

    shapes: tuple[Any, ...]

    @classmethod
    def of(cls, shape: Any, count: int) -> FixedList:
        """Return the shape of a list of `count` values of one shape."""
        return cls((shape,) * count)


PLAIN = (str, float, bool, None)


def mismatch(value: Any, shape: Any, place: str = "found") -> str | None:
    """Return what is wrong with a value and where, or None if it has the shape.

    >>> mismatch({"p": [0.5, None]}, {"p": [(float, None)]})
    >>> mismatch({"p": [0.5, "x"]}, {"p": [float]})
    'found.p[1] must be a number, not a string'
    """
    if isinstance(shape, tuple):
        wrong = [mismatch(value, one, place) for one in shape]
        return None if None in wrong else wrong[0]
    if isinstance(shape, PlainRow):
        if not isinstance(value, dict):
            return _other(place, "an object", value)
        missing = [key for key in shape.keys if key not in value]
        if missing:
            return f"{place} has no key {missing[0]!r}"
        return _first(mismatch(v, PLAIN, f"{place}.{k}") for k, v in value.items())
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return _other(place, "an object", value)
        if set(value) != set(shape):
            odd = sorted(set(value) ^ set(shape))[0]
            return f"{place} has {'no' if odd in shape else 'an unexpected'} key {odd!r}"
        return _first(mismatch(value[k], one, f"{place}.{k}") for k, one in shape.items())
    if isinstance(shape, list | FixedList):
        if not isinstance(value, list):
            return _other(place, "a list", value)
        if isinstance(shape, FixedList) and len(value) != len(shape.shapes):
            return f"{place} must have {len(shape.shapes)} values, not {len(value)}"
        shapes = shape.shapes if isinstance(shape, FixedList) else shape * len(value)
        return _first(
            mismatch(v, one, f"{place}[{k}]")
            for k, (v, one) in enumerate(zip(value, shapes, strict=True))
        )
    return None if _is(value, shape) else _other(place, NAMES[shape], value)


NAMES: dict[Any, str] = {
    float: "a number",
    int: "a whole number",
    str: "a string",
    bool: "true or false",
    None: "null",
    type(None): "null",
    list: "a list",
    dict: "an object",
}


def _is(value: Any, shape: Any) -> bool:
    if shape is None:
        return value is None
    if isinstance(value, bool):
        return shape is bool
    return isinstance(value, (int, float) if shape is float else shape)


def _other(place: str, wanted: str, value: Any) -> str:
    return f"{place} must be {wanted}, not {NAMES[type(value)]}"


def _first(problems: Any) -> str | None:
    return next((problem for problem in problems if problem is not None), None)
