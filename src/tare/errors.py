"""What can go wrong, as a tree.

TareError
├── UsageError            the call is wrong (exit code 2)
│   ├── MeasureError      an unknown measure, parameter or cutoff
│   └── OptionError       an unknown policy, an impossible combination of options
├── DataError             the data cannot be used (exit code 3)
│   ├── UnreadableError   no such file, a folder, damaged compression, no permission
│   ├── FormatError       lines or columns that are not what the format asks for
│   └── MismatchError     qrels, runs or score tables that do not belong together
├── EngineError           a worker, the temporary disk or a cluster failed (exit code 3)
└── MissingExtraError     a package is not installed; the message says how to get it (exit code 2)

Every message says what was found, where, what is accepted, and what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import TypeVar

__all__ = [
    "MOST_TOLD",
    "DataError",
    "EngineError",
    "FormatError",
    "MeasureError",
    "MismatchError",
    "MissingExtraError",
    "OptionError",
    "TareError",
    "UnreadableError",
    "UsageError",
    "choose",
    "nearest",
    "raise_all",
]

Choice = TypeVar("Choice", bound=str)


class TareError(Exception):
    """Anything that tare refuses to do, with the reason."""

    exit_code = 1


class UsageError(TareError, ValueError):
    """The call is wrong."""

    exit_code = 2


class MeasureError(UsageError):
    """A measure that does not exist, or not like this."""


class OptionError(UsageError):
    """An option that does not exist, or not with these others."""


class DataError(TareError, ValueError):
    """The data cannot be used."""

    exit_code = 3


class UnreadableError(DataError, OSError):
    """A source that cannot be opened or read to its end."""


class FormatError(DataError):
    """Lines or columns that are not what the format asks for."""


class MismatchError(DataError):
    """Things that do not belong together."""


class EngineError(TareError, RuntimeError):
    """What was to be computed could not be, though nothing is known to be wrong with the data."""

    exit_code = 3


class MissingExtraError(TareError, ImportError):
    """A package that an extra brings is not installed."""

    exit_code = 2

    def __init__(self, package: str, extra: str | None, purpose: str) -> None:
        wanted = package if extra is None else f"'tare-eval[{extra}]'"
        super().__init__(
            f"{purpose} needs the package '{package}', which is not installed. "
            f"Install it with: pip install {wanted}"
        )


def nearest(name: str, known: Iterable[str]) -> str:
    """A sentence that suggests the nearest known name, or nothing.

    >>> nearest("nDGC", ["nDCG", "AP"])
    " Did you mean 'nDCG'?"
    """
    choices = list(known)
    lowered = {choice.lower(): choice for choice in reversed(choices)}  # the first spelling wins
    if name.lower() in lowered:
        return f" Did you mean '{lowered[name.lower()]}'?"
    found = difflib.get_close_matches(name.lower(), list(lowered), n=1, cutoff=0.5)
    return f" Did you mean '{lowered[found[0]]}'?" if found else ""


MOST_TOLD = 20


def raise_all(problems: Sequence[str], count: int | None = None) -> None:
    """Raises one error with all problems of a source, if there are any: the first 20 and the count.

    count: how many there are, where not all of them were written out.
    """
    count = len(problems) if count is None else count
    if count == 0:
        return
    told = list(problems[:MOST_TOLD])
    if count > len(told):
        told.append(f"… {count:,} problems in all; the first {len(told)} are shown.")
    raise FormatError("\n".join(told))


def choose(option: str, value: str, choices: tuple[Choice, ...]) -> Choice:
    """Return `value` if it is one of the choices; the error for other values lists them."""
    for choice in choices:
        if choice == value:
            return choice
    accepted = ", ".join(f"'{choice}'" for choice in choices)
    raise OptionError(
        f"{option}={value!r} is not known. Accepted: {accepted}.{nearest(str(value), choices)}"
    )
