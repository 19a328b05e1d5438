"""Small requests that arrive in one piece, parsed without h11.

h11 takes longer than an answer itself. Only requests in the plainest form are accepted here; h11 parses all
others, and decides about every doubt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

__all__ = ["QuickHead", "QuickRequest", "RecentHeads", "quick_head", "quick_request"]

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


@dataclass(slots=True)
class QuickHead:
    """The head of a request: its path, headers with names in lower case, and length of the body.

    known: what the application has found out about these headers.
    """

    path: str
    headers: list[tuple[bytes, bytes]]
    length: int
    known: Any = None


class QuickRequest(NamedTuple):
    """A whole request."""

    head: QuickHead
    body: bytes


def quick_head(data: bytes, paths: frozenset[bytes]) -> QuickHead | None:
    """Return the head if these bytes are that of a POST to one of the paths; None if h11 has to decide.

    >>> quick_head(b"POST /a HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 2", frozenset([b"/a"]))
    QuickHead(path='/a', headers=[(b'host', b'x'), (b'content-length', b'2')], length=2, known=None)
    """
    if not data.startswith(b"POST "):
        return None
    first, *lines = data.split(b"\r\n")
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
    if b"host" not in once or not length.isdigit() or len(length) > 9:
        return None
    return QuickHead(path.decode("ascii"), headers, int(length))


def quick_request(
    data: bytes, paths: frozenset[bytes], recent: RecentHeads | None = None
) -> QuickRequest | None:
    """Return the request if these bytes are one POST to one of the paths; None if h11 has to decide.

    >>> text = b"POST /a HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 2\\r\\n\\r\\n{}"
    >>> quick_request(text, frozenset([b"/a"])).body
    b'{}'
    >>> quick_request(text + b"GET", frozenset([b"/a"])) is None
    True
    """
    end = data.find(b"\r\n\r\n", 0, MAX_HEAD)
    if end < 0:
        return None
    given = data[:end]
    head = recent.get(given) if recent is not None else None
    if head is None:
        head = quick_head(given, paths)
        if head is None:
            return None
        if recent is not None:
            recent.add(given, head)
    body = data[end + 4 :]
    return QuickRequest(head, body) if len(body) == head.length else None


class RecentHeads:
    """The last heads that a connection sent: a browser repeats them, and only the length of the body changes."""

    MOST, LONGEST = 8, 2048  # heads, and bytes of one

    def __init__(self) -> None:
        self._heads: dict[bytes, QuickHead] = {}
        self.get = self._heads.get

    def add(self, data: bytes, head: QuickHead) -> None:
        """Keep a head that has been parsed."""
        if len(data) <= self.LONGEST:
            if len(self._heads) >= self.MOST:
                del self._heads[next(iter(self._heads))]
            self._heads[data] = head
