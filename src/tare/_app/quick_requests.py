"""Small requests that arrive in one piece, parsed and answered without h11.

h11 and uvicorn's cycle take longer than an answer itself. Only requests in the plainest form are accepted
here; h11 parses all others, and decides about every doubt.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from starlette.types import ASGIApp, Message, Scope
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES

__all__ = ["QuickCycle", "QuickRequest", "quick_request"]

MAX_HEAD = 32 * 1024  # bytes, as for h11
HEADER = re.compile(
    rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)[ \t]*"
)
"""A header in ASCII with a value; h11 accepts more."""
DECISIVE = frozenset(
    [b"connection", b"expect", b"te", b"trailer", b"transfer-encoding", b"upgrade"]
)
"""Headers that change how a request is read; left to h11, except for `connection: keep-alive`."""
ONCE = frozenset([b"host", b"content-length", b"content-type", b"cookie", b"origin"])


class QuickRequest(NamedTuple):
    """A whole request: its path, headers with names in lower case, and body."""

    path: str
    headers: list[tuple[bytes, bytes]]
    body: bytes


def quick_request(data: bytes, paths: frozenset[bytes]) -> QuickRequest | None:
    """Return the request if these bytes are one POST to one of the paths; None if h11 has to decide.

    >>> text = b"POST /a HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 2\\r\\n\\r\\n{}"
    >>> quick_request(text, frozenset([b"/a"]))
    QuickRequest(path='/a', headers=[(b'host', b'x'), (b'content-length', b'2')], body=b'{}')
    >>> quick_request(text + b"GET", frozenset([b"/a"])) is None
    True
    """
    end = data.find(b"\r\n\r\n", 0, MAX_HEAD)
    if end < 0 or not data.startswith(b"POST "):
        return None
    first, *lines = data[:end].split(b"\r\n")
    path = first[5:-9]
    if path not in paths or not first.endswith(b" HTTP/1.1"):
        return None
    headers: list[tuple[bytes, bytes]] = []
    once: dict[bytes, bytes] = {}
    for line in lines:
        found = HEADER.fullmatch(line)
        if found is None:
            return None
        name, value = found[1].lower(), found[2]
        if name in DECISIVE and (name != b"connection" or value.lower() != b"keep-alive"):
            return None
        if name in ONCE:
            if name in once:
                return None
            once[name] = value
        headers.append((name, value))
    length = once.get(b"content-length", b"")
    body = data[end + 4 :]
    if b"host" not in once or not length.isdigit() or len(length) > 9 or int(length) != len(body):
        return None
    return QuickRequest(path.decode("ascii"), headers, body)


class QuickCycle:
    """One request and its response, which is written in one piece; takes the place of uvicorn's cycle."""

    def __init__(
        self,
        request: QuickRequest,
        scope: Scope,
        transport: asyncio.Transport,
        flow: FlowControl,
        default_headers: list[tuple[bytes, bytes]],
        on_response: Callable[[], None],
    ) -> None:
        self.scope, self.transport, self.flow = scope, transport, flow
        self.default_headers, self.on_response = default_headers, on_response
        self.message_event = asyncio.Event()
        self.disconnected = self.response_complete = False
        self.keep_alive = True
        self._body: bytes | None = request.body
        self._start: Message | None = None

    async def run(self, app: ASGIApp) -> None:
        """Call the application; it answers its own failures."""
        try:
            await app(self.scope, self.receive, self.send)
        finally:
            if not self.response_complete and not self.disconnected:
                self.transport.abort()

    async def receive(self) -> Message:
        """Return the body, then wait until the client has gone."""
        body, self._body = self._body, None
        if body is not None:
            return {"type": "http.request", "body": body, "more_body": False}
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
        head = self._head(self._start)
        self.response_complete = True
        self.message_event.set()
        self.transport.write(head + message.get("body", b""))
        if not self.keep_alive:
            self.transport.close()
        self.on_response()

    def _head(self, start: Any) -> bytes:
        headers = [*self.default_headers, *start["headers"]]
        if not self.keep_alive:
            headers.append((b"connection", b"close"))
        status = start["status"]
        lines = [b"HTTP/1.1 %d %b" % (status, STATUS_PHRASES[status])]
        lines += [b"%b: %b" % header for header in headers]
        head = b"\r\n".join(lines)
        if head.count(b"\n") != len(headers) or head.count(b"\r") != len(headers):
            raise RuntimeError("a header of the response contains a line feed")
        return head + b"\r\n\r\n"
