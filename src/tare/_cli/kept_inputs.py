"""Inputs are kept: no verb may write over a file that it was given to read.

What is named in the call is compared before any work is done. Files that a verb finds by itself, in a
folder or in a plan, are noted when they are read, and `tare._writing` refuses to replace them.
"""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from pathlib import Path

from tare._plain_text import plain
from tare.errors import OptionError

__all__ = ["OUTPUTS", "READS", "refuse_overwriting"]

# Options whose value is written, of any verb; every other word of a call may be an input.
OUTPUTS = ("--save", "--report", "--output", "-o", "--rows", "--journal", "--to", "--figures", "--folder")  # fmt: skip
READS = (
    "--study",
    "--valid",
    "--folds",
    "--against",
    "--temporary",
    "--candidates",
    "--profile-file",
)


def refuse_overwriting(argv: Sequence[str]) -> None:
    """Raises where an output of the call is one of its inputs, under any name of the file."""
    written: list[str] = []
    read: list[str] = []
    rest = iter(argv)
    for word in rest:
        name, equals, value = word.partition("=")
        if name in OUTPUTS:
            written.append(value if equals else next(rest, ""))
        else:
            read += [word, value]
    if not written:
        return
    outputs = [place for place in written if place and Path(place).is_file()]
    for place in outputs:
        for source in (found for word in read for found in _files(word)):
            if Path(place).samefile(source):
                raise OptionError(
                    f"{plain(place)} is one of the files that are read; it was left as it is. Name "
                    "another file to write."
                )


def _files(word: str) -> Iterator[str]:
    """The files that a word of a call may name: itself, a pattern, or several joined by a plus sign."""
    if "\0" in word:
        return
    for part in {word, *word.split("+")}:
        found = glob.iglob(part) if glob.has_magic(part) else ()  # noqa: PTH207 (as the readers do)
        for name in (part, *found):
            if name and Path(name).is_file():
                yield name
