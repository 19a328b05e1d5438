"""Events: what happened in a study, in order; nothing is ever changed or taken away."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["KINDS", "Event"]

KINDS = (
    "invited",  # an assessor and the digest of his token
    "joined",  # came for the first time, perhaps with an id from elsewhere
    "gate",  # answered the questions of comprehension
    "assigned",  # was given a task until some time
    "expired",  # did not answer in that time
    "released",  # gave a task back
    "judged",  # answered
    "undone",  # took his last answer back, and has the task again
    "revoked",  # may judge no more; perhaps his answers go as well
    "paused",
    "resumed",
    "extended",  # more overlap, budget, or tasks an assessor
)


@dataclass(frozen=True)
class Event:
    """One thing that happened: when (seconds), what, to whom, and what it was about.

    `submission` is the id that the client made for an answer: the same one cannot count twice.
    """

    at: float
    kind: str
    assessor: str = ""
    submission: str | None = None
    data: dict[str, Any] = field(default_factory=dict)
