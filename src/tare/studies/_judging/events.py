"""Events of a study in order; they are never changed or removed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["KINDS", "Event"]

KINDS = (
    "invited",  # an assessor was added, with the digest of their token
    "joined",  # signed in for the first time, perhaps with an external id
    "gate",  # answered the comprehension questions
    "assigned",  # a task was leased to the assessor until some time
    "expired",  # the lease ended without an answer
    "released",  # the assessor returned the task
    "judged",  # answered
    "undone",  # the last answer was removed, and its task leased again
    "revoked",  # the invitation was withdrawn, perhaps with its answers
    "paused",
    "resumed",
    "stopped",  # the interval is narrow enough; no further tasks are assigned
    "extended",  # more overlap, budget, or tasks per assessor
)


@dataclass(frozen=True)
class Event:
    """One event: time in seconds, kind, assessor and data.

    `submission` is the id that the client gave an answer; the same id counts only once.
    """

    at: float
    kind: str
    assessor: str = ""
    submission: str | None = None
    data: dict[str, Any] = field(default_factory=dict)
