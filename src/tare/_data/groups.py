"""Groups: how many consecutive rows belong to each query, where the rows do not say it."""

from __future__ import annotations

import operator
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tare._data.source import COMPRESSED, STDIN, PathLike, name_of, read_all
from tare.errors import FormatError, MismatchError, raise_all

__all__ = ["Groups", "beside", "offsets_of", "read_groups"]

SUFFIXES = (".query", ".group")

Groups = PathLike | Sequence[int] | NDArray[np.integer]


def beside(source: PathLike) -> Path:
    """The file of groups beside a file of rows: `rank.train.query` for `rank.train.gz`."""
    looked = ""
    if os.fspath(source) != STDIN:
        path = Path(source)
        if path.suffix.lower() in COMPRESSED:
            path = path.with_suffix("")
        places = [path.with_name(path.name + suffix) for suffix in SUFFIXES]
        for place in places:
            if place.is_file():
                return place
        looked = f", and there is no {' or '.join(place.name for place in places)} beside it"
    raise FormatError(
        f"{name_of(source)}: no line names its query{looked}. Put qid: and the query's id behind "
        "each grade, or give the path of the group sizes as groups=."
    )


def read_groups(source: PathLike) -> list[int]:
    """Reads group sizes, one a line."""
    name = name_of(source)
    sizes, problems = [], []
    for number, line in enumerate(read_all(source).split(b"\n"), 1):
        text = line.decode("utf-8-sig" if number == 1 else "utf-8", "replace").strip()
        if text.isdecimal() and text.isascii() and len(text) < 16 and int(text) > 0:
            sizes.append(int(text))
        elif text and not text.startswith("#"):
            problems.append(
                f"{name}, line {number}: {text[:200]!r} is not the size of a group; a whole number "
                "of rows, 1 or more, is needed on each line."
            )
    raise_all(problems)
    return sizes


def offsets_of(groups: Groups, rows: int, name: str) -> NDArray[np.int64]:
    """Where the rows of each group begin; the sizes have to add up to the number of rows."""
    if isinstance(groups, str | os.PathLike):
        told, sizes = name_of(groups), read_groups(groups)
    else:
        told, sizes = "groups=", [_size(size) for size in groups]
    if sum(sizes) != rows:
        raise MismatchError(
            f"{name} has {rows:,} rows, but the {len(sizes):,} groups of {told} have "
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
