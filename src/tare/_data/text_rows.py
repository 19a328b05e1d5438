"""Rows of text that are read here and not by the core: the same lines, fields and characters.

A line ends with a line feed. Blanks, tabs, carriage returns, U+000B and U+000C separate fields, as in
trec_eval; all other characters are part of a field. The remaining control characters are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tare._plain_text import lines_of
from tare.errors import FormatError, raise_all

__all__ = ["control_in", "fields_of", "numbered", "refuse_unwritable", "text_rows"]

FIELD = re.compile(r"[^ \t\r\n\v\f]+")
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
NAMES = {
    "\x00": "null",
    "\x1a": "substitute",
    "\x1b": "escape",
    "\x1c": "file separator",
    "\x1d": "group separator",
    "\x1e": "record separator",
    "\x1f": "unit separator",
}


def fields_of(line: str) -> list[str]:
    """Return the fields of a line.

    >>> fields_of("q1 0\\td\\u2028 1")
    ['q1', '0', 'd\\u2028', '1']
    """
    return FIELD.findall(line)


def control_in(text: str) -> str:
    """Return the name of the first control character of a text; empty if there is none.

    >>> control_in("a\\x1cb")
    'U+001C (file separator)'
    """
    found = CONTROL.search(text)
    if found is None:
        return ""
    name = f" ({NAMES[found[0]]})" if found[0] in NAMES else ""
    return f"U+{ord(found[0]):04X}{name}"


def text_rows(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the fields of each line that is neither empty nor a comment.

    At the end, raise one error for all lines with control characters.
    """
    problems = []
    for number, line in enumerate(lines_of(text), 1):
        fields = fields_of(line)
        if not fields or fields[0].startswith("#"):
            continue
        if control := control_in(line):
            problems.append(
                f"{name}, line {number}: the control character {control} found; is this a text file?"
            )
            continue
        yield number, fields
    raise_all(problems)


def numbered(rows: Iterable[Any], shape: str) -> Iterator[tuple[str, list[Any]]]:
    """Yield the place and the cells of rows that are given as Python objects."""
    for number, row in enumerate(rows, 1):
        if isinstance(row, str | bytes | Mapping) or not isinstance(row, Iterable):
            raise FormatError(
                f"rows, row {number}: a {type(row).__name__}; expected a tuple of fields. {shape}"
            )
        yield f"row {number}", list(row)


def refuse_unwritable(id_: str, what: str, *, first: bool = False) -> None:
    """Raise an error if a text could not be read again as one field; `first` if it begins a line."""
    if FIELD.fullmatch(id_) and not CONTROL.search(id_) and not (first and id_.startswith("#")):
        return
    control = control_in(id_)
    reason = f"contains the control character {control}" if control else "contains white space"
    if not id_:
        reason = "is empty"
    elif id_.startswith("#"):
        reason = "is a query that begins with '#'"
    raise FormatError(
        f"the id {id_!r} cannot be written as {what}: it {reason}. Write .jsonl, .csv or .parquet "
        "instead."
    )
