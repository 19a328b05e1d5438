"""The room: what all routes share."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from starlette.requests import Request

from tare._app.limits import Guesses, network_of
from tare._app.store import Store, Writer
from tare.studies._judging import Event, Refusal, State
from tare.studies._judging.quality import Quality, quality

__all__ = ["Caused", "Room", "assessor_of", "room_of"]

FRESH = 3.0  # seconds for which numbers on the owner's page are good enough


@dataclass
class Room:
    """A study that is being served."""

    store: Store
    writer: Writer
    base: str = ""
    secure: bool = False
    guesses: Guesses = field(default_factory=Guesses)
    _quality: tuple[float, Quality] | None = None
    _looking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def quality(self) -> Quality:
        """How the study goes; looked up again when the last answer is some seconds old."""
        async with self._looking:
            if self._quality is None or monotonic() - self._quality[0] > FRESH:
                found = await asyncio.to_thread(lambda: quality(self.store.outcomes()))
                self._quality = (monotonic(), found)
            return self._quality[1]

    def forget(self) -> None:
        """Something has changed that the owner will want to see at once."""
        self._quality = None

    def wrong_link(self, request: Request) -> Refusal:
        """The answer to a link that is not known; an address with too many of them must wait.

        Right links are never asked for patience: others may sit behind the same address.
        """
        address = network_of(request.client.host if request.client else "?")
        if self.guesses.blocked(address):
            return Refusal(429, "too many wrong links from here; wait a minute.")
        self.guesses.failed(address)
        return Refusal(404, "there is no such link.")


def room_of(request: Request) -> Room:
    """The room of a request."""
    room: Room = request.app.state.room
    return room


def assessor_of(state: State, digest: str) -> str:
    """Who holds the token of this digest."""
    name = state.tokens.get(digest)
    if name is None:
        raise Refusal(401, "this invitation is not known; open your link again.")
    if state.assessors[name].revoked:
        raise Refusal(403, "this invitation was withdrawn.")
    return name


Caused = tuple[list[Event], Any]
