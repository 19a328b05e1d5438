"""Errors of trec_eval, with its exit codes."""

from __future__ import annotations

from tare.errors import UsageError

__all__ = ["USAGE", "RefusedError"]

USAGE, PARAMETERS, CALCULATION, NOTHING = 1, 2, 4, 7


class RefusedError(UsageError):
    """A call that trec_eval refuses; scripts may depend on the exit code, so it is trec_eval's."""

    def __init__(self, message: str, exit_code: int = USAGE) -> None:
        super().__init__(message)
        self.exit_code = exit_code
