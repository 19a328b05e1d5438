"""Errors of a task, with the name of its partition."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from tare._plain_text import plain
from tare.errors import EngineError, TareError

__all__ = ["naming_partition", "partition_error"]


@contextmanager
def naming_partition(partition: object) -> Iterator[None]:
    """Add the name of the partition to every error raised within the block."""
    try:
        yield
    except Exception as error:
        named = partition_error(partition, error)
        if named is error:
            raise
        raise named from error


def partition_error(partition: object, error: BaseException) -> TareError:
    """Return the error of a partition, with its name."""
    if isinstance(error, TareError):
        return error
    if isinstance(error, OSError) and error.strerror and error.filename:  # a full disk, for example
        return EngineError(
            f"{partition}: {error.strerror}: {plain(os.fspath(error.filename))}. Nothing was scored."
        )
    return EngineError(
        f"{partition}: this part could not be processed ({type(error).__name__}: {error}). "
        "Nothing was scored; repair or remove this part, and try again."
    )
