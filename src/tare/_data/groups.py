"""Groups: the number of consecutive rows of each query, for files that do not name queries."""

from __future__ import annotations

import operator
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tare._files.opening import COMPRESSED, STDIN, PathLike, name_of, read_all
from tare.errors import FormatError, MismatchError, raise_all

__all__ = ["Groups", "group_file", "offsets_of", "read_groups"]

SUFFIXES = (".query", ".group")

Groups = PathLike | Sequence[int] | NDArray[np.integer]


def group_file(source: PathLike) -> Path:
    """Return the file with the groups of a data file: `rank.train.query` for `rank.train.gz`."""
    looked = ""
    if os.fspath(source) != STDIN:
        path = Path(source)
        if path.suffix.lower() in COMPRESSED:
            path = path.with_suffix("")
        places = [path.with_name(path.name + suffix) for suffix in SUFFIXES]
        for place in places:
            if place.is_file():
                return place
        looked = f", and {' or '.join(place.name for place in places)} does not exist"
    raise FormatError(
        f"{name_of(source)}: no line names its query{looked}. Add qid: and the query id after each "
        "grade, or pass the path of the group sizes as groups=."
    )


def read_groups(source: PathLike) -> list[int]:
    """Read group sizes, one per line."""
    name = name_of(source)
    sizes, problems = [], []
    for number, line in enumerate(read_all(source).split(b"\n"), 1):
        text = line.decode("utf-8-sig" if number == 1 else "utf-8", "replace").strip()
        if text.isdecimal() and text.isascii() and len(text) < 16 and int(text) > 0:
            sizes.append(int(text))
        elif text and not text.startswith("#"):
            problems.append(
                f"{name}, line {number}: {text[:200]!r} is not the size of a group; each line "
                "needs a whole number of rows, 1 or more."
            )
    raise_all(problems)
    return sizes


def offsets_of(groups: Groups, rows: int, name: str) -> NDArray[np.int64]:
    """Return the first row of each group; the sizes must add up to the number of rows."""
    if isinstance(groups, str | os.PathLike):
        given, sizes = name_of(groups), read_groups(groups)
    else:
        given, sizes = "groups=", [_size(size) for size in groups]
    if sum(sizes) != rows:
        raise MismatchError(
            f"{name} has {rows:,} rows, but the {len(sizes):,} groups of {given} have "
            f"{sum(sizes):,}. Give the groups that were made with this file."
        )
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)], dtype=np.int64)


def _size(given: object) -> int:
    try:
        size = operator.index(given)  # type: ignore[arg-type]
    except TypeError:
        size = 0
    if size < 1:
        raise FormatError(f"groups= holds {given!r}; whole numbers of rows, 1 or more, are needed.")
    return size
