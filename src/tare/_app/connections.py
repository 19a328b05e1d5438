"""Connections: how many may be open at once, and how long a request may take to arrive.

uvicorn waits for the rest of a request without end and accepts connections until there are no more
descriptors; a few hundred half-sent requests would then keep everybody else out.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["LimitedProtocol", "Limits", "limits_of", "protocol_of"]

MOST = 2000
RESERVED = 64  # descriptors for the database, static files and the logs
REASONS = {408: b"Request Timeout", 503: b"Service Unavailable"}
GRACE = 5.0  # seconds for a last reply to leave


@dataclass(frozen=True)
class Limits:
    """Seconds that the head and the body of a request may take; the same for a reply to be read."""

    head: float = 15.0
    body: float = 60.0
    reply: float = 60.0
    connections: int = MOST
    backlog: int = 128


def limits_of(descriptors: int) -> Limits:
    """The limits of a process that may open so many files.

    asyncio accepts up to `backlog` connections at a time, and it takes a few turns of its loop until
    one of them is known here or closed, so four backlogs are kept free.

    >>> limits_of(1024).connections
    832
    """
    backlog = max(8, min(128, descriptors // 32))
    return Limits(
        connections=max(16, min(MOST, descriptors - 4 * backlog - RESERVED)), backlog=backlog
    )


def protocol_of(limits: Limits) -> type[LimitedProtocol]:
    """uvicorn's protocol of HTTP/1.1 with these limits."""
    return type("LimitedProtocol", (LimitedProtocol,), {"limits": limits})


class LimitedProtocol(H11Protocol):
    """A connection that must make progress, and that gives way to a new one when there is no room."""

    limits: ClassVar[Limits] = Limits()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody has come; where there is no room, whoever has been silent longest goes."""
        super().connection_made(transport)
        self._watched: tuple[str, object] = ("", None)
        self._timer: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._since = self.loop.time()
        if len(self.connections) > self.limits.connections and not self._make_room():
            self._end(503)
        self._watch()

    def handle_events(self) -> None:
        """What has arrived is looked at, and the deadline that now holds is set."""
        super().handle_events()
        self._watch()

    def pause_writing(self) -> None:
        """The client does not read what it has asked for."""
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(self.limits.reply, self.transport.abort)

    def resume_writing(self) -> None:
        """It reads again."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._forget()
        super().connection_lost(exc)
        if self._unread is not None:
            self._unread.cancel()

    @property
    def waiting(self) -> bool:
        """Whether nothing is being answered: a request has not come, or not all of it."""
        answered = self.cycle is None or self.cycle.response_complete
        return answered or self.conn.their_state is h11.SEND_BODY

    def _make_room(self) -> bool:
        others = [
            c
            for c in self.connections
            if isinstance(c, LimitedProtocol)
            and c is not self
            and c.waiting
            and not c.transport.is_closing()
        ]
        closing = sum(c.transport.is_closing() for c in self.connections if c.transport is not None)
        if len(self.connections) - closing <= self.limits.connections:
            return True
        if not others:
            return False
        min(others, key=lambda c: c._since).transport.abort()
        return True

    def _watch(self) -> None:
        """Sets the deadline of what is awaited; progress of one byte does not prolong it."""
        state = self.conn.their_state
        awaited = ""
        if not self.transport.is_closing():
            if state is h11.SEND_BODY:
                awaited = "body"
            elif state is h11.IDLE and (self.cycle is None or self.conn.trailing_data[0]):
                awaited = "head"
        if (awaited, self.cycle) == self._watched:
            return
        self._forget()
        self._watched, self._since = (awaited, self.cycle), self.loop.time()
        if awaited:
            seconds = self.limits.head if awaited == "head" else self.limits.body
            self._timer = self.loop.call_later(seconds, self._end, 408)

    def _forget(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end(self, status: int) -> None:
        """Says why, where that can still be said, and closes."""
        self._forget()
        if self.transport.is_closing():
            return
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.abort()
            return
        reason = REASONS[status]
        headers = [
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", str(len(reason)).encode()),
            (b"connection", b"close"),
        ]
        events: tuple[h11.Event, ...] = (
            h11.Response(status_code=status, headers=headers, reason=reason),
            h11.Data(data=reason),
            h11.EndOfMessage(),
        )
        for event in events:
            self.transport.write(self.conn.send(event) or b"")
        if self.cycle is not None:  # the application is told that nobody is there
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()
        self.loop.call_later(GRACE, self.transport.abort)
