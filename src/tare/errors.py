"""The exceptions of tare.

TareError
├── UsageError            wrong call (exit code 2)
│   ├── MeasureError      unknown measure, parameter or cutoff
│   └── OptionError       unknown option value, or options that exclude each other
├── DataError             unusable data (exit code 3)
│   ├── UnreadableError   missing file, folder, damaged compression, no permission
│   ├── FormatError       lines or columns that do not follow the format
│   └── MismatchError     qrels, runs or score tables that do not fit together
├── EngineError           failure of a worker or a cluster, or too little memory (exit code 3)
└── MissingExtraError     a package is not installed (exit code 2)

Every message states what was found and where, what is accepted, and what to do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

from tare._plain_text import plain_lines

__all__ = [
    "MAX_REPORTED",
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


# Distances between names, for suggestions in messages.


def mistypings(one: str, other: str, most: int) -> int:
    """Return how many letters of a mistyped name were added, lost, changed or swapped with the next; at most `most` + 1.

    >>> mistypings("ndgc", "ndcg", 2), mistypings("rel", "rels", 2), mistypings("a", "abcdef", 2)
    (1, 1, 3)
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before, last = list[int](), list(range(len(other) + 1))
    for i, a in enumerate(one):
        row = [i + 1]
        for j, b in enumerate(other):
            cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a != b))
            if i and j and a == other[j - 1] and one[i - 1] == b:
                cost = min(cost, before[j - 1] + 1)
            row.append(cost)
        before, last = last, row
    return min(last[-1], most + 1)


MAX_REPORTED = 20
EXAMPLES = 3  # of one kind of problem
MAX_PROBLEMS = 100_000  # then a text is not read on
VALUES = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\d[\d.,]*")
Choice = TypeVar("Choice", bound=str)


class TareError(Exception):
    """Base class of all errors that tare raises on purpose.

    Attributes
    ----------
    exit_code : int
        The exit code of the command for this error.

    Examples
    --------
    >>> import tare
    >>> try:
    ...     tare.parse("nDGC@10")
    ... except tare.errors.TareError as error:
    ...     print(type(error).__name__, error.exit_code)
    MeasureError 2
    """

    exit_code = 1

    def __str__(self) -> str:
        return plain_lines(super().__str__())


class UsageError(TareError, ValueError):
    """A function or command was called with wrong arguments.

    Examples
    --------
    >>> import tare
    >>> try:
    ...     tare.evaluate({"q1": {"a": 1}}, measures="RR")
    ... except tare.errors.UsageError as error:
    ...     print(error)
    no runs given: call evaluate(qrels, runs, measures).
    """

    exit_code = 2


class MeasureError(UsageError):
    """A measure, one of its parameters or its cutoff does not exist.

    Examples
    --------
    >>> import tare
    >>> tare.parse("P")
    Traceback (most recent call last):
    tare.errors.MeasureError: P needs a cutoff: write P@10.
    """


class OptionError(UsageError):
    """An option has an unknown value, or excludes another option.

    Examples
    --------
    >>> import tare
    >>> tare.evaluate({"q1": {"a": 1}}, {"q1": {"a": 1.0}}, "RR", ties="random")
    Traceback (most recent call last):
    tare.errors.OptionError: ties='random' is not known. Accepted: 'trec', 'order', 'expected'.
    """


class DataError(TareError, ValueError):
    """The data cannot be used.

    Examples
    --------
    >>> import tare
    >>> try:
    ...     tare.read_qrels("no such file.txt")
    ... except tare.errors.DataError as error:
    ...     print(type(error).__name__, error.exit_code)
    UnreadableError 3
    """

    exit_code = 3


class UnreadableError(DataError, OSError):
    """A file cannot be opened, or cannot be read to its end.

    Examples
    --------
    >>> import tare
    >>> tare.read_qrels("no such file.txt")
    Traceback (most recent call last):
    tare.errors.UnreadableError: no such file.txt: no such file.
    """


class FormatError(DataError):
    """Lines or columns do not follow the format.

    Examples
    --------
    >>> import tare
    >>> tare.read_qrels({"q1": {"a": "good"}})
    Traceback (most recent call last):
    tare.errors.FormatError: dictionary, query 'q1', document 'a': the grade 'good' is not a finite number.
    """


class MismatchError(DataError):
    """Data sets do not fit together, such as a run with documents that are not candidates.

    Examples
    --------
    >>> import tare
    >>> tare.Letor("train", [[0.9], [0.2]], [2], ("q1",), [0, 2])
    Traceback (most recent call last):
    tare.errors.MismatchError: train: features (2, 1), 1 grades, 1 queries and 2 offsets do not fit together...
    """


