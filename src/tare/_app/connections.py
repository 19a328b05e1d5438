"""Limits on the number of open connections and on the time that a request may take to arrive.

uvicorn waits without limit for the rest of a request, and accepts connections until no file
descriptors are left. A few hundred half-sent requests would then block everybody else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from tare._app.closing import ClosingTransport
from tare._app.quick_cycles import QuickCycle
from tare._app.quick_requests import QuickRequest, RecentHeads, quick_request

__all__ = ["LimitedProtocol", "Limits", "limits_of", "protocol_of"]

MAX_CONNECTIONS = 2000
RESERVED = 64  # descriptors for the database, static files and the logs
REASONS = {408: b"Request Timeout", 503: b"Service Unavailable"}
CLOSE_SECONDS = 5.0  # seconds to send a last reply


@dataclass(frozen=True)
class Limits:
    """Timeouts in seconds for the head and the body of a request and for reading a reply."""

    head: float = 15.0
    body: float = 60.0
    reply: float = 60.0
    connections: int = MAX_CONNECTIONS
    backlog: int = 128


def limits_of(descriptors: int) -> Limits:
    """Return the limits for a process that may open this many files.

    asyncio accepts up to `backlog` connections at a time, and it takes a few iterations of its loop
    until they are counted or closed here, so four backlogs are kept free.

    >>> limits_of(1024).connections
    832
    """
    backlog = max(8, min(128, descriptors // 32))
    return Limits(
        connections=max(16, min(MAX_CONNECTIONS, descriptors - 4 * backlog - RESERVED)),
        backlog=backlog,
    )


def protocol_of(
    limits: Limits, quick: Iterable[str] = (), shortcut: Callable[[QuickCycle], bool] | None = None
) -> type[LimitedProtocol]:
    """Return uvicorn's HTTP/1.1 protocol class with these limits.

    quick: paths of forms whose responses have one body, which are served with less work per request.
    shortcut: called with such a request; returns whether it will respond itself, instead of the application.
    """
    paths = frozenset(path.encode("ascii") for path in quick)
    own: dict[str, Any] = {"limits": limits, "quick": paths}
    if shortcut is not None:
        own["shortcut"] = staticmethod(shortcut)
    return type("LimitedProtocol", (LimitedProtocol,), own)


class LimitedProtocol(H11Protocol):
    """A connection with deadlines; the longest idle one is closed if there are too many."""

    limits: ClassVar[Limits] = Limits()
    quick: ClassVar[frozenset[bytes]] = frozenset()
    transport: ClosingTransport

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Register a new connection; if there are too many, close the longest idle one."""
        super().connection_made(ClosingTransport(transport, self.loop, self.limits.reply))
        self._watched: tuple[str, object] = ("", None)
        self._timer: asyncio.TimerHandle | None = None
        self._unread_timer: asyncio.TimerHandle | None = None
        self._since = self.loop.time()
        self._early = b""  # received during a quick request
        self._heads = RecentHeads()
        self._is_clean = True  # h11 is idle and has got nothing since
        self._idle_since = 0.0  # the last response to a quick request
        if len(self.connections) > self.limits.connections and not self._close_idle():
            self._reject(503)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Serve a quick request at once; h11 parses all other data."""
        if isinstance(self.cycle, QuickCycle) and not self.cycle.response_complete:
            self._early += data  # the next request, before the response to this one
            self.flow.pause_reading()
            return
        if self.quick and (self._is_clean or self._is_idle()):
            request = quick_request(data, self.quick, self._heads)
            if request is not None and not self.transport.is_closing():
                self._is_clean = True
                self._serve(request)
                return
        self._is_clean = False
        super().data_received(data)

    def _is_idle(self) -> bool:
        """Whether h11 waits for a request and has got no part of it."""
        conn = self.conn
        return conn.their_state is conn.our_state is h11.IDLE and not conn.trailing_data[0]

    def _serve(self, request: QuickRequest) -> None:
        """Respond to a quick request by the shortcut, or else by the application."""
        cycle = QuickCycle(
            request,
            self.transport,
            self.flow,
            self.server_state.default_headers,
            self._run,
            self._served,
        )
        self.cycle = cycle  # type: ignore[assignment]
        self._cancel_timer()
        self._watched, self._since = ("", cycle), self.loop.time()
        # If the client does not read, the application waits for it.
        if self.flow.write_paused or not self.shortcut(cycle):
            self._run(cycle, {})

    @staticmethod
    def shortcut(cycle: QuickCycle) -> bool:
        """Return whether the response will come without the application."""
        return False

    def _run(self, cycle: QuickCycle, more: dict[str, Any]) -> None:
        """Run the application for a quick request."""
        head = cycle.request.head
        scope = {
            "type": "http",
            "asgi": {"version": self.asgi_version, "spec_version": "2.3"},
            "http_version": "1.1",
            "server": self.server,
            "client": self.client,
            "scheme": self.scheme,
            "method": "POST",
            "root_path": self.root_path,
            "path": self.root_path + head.path,
            "raw_path": (self.root_path + head.path).encode("ascii"),
            "query_string": b"",
            "headers": list(head.headers),
            "state": self.app_state.copy(),
            **more,
        }
        task = self.loop.create_task(cycle.run(self.app, scope))
        task.add_done_callback(self.tasks.discard)
        self.tasks.add(task)

    def _served(self) -> None:
        """Continue after the response to a quick request.

        A timer for each of them would take longer than to look at the time when one timer ends.
        """
        self.server_state.total_requests += 1
        if not self.transport.is_closing():
            self._idle_since = self.loop.time()
            if self.timeout_keep_alive_task is None:
                self._close_later(self.timeout_keep_alive)
            self.flow.resume_reading()
        early, self._early = self._early, b""
        if early and not self.transport.is_closing():
            self.data_received(early)

    def _close_later(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(
            seconds, self.timeout_keep_alive_handler
        )

    def timeout_keep_alive_handler(self) -> None:
        """Close the connection, unless there was a quick request since the timer was set."""
        self.timeout_keep_alive_task = None
        if isinstance(self.cycle, QuickCycle):
            if not self.cycle.response_complete:
                return  # `_served` sets the next timer
            left = self._idle_since + self.timeout_keep_alive - self.loop.time()
            if left > 0:
                self._close_later(left)
                return
        super().timeout_keep_alive_handler()

    def handle_events(self) -> None:
        """Handle received data and set the next deadline."""
        super().handle_events()
        self._watch()

    def pause_writing(self) -> None:
        """Start a timeout because the client does not read the reply."""
        super().pause_writing()
        if self._unread_timer is None:
            self._unread_timer = self.loop.call_later(self.limits.reply, self.transport.abort)

    def resume_writing(self) -> None:
        """Cancel the timeout because the client reads again."""
        super().resume_writing()
        if self._unread_timer is not None:
            self._unread_timer.cancel()
            self._unread_timer = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel all timers."""
        self._cancel_timer()
        super().connection_lost(exc)
        self.transport.forget()
        if self._unread_timer is not None:
            self._unread_timer.cancel()

    def shutdown(self) -> None:
        """Close the connection because the server stops; a slow client has less time than usual."""
        self.transport.seconds = CLOSE_SECONDS
        super().shutdown()
        self.loop.call_later(CLOSE_SECONDS, self._end_slow)

    def _end_slow(self) -> None:
        if self.transport.is_closing() or self.waiting or self.flow.write_paused:
            self.transport.abort()

    @property
    def waiting(self) -> bool:
        """Whether the connection waits for a request or for the rest of one."""
        answered = self.cycle is None or self.cycle.response_complete
        return answered or self.conn.their_state is h11.SEND_BODY

    def _close_idle(self) -> bool:
        """Make room for this connection; return False if all others are in use.

        The oldest connection ends that is being closed; without one, the oldest that waits for a
        request; without one, the oldest whose client does not read.
        """
        known: Iterable[Any] = self.connections
        others: list[LimitedProtocol] = [
            c for c in known if c is not self and not c.transport.is_leaving
        ]
        if len(others) < self.limits.connections:
            return True
        ends: tuple[Callable[[LimitedProtocol], bool], ...] = (
            lambda c: c.transport.is_closing(),
            lambda c: c.waiting,
            lambda c: c.flow.write_paused,
        )
        for may_end in ends:
            found = [c for c in others if may_end(c)]
            if found:
                min(found, key=lambda c: c._since).transport.abort()
                return True
        return False

    def _watch(self) -> None:
        """Set the deadline for what is awaited; receiving a single byte does not extend it."""
        state = self.conn.their_state
        awaited = ""
        if not self.transport.is_closing():
            if state is h11.SEND_BODY:
                awaited = "body"
            elif state is h11.IDLE and (self.cycle is None or self.conn.trailing_data[0]):
                awaited = "head"
        if (awaited, self.cycle) == self._watched:
            return
        self._cancel_timer()
        self._watched, self._since = (awaited, self.cycle), self.loop.time()
        if awaited:
            seconds = self.limits.head if awaited == "head" else self.limits.body
            self._timer = self.loop.call_later(seconds, self._reject, 408)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _reject(self, status: int) -> None:
        """Send an error if possible, and close the connection."""
        self._cancel_timer()
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
        if self.cycle is not None:  # notify the application that the client disconnected
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()
        self.loop.call_later(CLOSE_SECONDS, self.transport.abort)
