"""Errors of Ray's tasks, in the words of tare."""

from __future__ import annotations

from typing import Any

from tare.engines._partition_errors import partition_error
from tare.errors import EngineError, TareError

__all__ = ["RETRIES", "silence", "task_error"]

RETRIES = 3
FULL_STORES = ("OutOfDiskError", "ObjectStoreFullError")


def silence() -> None:
    """Keep Ray from printing the tracebacks of its own processes; errors are reported by tasks.

    The option `log_to_driver` of Ray concerns the output of tasks only.
    """
    from ray._private import worker

    if hasattr(worker, "print_to_stdstream"):
        worker.print_to_stdstream = lambda *_, **__: None


def task_error(partition: Any, error: Exception) -> TareError:
    """Return the error of a task; if its worker died repeatedly, the error names the partition."""
    cause = getattr(error, "cause", None)
    for met in (error, cause):
        if type(met).__name__ in FULL_STORES:
            return EngineError(
                f"{partition}: a node has no place for its rows: the object store is full, and so is the disk to "
                "which it spills (`--object-spilling-directory` or `--temp-dir` of `ray start`). Nothing was "
                "scored. Free some space there, add nodes, or sort the run by query, which needs no such place."
            )
    if isinstance(cause, Exception):
        return partition_error(partition, cause)
    return EngineError(
        f"{partition}: its worker died {RETRIES + 1} times ({type(error).__name__}). Is the part "
        "damaged, or too large for the memory of a node? A smaller --memory makes smaller parts."
    )