class EngineError(TareError, RuntimeError):
    """The computation failed for a reason outside the data, such as a lost worker.

    Examples
    --------
    >>> import tare
    >>> tare.engines.Local(threads=1).map_partitions(lambda shared, part: 1 / part, None, [0])
    Traceback (most recent call last):
    tare.errors.EngineError: 0: this part could not be processed (ZeroDivisionError: division by zero)...
    """

    exit_code = 3


class MissingExtraError(TareError, ImportError):
    """A package of an optional extra is not installed.

    Parameters
    ----------
    package, extra : str
        The missing package, and the extra of tare that installs it (None if no extra does).
    purpose : str
        What the package is needed for; the message begins with it.

    Examples
    --------
    >>> import tare
    >>> print(tare.errors.MissingExtraError("ray", "ray", "The engine ray"))
    The engine ray needs the package 'ray', which is not installed. Install it with: pip install 'tare-eval[ray]'
    """

    exit_code = 2

    def __init__(self, package: str, extra: str | None, purpose: str) -> None:
        wanted = package if extra is None else f"'tare-eval[{extra}]'"
        super().__init__(
            f"{purpose} needs the package '{package}', which is not installed. "
            f"Install it with: pip install {wanted}"
        )


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a sentence that suggests the closest known name if one is near, or an empty string.

    Parameters
    ----------
    name : str
        The unknown name.
    known : iterable of str
        The known names.

    Returns
    -------
    str
        A sentence that begins with a space. A name is near if at most a third of it was mistyped.

    Examples
    --------
    >>> nearest("nDGC", ["nDCG", "AP"])
    " Did you mean 'nDCG'?"
    """
    lowered = {one.lower(): one for one in reversed(list(known))}  # the first spelling wins
    wanted = name.lower()
    if wanted in lowered:
        return f" Did you mean '{lowered[wanted]}'?"
    import difflib  # slow to import, and needed only for a message

    likely = difflib.get_close_matches(wanted, list(lowered), n=5, cutoff=0.5)
    most = (len(wanted) + 1) // 3  # mistyped letters that a reader still recognises
    near = [choice for choice in likely if mistypings(wanted, choice, most) <= most]
    found = min(near, key=lambda choice: mistypings(wanted, choice, most), default=None)
    return f" Did you mean '{lowered[found]}'?" if found else ""


def raise_all(problems: Sequence[str], count: int | None = None) -> None:
    """Raise one FormatError that lists at most 20 problems, three of one kind, and their number.

    Problems are of one kind if their messages differ only in numbers and quoted values.

    Parameters
    ----------
    problems : sequence of str
        One message per problem. Without problems, no error is raised.
    count : int, optional
        The total number, if `problems` is not complete.

    Raises
    ------
    FormatError
        If there are problems.

    Examples
    --------
    >>> raise_all(["line 1: the grade is missing."])
    Traceback (most recent call last):
    tare.errors.FormatError: line 1: the grade is missing.
    """
    count = len(problems) if count is None else count
    if count == 0:
        return
    lines: list[str] = []
    kinds: Counter[str] = Counter()
    for problem in problems:
        kind = VALUES.sub("", problem)
        kinds[kind] += 1
        if kinds[kind] <= EXAMPLES and len(lines) < MAX_REPORTED:
            lines.append(problem)
    if count > len(lines):
        total = f"{count:,}" if count <= MAX_PROBLEMS else f"more than {MAX_PROBLEMS:,}"
        lines.append(f"… {total} problems in total; at most {EXAMPLES} of a kind are shown.")
    raise FormatError("\n".join(lines))


def check_share(option: str, value: float) -> None:
    """Refuse a level, such as of significance or confidence, that does not lie between 0 and 1.

    Parameters
    ----------
    option : str
        The name of the option, for the message.
    value : float
        The given value.

    Raises
    ------
    OptionError
        If the value is 0 or less, or 1 or more.
    """
    if not 0 < value < 1:
        raise OptionError(f"{option}={value} is out of range; it must lie between 0 and 1.")


def choose(option: str, value: str, choices: tuple[Choice, ...]) -> Choice:
    """Return `value` if it is one of the choices.

    Parameters
    ----------
    option, value : str
        The name of the option, for the message, and the given value.
    choices : tuple of str
        The accepted values.

    Returns
    -------
    str
        The value.

    Raises
    ------
    OptionError
        If the value is not accepted; the message lists the choices.

    Examples
    --------
    >>> choose("order", "rank", ("score", "rank"))
    'rank'
    """
    for choice in choices:
        if choice == value:
            return choice
    accepted = ", ".join(f"'{choice}'" for choice in choices)
    raise OptionError(
        f"{option}={value!r} is not known. Accepted: {accepted}.{nearest(str(value), choices)}"
    )
