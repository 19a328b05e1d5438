"""Checks of the files that a call names, before any work is done.

No verb may overwrite a file that it reads. The files named in the call are compared here; files that a
verb finds by itself, in a folder or in a plan, are recorded when they are read, and `tare._files.writing`
refuses to replace them.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from tare._files.addresses import ObjectPath, is_address, is_file, is_folder, shown
from tare._plain_text import plain
from tare.errors import OptionError, UnreadableError

__all__ = [
    "OUTPUTS",
    "check_file",
    "check_file_names",
    "check_outputs",
    "check_writable",
]

PART = re.compile(r"(part|texts)-.*\.npz")  # finished parts, which a verb finds in a folder

# Parameters of verbs that name what is written; every other text of a call may name an input.
OUTPUTS = (
    "save",
    "report",
    "output",
    "journal",
    "figures",
    "summary",
    "junit",
    "index",
    "notes",
    "resume",
)
FILES = ("save", "report", "journal", "summary", "junit")  # of these, those that are one file


def check_file_names(*names: str) -> None:
    """Raise if a file name looks like an option; a single hyphen is standard input."""
    for name in names:
        if name.startswith("-") and name != "-":
            raise OptionError(f"there is no option {name}. For a file of that name, write ./{name}")


def check_file(path: Path, reader: str) -> None:
    """Raise if a path is not a regular file; `reader` reads it more than once."""
    if not is_file(path):
        from tare._files.opening import name_of

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


def check_outputs(arguments: Mapping[str, Any]) -> None:
    """Raise if an output of a call is also one of its inputs, or another output."""
    written: dict[str, str] = {}
    read: list[str] = []
    for name, value in arguments.items():
        if name in OUTPUTS:
            written.update((name, text) for text in _texts(value) if text)
        else:
            read += _texts(value)
    if not written:
        return
    _refuse_overwriting(written, read)
    _refuse_one_file_twice(written)


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts and the paths of the value of a parameter."""
    if isinstance(value, str | Path):
        yield os.fspath(value)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)
    elif is_dataclass(value):
        for one in fields(value):
            yield from _texts(getattr(value, one.name))


def _refuse_overwriting(written: Mapping[str, str], read: Sequence[str]) -> None:
    """Raise if an output is an input, also under another name."""
    if again := sorted({path for path in written.values() if is_address(path)} & set(read)):
        raise _overwriting(shown(again[0]))
    for path in written.values():
        # Writers resolve a path, also one through a folder that does not exist.
        target = "" if "\0" in path else os.path.realpath(path)
        if not is_file(target):
            continue
        for source in (found for text in read for found in _files(text)):
            if Path(target).samefile(source):
                raise _overwriting(path)
        if PART.fullmatch(Path(target).name) and _is_in(target, [*read, written.get("resume", "")]):
            raise _overwriting(path)


def _refuse_one_file_twice(written: Mapping[str, str]) -> None:
    """Raise if two outputs are one file: only the second would be kept."""
    names: dict[str, str] = {}
    for name, path in written.items():
        place = path if is_address(path) or "\0" in path else os.path.realpath(path)
        if place.startswith("/dev/"):  # such as /dev/null
            continue
        other = names.setdefault(place, name)
        if other != name and {name, other} & {*FILES}:
            raise OptionError(
                f"--{other} and --{name} both write {plain(shown(path))}, which can hold only one of "
                "them. Name two files."
            )


def _overwriting(path: str) -> OptionError:
    return OptionError(
        f"{plain(path)} is also an input of this call, so it was not overwritten. Choose "
        "another output file."
    )


def _is_in(file: str, texts: Sequence[str]) -> bool:
    """Return whether one of the texts names the folder of a file."""
    return any(is_folder(text) and Path(file).parent.samefile(text) for text in texts if text)


def _files(text: str) -> Iterator[str]:
    """Yield the files that a text may name: the text itself, a pattern, or names joined by "+"."""
    if "\0" in text:
        return
    for part in {text, *text.split("+")}:
        found = glob.iglob(part) if glob.has_magic(part) else ()  # noqa: PTH207 (as the readers do)
        for name in (part, *found):
            if name and is_file(name):
                yield name
