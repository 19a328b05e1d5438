"""Errors of Ray's tasks, in the words of tare."""

from __future__ import annotations

from typing import Any

from tare.engines._partition_errors import partition_error
from tare.errors import EngineError, TareError

__all__ = ["RETRIES", "task_error"]

RETRIES = 3


def task_error(partition: Any, error: Exception) -> TareError:
    """Return the error of a task; if Ray gave it up, the error names the partition."""
    cause = getattr(error, "cause", None)
    if isinstance(cause, Exception):
        return partition_error(partition, cause)
    return EngineError(
        f"{partition}: Ray gave this part up after at most {RETRIES + 1} attempts ({type(error).__name__}). Is "
        "it damaged, or too large for the memory of a node? A smaller --memory makes smaller parts."
    )
