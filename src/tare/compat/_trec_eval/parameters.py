"""Parameters of measures, as in `-m P.5,10`."""

from __future__ import annotations

import math
import re
from typing import TypeVar

from tare.compat._trec_eval.refusal import PARAMETERS, RefusedError

__all__ = ["gains_by_grade", "read_cutoffs", "read_numbers", "read_pairs", "read_shares"]

Number = TypeVar("Number", int, float)

_INTEGER = re.compile(r"\s*([-+]?\d{1,18})(?!\d)", re.ASCII)
_REAL = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)", re.ASCII)
_WHOLE = re.compile(r"[-+]?\d{1,18}", re.ASCII)


def read_cutoffs(measure: str, text: str) -> list[int]:
    """Parse integers and sort them; as in trec_eval, text after the digits is ignored.

    >>> read_cutoffs("P", "10,5,23.4")
    [5, 10, 23]
    """
    cutoffs = sorted(int(_begin(_INTEGER, measure, part)) for part in text.split(","))
    if cutoffs[0] <= 0:
        raise _wrong(measure, "Negative cutoff detected")
    return _unequal(measure, cutoffs)


def read_shares(measure: str, text: str) -> list[float]:
    """Parse real cutoffs and sort them."""
    return _unequal(measure, sorted(read_numbers(measure, text)))


def read_numbers(measure: str, text: str) -> list[float]:
    """Parse real numbers."""
    return [float(_begin(_REAL, measure, part)) for part in text.split(",")]


def read_pairs(measure: str, text: str) -> dict[str, float]:
    """Parse name=value pairs; for a duplicate name, the first value counts.

    >>> read_pairs("rbp", "p=0.8,2=1")
    {'p': 0.8, '2': 1.0}
    """
    pairs: dict[str, float] = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not name or not equals or "=" in value:
            raise _wrong(measure, f"malformed pair parameters in '{text}'")
        pairs.setdefault(name, float(_begin(_REAL, measure, value)))
    return pairs


def gains_by_grade(pairs: dict[str, float]) -> dict[int, float]:
    """Return the pairs whose names are integers: the gains of grades."""
    gains: dict[int, float] = {}
    for name, value in pairs.items():
        if _WHOLE.fullmatch(name):
            gains.setdefault(int(name), value)
    return gains


def _begin(pattern: re.Pattern[str], measure: str, text: str) -> str:
    found = pattern.match(text)
    if found is None or not math.isfinite(float(found.group(1))):
        raise _wrong(measure, f"'{text}' is not a number")
    return found.group(1)


def _unequal(measure: str, cutoffs: list[Number]) -> list[Number]:
    if len(set(cutoffs)) < len(cutoffs):
        raise _wrong(measure, "duplicate cutoffs detected")
    return cutoffs


def _wrong(measure: str, reason: str) -> RefusedError:
    return RefusedError(
        f"trec_eval: {reason}\ntrec_eval: Cannot initialize measure '{measure}'", PARAMETERS
    )
