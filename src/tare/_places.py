"""Whether there is something at a place that a user named; a name that no file can have has nothing."""

from __future__ import annotations

import os

__all__ = ["exists", "is_file", "is_folder", "written_at"]

PathLike = str | os.PathLike[str]

# The methods of `Path` raise an error for a name that is too long; these functions do not.


def exists(path: PathLike) -> bool:
    """Return whether there is a file, a folder or anything else.

    >>> exists("a" * 5000)
    False
    """
    return os.path.exists(path)  # noqa: PTH110


def written_at(path: PathLike) -> str:
    """Return where an output is written: links are followed, and `MISSING/../file` is `file`."""
    return os.path.realpath(path)


def is_file(path: PathLike) -> bool:
    """Return whether there is a regular file, or a link to one."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: PathLike) -> bool:
    """Return whether there is a folder, or a link to one."""
    return os.path.isdir(path)  # noqa: PTH112
