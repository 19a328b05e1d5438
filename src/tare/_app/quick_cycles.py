"""Requests that were parsed without h11, and their responses; they take the place of uvicorn's cycle."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from starlette.types import ASGIApp, Message, Scope
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES

from tare._app.quick_requests import QuickRequest

__all__ = ["QuickCycle"]

HeaderList = tuple[tuple[bytes, bytes], ...]


class QuickCycle:
    """One request and its response, which is written in one piece.

    The application is run by `on_run`, and the connection continues after `on_response`.
    """

    def __init__(
        self,
        request: QuickRequest,
        transport: asyncio.Transport,
        flow: FlowControl,
        default_headers: list[tuple[bytes, bytes]],
        on_run: Callable[[QuickCycle, dict[str, Any]], None],
        on_response: Callable[[], None],
    ) -> None:
        self.request, self.transport, self.flow = request, transport, flow
        self.default_headers, self.on_run, self.on_response = default_headers, on_run, on_response
        self.message_event = asyncio.Event()
        self.disconnected = self.response_complete = False
        self.keep_alive = True
        self._received = False
        self._start: Message | None = None

    async def run(self, app: ASGIApp, scope: Scope) -> None:
        """Call the application; it answers its own failures."""
        try:
            await app(scope, self.receive, self.send)
        finally:
            if not self.response_complete and not self.disconnected:
                self.transport.abort()

    def reply(self, headers: HeaderList, body: bytes) -> None:
        """Respond with status 200 without the application."""
        if not self.disconnected:
            self._write(200, ((b"content-length", b"%d" % len(body)),), headers, body)

    def run_application(self, more: dict[str, Any]) -> None:
        """Leave the request to the application, with more keys in its scope."""
        if not self.disconnected:
            self.on_run(self, more)

    async def receive(self) -> Message:
        """Return the body, then wait until the client has gone."""
        if not self._received:
            self._received = True
            return {"type": "http.request", "body": self.request.body, "more_body": False}
        if not self.response_complete and not self.disconnected:
            await self.message_event.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """Keep the head of the response, and write it together with the body."""
        if self.flow.write_paused and not self.disconnected:
            await self.flow.drain()
        if self.disconnected:
            return
        if message["type"] == "http.response.start":
            self._start = message
            return
        if self._start is None or self.response_complete or message.get("more_body"):
            raise RuntimeError("expected one head and one body")
        headers = tuple((name, value) for name, value in self._start["headers"])
        self._write(self._start["status"], headers, (), message.get("body", b""))

    def _write(self, status: int, changing: HeaderList, lasting: HeaderList, body: Any) -> None:
        head = b"HTTP/1.1 %d %b\r\n" % (status, STATUS_PHRASES[status])
        head += (
            _lasting_lines(tuple(self.default_headers)) + _lines(changing) + _lasting_lines(lasting)
        )
        if not self.keep_alive:
            head += b"connection: close\r\n"
        self.response_complete = True
        self.message_event.set()
        self.transport.write(b"%b\r\n%b" % (head, body))
        if not self.keep_alive:
            self.transport.close()
        self.on_response()


def _lines(headers: HeaderList) -> bytes:
    lines = b"".join([b"%b: %b\r\n" % header for header in headers])
    if lines.count(b"\n") != len(headers) or lines.count(b"\r") != len(headers):
        raise RuntimeError("a header of the response contains a line feed")
    return lines


_lasting_lines = lru_cache(maxsize=16)(_lines)  # of headers that most responses share
