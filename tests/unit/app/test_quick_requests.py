"""Quick requests: whatever is accepted is what h11 reads, and responses do not depend on the path taken."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import socket
import threading
import time
from uuid import uuid4

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tare._app import connections
from tare._app.quick_requests import QuickCycle, quick_request
from tare._app.tokens import csrf_of
from tests.rooms import House, study_of

PATHS = frozenset([b"/judge"])
PLAIN = b"POST /judge HTTP/1.1\r\nHost: x\r\nCookie: a=b\r\nContent-Length: 2\r\n\r\n{}"
NAMES = [b"Host", b"host", b"Cookie", b"Content-Length", b"Content-Type", b"Connection", b"X-Y", b"Expect",
         b"Transfer-Encoding", b"Bad Name", b"", b"Upgrade", b"TE"]  # fmt: skip
VALUES = [b"x", b"2", b"02", b"+2", b"2, 2", b"", b" padded\t", b"keep-alive", b"close", b"chunked", b"100-continue",
          b"a\tb", b"a\x00b", b"\xe9", b"a\nb", b"a\rb", b"0x2", b"\xb2"]  # fmt: skip
ENDS = [b"\r\n", b"\n", b"\r", b"\r\n ", b" \r\n"]


def as_h11_reads(data: bytes):
    """The request of h11, and whether it has read everything; None if it refuses or waits."""
    parser = h11.Connection(h11.SERVER)
    parser.receive_data(data)
    body, request = b"", None
    try:
        while True:
            event = parser.next_event()
            if isinstance(event, h11.Request):
                request = event
            elif isinstance(event, h11.Data):
                body += bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                return request, body, parser.trailing_data[0]
            else:
                return None
    except h11.RemoteProtocolError:
        return None


@given(
    st.sampled_from([b"POST /judge HTTP/1.1", b"POST /judge HTTP/1.0", b"GET /judge HTTP/1.1", b"POST  /judge HTTP/1.1",
                     b"POST /judge?a HTTP/1.1", b"POST /work HTTP/1.1", b"post /judge HTTP/1.1"]),
    st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(VALUES), st.sampled_from(ENDS[:1] * 8 + ENDS)), max_size=4),
    st.booleans(),
    st.sampled_from([b"{}", b"", b"{", b"{}{", b"{}\r\n\r\n", PLAIN]),
)  # fmt: skip
def test_what_is_accepted_is_what_h11_reads(first, headers, usual, body):
    lines = b"".join(b"%b: %b%b" % header for header in headers)
    lines += b"Host: x\r\nContent-Length: 2\r\n" if usual else b""
    data = first + b"\r\n" + lines + b"\r\n" + body
    found = quick_request(data, PATHS)
    if found is None:
        return
    read = as_h11_reads(data)
    assert read is not None
    request, content, rest = read
    assert (request.method, request.target, request.http_version) == (b"POST", b"/judge", b"1.1")
    assert [(name.lower(), value) for name, value in request.headers] == found.headers
    assert (found.path.encode(), found.body, rest) == (request.target, content, b"")


def test_a_plain_request_is_accepted():
    found = quick_request(PLAIN, PATHS)
    assert found is not None
    assert found.body == b"{}"
    assert quick_request(PLAIN.replace(b"Cookie", b"Connection: Keep-Alive\r\nCookie"), PATHS)


@pytest.mark.parametrize(
    "data",
    [
        PLAIN[:-1],
        PLAIN + b" ",
        PLAIN + PLAIN,
        PLAIN.replace(b"/judge", b"/undo"),
        PLAIN.replace(b"POST", b"PUT"),
        PLAIN.replace(b"1.1", b"1.0"),
        PLAIN.replace(b"Host: x\r\n", b""),
        PLAIN.replace(b"Host: x\r\n", b"Host: x\r\nHost: y\r\n"),
        PLAIN.replace(b"Content-Length: 2\r\n", b""),
        PLAIN.replace(b"Content-Length: 2\r\n", b"Content-Length: 2\r\nContent-Length: 2\r\n"),
        PLAIN.replace(b"Content-Length: 2\r\n", b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n"),
        PLAIN.replace(b"Cookie: a=b", b"Expect: 100-continue"),
        PLAIN.replace(b"Cookie: a=b", b"Connection: close"),
        PLAIN.replace(b"Cookie: a=b", b"Connection: upgrade"),
        PLAIN.replace(b"Cookie: a=b", b"Cookie : a=b"),
        PLAIN.replace(b"Cookie: a=b", b"Cookie: a\xe9b"),
        PLAIN.replace(b"Cookie: a=b", b"Cookie: a=b\r\n folded"),
        PLAIN.replace(b"Cookie: a=b", b"Cookie: " + b"a" * 40_000),
    ],
)  # fmt: skip
def test_every_doubt_is_left_to_h11(data):
    assert quick_request(data, PATHS) is None


class Raw:
    """A connection of an assessor that sends bytes."""

    def __init__(self, house: House) -> None:
        self.token = house.keys.assessors[0][1]
        house.assessor().open("/work")  # leases the first task
        self.cookie = f"tare_assessor_{house.store.id}={self.token}"
        self.socket = socket.create_connection(("127.0.0.1", int(house.url.split(":")[-1])))
        self.socket.settimeout(60)
        self.file = self.socket.makefile("rb")

    def request(self, number: int, choice: str = "left") -> bytes:
        fields = {"csrf": csrf_of(self.token), "submission": str(uuid4()), "number": number, "choice": choice}  # fmt: skip
        body = json.dumps(fields).encode()
        head = f"POST /judge HTTP/1.1\r\nhost: x\r\ncookie: {self.cookie}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        return head.encode() + body

    def response(self) -> tuple[bytes, list[bytes], dict[str, str]]:
        """Status line, names and values of headers, and the parsed body."""
        lines = list(iter(lambda: self.file.readline().rstrip(b"\r\n"), b""))
        length = next(
            int(line[15:]) for line in lines if line.lower().startswith(b"content-length:")
        )
        return lines[0], sorted(line.lower() for line in lines[1:]), json.loads(self.file.read(length))  # fmt: skip

    def close(self) -> None:
        self.file.close()
        self.socket.close()


def without_ids(text: str) -> str:
    return re.sub(r"[0-9a-f]{24,64}", "…", text)


@pytest.mark.parametrize("choice", ["left", "nonsense"])
def test_the_response_is_the_same_with_and_without_h11(tmp_path, monkeypatch, choice):
    found = []
    for name, quick in (("quick", True), ("h11", False)):
        seen: list[type] = []
        monkeypatch.setattr(
            connections, "quick_request", quick_request if quick else lambda *_: None
        )
        run = QuickCycle.run

        async def watched(self, app, run=run, seen=seen):
            seen.append(type(self))
            await run(self, app)

        with (
            monkeypatch.context() as patched,
            House(study_of(overlap=2), str(tmp_path / f"{name}.db")) as house,
        ):
            patched.setattr(QuickCycle, "run", watched)
            raw = Raw(house)
            raw.socket.sendall(raw.request(1, choice))
            status, headers, fields = raw.response()
            kept = [line for line in headers if not line.startswith((b"date:", b"content-length:"))]
            found.append(
                (status, kept, without_ids(fields["html"]), fields["step"], fields["notice"])
            )
            raw.close()
        assert bool(seen) is quick
    assert found[0] == found[1]
    assert found[0][0].split(b" ")[1] == (b"200" if choice == "left" else b"422")


def test_requests_in_one_piece_and_in_parts_are_answered_in_order(house):
    raw = Raw(house)
    first, second, third = (raw.request(n) for n in (1, 2, 3))
    raw.socket.sendall(first + second)  # both at once: h11 reads the first, and the second after it
    assert [raw.response()[0].split(b" ")[1] for _ in range(2)] == [b"200", b"200"]
    raw.socket.sendall(third[:40])
    raw.socket.sendall(third[40:])
    assert raw.response()[0].split(b" ")[1] == b"200"
    raw.socket.sendall(b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n")
    assert raw.file.readline().startswith(b"HTTP/1.1 200 ")
    raw.close()
    judged = [e for e in house.store.events() if e.kind == "judged"]
    assert [e.data["number"] for e in judged] == [1, 2, 3]


def test_a_request_that_comes_before_the_response_waits_for_it(house, monkeypatch):
    """The second request arrives while the first, a quick one, is being served."""
    held = threading.Event()
    run = QuickCycle.run

    async def slow(self, app):
        for _ in range(200):
            await asyncio.sleep(0.01)
            if self.flow.read_paused:
                held.set()
                break
        await run(self, app)

    monkeypatch.setattr(QuickCycle, "run", slow)
    raw = Raw(house)
    raw.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    raw.socket.sendall(raw.request(1))
    time.sleep(0.3)
    raw.socket.sendall(raw.request(2))
    assert [raw.response()[0].split(b" ")[1] for _ in range(2)] == [b"200", b"200"]
    assert held.is_set()
    raw.close()


def test_a_header_with_a_line_feed_is_never_sent(house, monkeypatch):
    from tare._app import security

    raw = Raw(house)
    monkeypatch.setattr(security, "HEADERS", [(b"x-bad", b"a\r\nset-cookie: b")])
    raw.socket.sendall(raw.request(1))
    received = b""
    with contextlib.suppress(ConnectionError):  # the connection is aborted
        received = raw.file.read()
    assert received == b""
    raw.close()
