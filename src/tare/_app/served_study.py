"""The study that is being served, with everything that the routes share."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from starlette.requests import Request

from tare._app.limits import FailedAttempts, network_of
from tare._app.store import StudyStore, Writer
from tare.studies._judging import Event, Refusal, State
from tare.studies._judging.quality import Quality, quality

__all__ = ["ActionResult", "ServedStudy", "assessor_of", "served_study_of"]

MAX_AGE = 3.0  # seconds for which figures on the owner's page are reused


@dataclass
class ServedStudy:
    """A study, the writer of its log, and its public address."""

    store: StudyStore
    writer: Writer
    base: str = ""
    secure: bool = False
    attempts: FailedAttempts = field(default_factory=FailedAttempts)
    _quality: tuple[float, Quality] | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def quality(self) -> Quality:
        """Return progress and quality of the study, computed again every few seconds."""
        async with self._lock:
            if self._quality is None or monotonic() - self._quality[0] > MAX_AGE:
                found = await asyncio.to_thread(lambda: quality(self.store.outcomes()))
                self._quality = (monotonic(), found)
            return self._quality[1]

    def invalidate(self) -> None:
        """Discard the computed quality, so that the owner sees a change at once."""
        self._quality = None

    def unknown_link(self, request: Request) -> Refusal:
        """Return the refusal of an unknown link; an address with too many of them must wait.

        Known links always work: other people may share the address.
        """
        address = network_of(request.client.host if request.client else "?")
        if self.attempts.blocked(address):
            return Refusal(
                429, "too many unknown links were opened from this address. Please wait a minute."
            )
        self.attempts.record(address)
        return Refusal(404, "this link is not valid.")


def served_study_of(request: Request) -> ServedStudy:
    """Return the study that a request belongs to."""
    served: ServedStudy = request.app.state.served
    return served


def assessor_of(state: State, digest: str) -> str:
    """Return the assessor who holds the token with this digest."""
    name = state.tokens.get(digest)
    if name is None:
        raise Refusal(401, "this invitation is not valid. Please open your link again.")
    if state.assessors[name].revoked:
        raise Refusal(403, "this invitation was withdrawn.")
    return name


ActionResult = tuple[list[Event], Any]
