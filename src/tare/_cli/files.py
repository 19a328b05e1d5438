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
from dataclasses import dataclass, fields, is_dataclass
from inspect import BoundArguments
from pathlib import Path
from typing import Any, get_args, get_type_hints

from tare._cli.types import Role, path_of
from tare._files.addresses import ObjectPath, is_address, is_file, is_folder, shown
from tare._files.opening import STDIN, name_of
from tare._plain_text import plain
from tare.errors import OptionError, UnreadableError

__all__ = ["check_file", "check_files", "check_writable", "role_of"]

PART = re.compile(r"(part|texts)-.*\.npz")  # finished parts, which a verb finds in a folder


@dataclass(frozen=True)
class Named:
    """The files that one option or argument of a call names."""

    name: str
    role: Role | None  # None if a text is not meant as a file
    texts: tuple[str, ...]


def check_files(given: BoundArguments) -> None:
    """Raise if a call would overwrite a file that it reads or writes twice, or names a file that cannot be."""
    named = [one for one in _named(given) if one.texts]
    written = {one.name: one for one in named if one.role in (Role.FILE, Role.FOLDER)}
    if written:
        # A text that is not meant as a file may yet be the name of one, such as that of a cluster.
        read = [text for one in named if one.name not in written for text in one.texts]
        _refuse_overwriting(written, read)
        _refuse_one_file_twice(written)
    for one in named:
        if one.role is Role.INPUT:
            _check_names(one.texts)
    for one in written.values():
        if one.role is Role.FILE:
            check_writable(*(path_of(text) for text in one.texts if text != STDIN))


def _named(given: BoundArguments) -> Iterator[Named]:
    for name, value in given.arguments.items():
        if is_dataclass(value) and not isinstance(value, type):
            types = get_type_hints(type(value), include_extras=True)
            for one in fields(value):
                texts = tuple(_texts(getattr(value, one.name)))
                yield Named(one.name, role_of(types[one.name]), texts)
        else:
            role = role_of(given.signature.parameters[name].annotation)
            yield Named(name, role, tuple(_texts(value)))


def role_of(annotation: Any) -> Role | None:
    """Return the role of a file (input or output) that a type names."""
    inside = (one if isinstance(one, Role) else role_of(one) for one in get_args(annotation))
    return next((role for role in inside if role is not None), None)


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts and the paths in the value of a parameter, to check which files a call names."""
    if isinstance(value, str | Path):
        if text := os.fspath(value):
            yield text
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)


def _check_names(names: Sequence[str]) -> None:
    """Check the input files that a call names: none may look like an option; a single hyphen is standard input."""
    for name in names:
        if name.startswith("-") and name != STDIN:
            raise OptionError(f"there is no option {name}. For a file of that name, write ./{name}")


def check_file(path: Path, reader: str) -> None:
    """Raise if a path that a call names is not a regular file; `reader` reads it more than once."""
    if not is_file(path):
        reason = "it is a folder" if is_folder(path) else "no such file"
        raise UnreadableError(
            f"{name_of(path)}: {reason}. {reader} reads files, which it can read again."
        )


def check_writable(*paths: Path | None) -> None:
    """Raise if one of the output files of a call clearly cannot be written."""
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


def _refuse_overwriting(written: Mapping[str, Named], read: Sequence[str]) -> None:
    """Raise if an output file of a call is an input, also under another name."""
    paths = [path for one in written.values() for path in one.texts]
    folders = [path for one in written.values() if one.role is Role.FOLDER for path in one.texts]
    if again := sorted({path for path in paths if is_address(path)} & set(read)):
        raise _overwriting(shown(again[0]))
    for path in paths:
        # Writers resolve a path, also one through a folder that does not exist.
        target = "" if "\0" in path else os.path.realpath(path)
        if not is_file(target):
            continue
        for source in (found for text in read for found in _files(text)):
            if Path(target).samefile(source):
                raise _overwriting(path)
        if PART.fullmatch(Path(target).name) and _is_in(target, [*read, *folders]):
            raise _overwriting(path)


def _refuse_one_file_twice(written: Mapping[str, Named]) -> None:
    """Raise if two output files of a call are one file: only the second would be kept."""
    places: dict[str, Named] = {}
    for one in written.values():
        (path,) = one.texts
        place = path if is_address(path) or "\0" in path else os.path.realpath(path)
        if place.startswith("/dev/"):  # such as /dev/null
            continue
        other = places.setdefault(place, one)
        if other is not one and Role.FILE in (one.role, other.role):
            raise OptionError(
                f"--{other.name} and --{one.name} both write {plain(shown(path))}, which can hold only one of "
                "them. Name two files."
            )


def _overwriting(path: str) -> OptionError:
    return OptionError(
        f"{plain(path)} is also an input of this call, so it was not overwritten. Choose "
        "another output file."
    )


def _is_in(file: str, texts: Sequence[str]) -> bool:
    """Return whether one of the texts of a call names the folder of a file."""
    return any(is_folder(text) and Path(file).parent.samefile(text) for text in texts if text)


def _files(text: str) -> Iterator[str]:
    """Yield the files that a text of a call may name: the text itself, a pattern, or names joined by "+"."""
    if "\0" in text:
        return
    for part in {text, *text.split("+")}:
        found = glob.iglob(part) if glob.has_magic(part) else ()  # noqa: PTH207 (as the readers do)
        for name in (part, *found):
            if name and is_file(name):
                yield name
