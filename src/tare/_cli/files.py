"""Checks of the files that a call names, before any work is done.

No verb may overwrite a file that it reads. The files named in the call are compared here; files that a
verb finds by itself, in a folder or in a plan, are recorded when they are read, and `tare._writing`
refuses to replace them.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tare._places import is_file, is_folder
from tare._plain_text import plain
from tare._stores.addresses import ObjectPath, is_address, shown
from tare.errors import OptionError, UnreadableError

__all__ = [
    "OUTPUTS",
    "READS",
    "check_file",
    "check_file_names",
    "check_writable",
    "refuse_overwriting",
]

PART = re.compile(r"(part|texts)-.*\.npz")  # finished parts, which a verb finds in a folder

# Options of any verb whose value is written. Every other word of a call may be an input.
OUTPUTS = (
    "--save",
    "--report",
    "--output",
    "-o",
    "--rows",
    "--journal",
    "--to",
    "--figures",
    "--folder",
    "--summary",
    "--junit",
    "--index",
    "--notes",
    "--resume",
)
READS = (
    "--study",
    "--valid",
    "--folds",
    "--against",
    "--candidates",
    "--nuggets",
    "--elsewhere",
    "--citations",
    "--texts",
    "--answers",
    "--profile-file",
    "--pilot",
    "--judges",
    "--queries",
    "--documents",
    "--baseline",  # `tare gate --update` replaces it on request
    "--history",  # `tare gate` adds to it
)


def check_file_names(*names: str) -> None:
    """Raise if a file name looks like an option; a single hyphen is standard input."""
    for name in names:
        if name.startswith("-") and name != "-":
            raise OptionError(f"there is no option {name}. For a file of that name, write ./{name}")


def check_file(path: Path, reader: str) -> None:
    """Raise if a path is not a regular file; `reader` reads it more than once."""
    if not is_file(path):
        from tare._data.source import name_of

        reason = "it is a folder" if is_folder(path) else "no such file"
        raise UnreadableError(
            f"{name_of(path)}: {reason}. {reader} reads files, which it can read again."
        )


def check_writable(*paths: Path | None) -> None:
    """Raise if one of the files clearly cannot be written."""
    for path in paths:
        if path is None:
            continue
        if isinstance(path, ObjectPath):
            if str(path).startswith("https://"):
                raise OptionError(
                    f"{shown(str(path))} cannot be written: https:// is read only. Name a file."
                )
            continue
        above = next((folder for folder in path.absolute().parents if folder.exists()), path.parent)
        if path.is_dir() or not above.is_dir():
            what = "it is a folder" if path.is_dir() else f"{above} is not a folder"
            raise OptionError(f"{path} cannot be written: {what}. Name a file.")


def refuse_overwriting(argv: Sequence[str]) -> None:
    """Raise if an output of the call is one of its inputs, also under another name."""
    written: list[str] = []
    read: list[str] = []
    kept = ""
    rest = iter(argv)
    for word in rest:
        name, equals, value = word.partition("=")
        if name in OUTPUTS:
            written.append(value if equals else next(rest, ""))
            kept = written[-1] if name == "--resume" else kept
        else:
            read += [word, value]
    if not written:
        return
    if again := sorted({path for path in written if is_address(path)} & set(read)):
        raise _overwriting(shown(again[0]))
    for path in written:
        # Writers resolve a path, also one through a folder that does not exist.
        target = "" if "\0" in path else os.path.realpath(path)
        if not path or not is_file(target):
            continue
        for source in (found for word in read for found in _files(word)):
            if Path(target).samefile(source):
                raise _overwriting(path)
        if PART.fullmatch(Path(target).name) and _is_in(target, [*read, kept]):
            raise _overwriting(path)


def _overwriting(path: str) -> OptionError:
    return OptionError(
        f"{plain(path)} is also an input of this call, so it was not overwritten. Choose "
        "another output file."
    )


def _is_in(file: str, words: Sequence[str]) -> bool:
    """Return whether one of the words names the folder of a file."""
    return any(is_folder(word) and Path(file).parent.samefile(word) for word in words if word)


def _files(word: str) -> Iterator[str]:
    """Yield the files that a word may name: the word itself, a pattern, or names joined by "+"."""
    if "\0" in word:
        return
    for part in {word, *word.split("+")}:
        found = glob.iglob(part) if glob.has_magic(part) else ()  # noqa: PTH207 (as the readers do)
        for name in (part, *found):
            if name and is_file(name):
                yield name
