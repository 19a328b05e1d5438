"""Quick requests: whatever is accepted is what h11 reads, and responses do not depend on the path taken."""

from __future__ import annotations

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

from tare._app import StudyStore, connections, quick_answers
from tare._app.quick_cycles import QuickCycle
from tare._app.quick_requests import RecentHeads, quick_request
from tare._app.store import Writer
from tare._app.tokens import csrf_of
from tests.rooms import House, study_of

PATHS = frozenset([b"/judge"])
PLAIN = b"POST /judge HTTP/1.1\r\nHost: x\r\nCookie: a=b\r\nContent-Length: 2\r\n\r\n{}"
NAMES = [
    b"Host",
    b"host",
    b"Cookie",
    b"Content-Length",
    b"Content-Type",
    b"Connection",
    b"X-Y",
    b"Expect",
    b"Transfer-Encoding",
    b"Bad Name",
    b"",
    b"Upgrade",
    b"TE",
]
VALUES = [
    b"x",
    b"2",
    b"02",
    b"+2",
    b"2, 2",
    b"",
    b" padded\t",
    b"keep-alive",
    b"close",
    b"chunked",
    b"100-continue",
    b"a\tb",
    b"a\x00b",
    b"\xe9",
    b"a\nb",
    b"a\rb",
    b"0x2",
    b"\xb2",
]
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
    st.sampled_from(
        [
            b"POST /judge HTTP/1.1",
            b"POST /judge HTTP/1.0",
            b"GET /judge HTTP/1.1",
            b"POST  /judge HTTP/1.1",
            b"POST /judge?a HTTP/1.1",
            b"POST /work HTTP/1.1",
            b"post /judge HTTP/1.1",
        ]
    ),
    st.lists(
        st.tuples(
            st.sampled_from(NAMES), st.sampled_from(VALUES), st.sampled_from(ENDS[:1] * 8 + ENDS)
        ),
        max_size=4,
    ),
    st.booleans(),
    st.sampled_from([b"{}", b"", b"{", b"{}{", b"{}\r\n\r\n", PLAIN]),
)
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
    assert [(name.lower(), value) for name, value in request.headers] == found.head.headers
    assert (found.head.path.encode(), found.body, rest) == (request.target, content, b"")


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
        PLAIN.replace(
            b"Content-Length: 2\r\n", b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n"
        ),
        PLAIN.replace(b"Cookie: a=b", b"Expect: 100-continue"),
        PLAIN.replace(b"Cookie: a=b", b"Connection: close"),
        PLAIN.replace(b"Cookie: a=b", b"Connection: upgrade"),
        PLAIN.replace(b"Cookie: a=b", b"Cookie : a=b"),
        PLAIN.replace(b"Cookie: a=b", b"Cookie: a\xe9b"),
        PLAIN.replace(b"Cookie: a=b", b"Cookie: a=b\r\n folded"),
        PLAIN.replace(b"Cookie: a=b", b"Cookie: " + b"a" * 40_000),
    ],
)
def test_every_doubt_is_left_to_h11(data):
    assert quick_request(data, PATHS) is None


@given(st.lists(st.tuples(st.integers(0, 12), st.sampled_from([b"{}", b"", b"{}{"])), max_size=30))
def test_heads_that_come_again_are_read_alike(sent):
    recent = RecentHeads()
    for cookie, body in sent:
        data = PLAIN.replace(b"a=b", b"a=%d" % cookie)[:-2] + body
        assert quick_request(data, PATHS, recent) == quick_request(data, PATHS)
    assert len(recent._heads) <= RecentHeads.MOST


def test_long_heads_are_not_kept():
    recent = RecentHeads()
    assert quick_request(PLAIN.replace(b"a=b", b"a=" + b"b" * 3000), PATHS, recent) is not None
    assert not recent._heads


class Raw:
    """A connection of an assessor that sends bytes."""

    def __init__(self, house: House, place: int = 0) -> None:
        self.token = house.keys.assessors[place][1]
        house.assessor(place).open("/work")  # leases the first task
        self.cookie = f"tare_assessor_{house.store.id}={self.token}"
        self.socket = socket.create_connection(("127.0.0.1", int(house.url.split(":")[-1])))
        self.socket.settimeout(60)
        self.file = self.socket.makefile("rb")

    def request(self, number: int, choice: str = "left", **more: object) -> bytes:
        fields = {
            "csrf": csrf_of(self.token),
            "submission": str(uuid4()),
            "number": number,
            "choice": choice,
            **more,
        }
        body = json.dumps(fields).encode()
        head = f"POST /judge HTTP/1.1\r\nhost: x\r\ncookie: {self.cookie}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        return head.encode() + body

    def response(self) -> tuple[bytes, list[bytes], dict[str, str]]:
        """Status line, names and values of headers, and the parsed body."""
        lines = list(iter(lambda: self.file.readline().rstrip(b"\r\n"), b""))
        length = next(
            int(line[15:]) for line in lines if line.lower().startswith(b"content-length:")
        )
        return (
            lines[0],
            sorted(line.lower() for line in lines[1:]),
            json.loads(self.file.read(length)),
        )

    def close(self) -> None:
        self.file.close()
        self.socket.close()


def without_ids(text: str) -> str:
    return re.sub(r"[0-9a-f]{24,64}|(?<=>)[0-9A-F]{8}(?=<)", "…", text)


WAYS = ("shortcut", "application", "h11")


@pytest.fixture(params=WAYS[:2])
def way(request, monkeypatch) -> str:
    """How answers are served that come in one piece."""
    take(request.param, monkeypatch)
    return request.param


def take(way: str, monkeypatch) -> None:
    if way != "shortcut":
        monkeypatch.setattr(quick_answers, "_session", lambda *_: None)
    if way == "h11":
        monkeypatch.setattr(connections, "quick_request", lambda *_: None)


def watch(monkeypatch) -> list[str]:
    """The ways that responses take from now on."""
    seen: list[str] = []
    for way, name in (("shortcut", "reply"), ("application", "run")):
        known = getattr(QuickCycle, name)

        def watched(self, *given, way=way, known=known):
            seen.append(way)
            return known(self, *given)

        monkeypatch.setattr(QuickCycle, name, watched)
    return seen


@pytest.mark.parametrize(
    ("kind", "fields", "design", "status"),
    [
        ("preference", {}, {}, b"200"),
        ("preference", {}, {"per_assessor": 1}, b"200"),  # finished
        ("preference", {}, {"per_assessor": 1, "code": "C<1>"}, b"200"),
        ("preference", {}, {"question": 'Which is "better" \\ é 🌧?'}, b"200"),
        ("preference", {"choice": "nonsense"}, {}, b"422"),
        ("preference", {"number": 7}, {}, b"409"),
        ("preference", {"choice": "cannot", "reason": "\ud800"}, {}, b"400"),
        ("preference", {"x": [[[0]]] * 60}, {}, b"200"),
        ("conditional", {}, {}, b"200"),
        ("headtohead", {}, {}, b"200"),
        ("grades", {"grade": 1, "choice": None}, {}, b"200"),
        ("ratings", {"answer": {"ratings": {"readability": 4, "coherence": 2}}}, {}, b"200"),
    ],
)
def test_the_response_does_not_depend_on_the_way(
    tmp_path, monkeypatch, kind, fields, design, status
):
    found = []
    for way in WAYS:
        with (
            monkeypatch.context() as patched,
            House(study_of(kind, overlap=2, **design), str(tmp_path / f"{way}.db")) as house,
        ):
            take(way, patched)
            raw = Raw(house)
            seen = watch(patched)
            raw.socket.sendall(raw.request(**{"number": 1, **fields}))
            first, headers, body = raw.response()
            kept = [line for line in headers if not line.startswith((b"date:", b"content-length:"))]
            found.append((first, kept, {key: without_ids(text) for key, text in body.items()}))
            raw.close()
        short = way == "shortcut" and status == b"200" and kind != "ratings"
        assert seen == (["shortcut"] if short else [] if way == "h11" else ["application"])
    assert found[0] == found[1] == found[2]
    assert found[0][0].split(b" ")[1] == status


def change(name: str, raw: Raw, other: Raw) -> bytes:
    """A request that must be refused."""
    plain = raw.request(1)
    head, _, body = plain.partition(b"\r\n\r\n")
    cookie = raw.cookie.encode()
    made = {
        "no cookie": plain.replace(b"cookie: " + cookie + b"\r\n", b""),
        "no token": plain.replace(cookie, cookie.partition(b"=")[0] + b"=x"),
        "unknown token": plain.replace(raw.token.encode(), b"A" * 43),
        "another's cookie": plain.replace(cookie, other.cookie.encode()),
        "another's form": raw.request(1, csrf=csrf_of(other.token)),
        "no form": raw.request(1, csrf=None),
        "foreign origin": plain.replace(b"host: x", b"host: x\r\norigin: https://y"),
        "foreign site": plain.replace(b"host: x", b"host: x\r\nsec-fetch-site: cross-site"),
        "submission": raw.request(1, submission="short"),
        "number": raw.request(-1),
        "not JSON": head + b"\r\n\r\n" + b"x" * len(body),
        "no object": head + b"\r\n\r\n" + b"[" + b" " * (len(body) - 2) + b"]",
        "nested": raw.request(1).replace(b'"left"', b'[[[[""]]]]'[:6]),
        "content type": plain.replace(b"application/json", b"text/plain"),
        "large": raw.request(1, reason="x" * 70_000),
    }
    return made[name]


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("no cookie", b"401"),
        ("no token", b"401"),
        ("unknown token", b"403"),
        ("another's cookie", b"403"),
        ("another's form", b"403"),
        ("no form", b"403"),
        ("foreign origin", b"403"),
        ("foreign site", b"403"),
        ("submission", b"422"),
        ("number", b"422"),
        ("not JSON", b"400"),
        ("no object", b"400"),
        ("nested", b"400"),
        ("content type", b"415"),
        ("large", b"413"),
    ],
)
def test_what_the_route_refuses_is_refused_by_every_way(house, way, name, status):
    raw, other = Raw(house), Raw(house, 1)
    raw.socket.sendall(raw.request(1))  # its head is known from here on
    assert raw.response()[0].split(b" ")[1] == b"200"
    raw.socket.sendall(change(name, raw, other))
    assert raw.file.readline().split(b" ")[1] == status
    assert [e.kind for e in house.store.events()].count("judged") == 1
    raw.close()
    other.close()


def test_two_assessors_behind_one_connection(house, way):
    """As behind a proxy: each request counts for the holder of its own cookie."""
    raw, other = Raw(house), Raw(house, 1)
    for number in (1, 2):
        for sender in (raw, other):
            raw.socket.sendall(sender.request(number))
            assert raw.response()[0].split(b" ")[1] == b"200"
    judged = [e.assessor for e in house.store.events() if e.kind == "judged"]
    assert judged == ["a1", "a2", "a1", "a2"]
    raw.close()
    other.close()


def test_a_withdrawn_invitation_and_a_pause_count_at_once(house, way):
    raw, other, owner = Raw(house), Raw(house, 1), house.owner()
    for sender in (raw, other):
        sender.socket.sendall(sender.request(1))
        assert sender.response()[0].split(b" ")[1] == b"200"
    form = re.search(r'name="csrf" value="([0-9a-f]{64})"', owner.open("/owner"))
    assert form is not None
    owner.client.post("/owner/revoke", data={"csrf": form[1], "assessor": "a1"})
    owner.client.post("/owner/pause", data={"csrf": form[1], "paused": "yes"})
    raw.socket.sendall(raw.request(2))
    other.socket.sendall(other.request(2))
    assert raw.response()[0].split(b" ")[1] == b"403"
    assert other.response()[0].split(b" ")[1] == b"423"
    raw.close()
    other.close()


def test_an_answer_that_cannot_be_written_is_not_acknowledged(house, way, monkeypatch, caplog):
    """Status 503 after one attempt, and the connection stays open."""
    raw, tried = Raw(house), []
    append = StudyStore.append

    def fails(self, connection, last, events):
        tried.append(1)
        raise OSError("disk full")

    monkeypatch.setattr(StudyStore, "append", fails)
    request = raw.request(1)
    raw.socket.sendall(request)
    status, _, fields = raw.response()
    assert status.split(b" ")[1] == b"503"
    assert "nothing was saved" in fields["error"]
    assert len(tried) == 1
    assert [r.getMessage() for r in caplog.records] == ["request failed: OSError"]
    monkeypatch.setattr(StudyStore, "append", append)
    raw.socket.sendall(request)
    assert raw.response()[0].split(b" ")[1] == b"200"
    raw.socket.sendall(request)  # the same submission again
    assert raw.response()[0].split(b" ")[1] == b"200"
    assert [e.kind for e in house.store.events()].count("judged") == 1
    raw.close()


def test_a_step_that_cannot_be_shown_is_a_failure(house, monkeypatch):
    def fails(*_):
        raise RuntimeError("broken")

    raw = Raw(house)
    monkeypatch.setattr(quick_answers, "step_json", fails)
    raw.socket.sendall(raw.request(1))
    assert raw.response()[0].split(b" ")[1] == b"503"
    raw.close()


def test_an_idle_connection_is_closed_and_a_busy_one_is_not(house, way):
    """One timer serves many quick requests."""
    raw = Raw(house)
    raw.socket.sendall(raw.request(1))
    raw.response()
    own = raw.socket.getsockname()
    (protocol,) = [c for c in house.serving.server.server_state.connections if c.client == own]
    while protocol.timeout_keep_alive_task is None:  # it is set after the response was written
        time.sleep(0.01)
    loop, timer = protocol.loop, protocol.timeout_keep_alive_task
    raw.socket.sendall(raw.request(2))
    raw.response()
    assert protocol.timeout_keep_alive_task is timer
    loop.call_soon_threadsafe(
        protocol.timeout_keep_alive_handler
    )  # too early: 30 seconds are not over
    raw.socket.sendall(raw.request(3))
    assert raw.response()[0].split(b" ")[1] == b"200"
    protocol.timeout_keep_alive = 0.05
    loop.call_soon_threadsafe(protocol.timeout_keep_alive_handler)
    assert raw.file.read() == b""
    raw.close()


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


def test_a_request_that_comes_before_the_response_waits_for_it(house, way, monkeypatch):
    """The second request arrives while the first, a quick one, is being served."""
    held = threading.Event()
    commit = Writer._commit

    def slow(self, batch):
        for _ in range(500):
            if any(c.flow.read_paused for c in list(house.serving.server.server_state.connections)):
                held.set()
                break
            time.sleep(0.01)
        return commit(self, batch)

    raw = Raw(house)
    monkeypatch.setattr(Writer, "_commit", slow)
    raw.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    raw.socket.sendall(raw.request(1))
    time.sleep(0.3)
    raw.socket.sendall(raw.request(2))
    assert [raw.response()[0].split(b" ")[1] for _ in range(2)] == [b"200", b"200"]
    assert held.is_set()
    raw.close()


def test_a_client_that_leaves_before_the_response(house, way, monkeypatch):
    """Its answer counts, and others are served."""
    raw, other, gone = Raw(house), Raw(house, 1), threading.Event()
    commit = Writer._commit

    def slow(self, batch):
        gone.wait(60)
        return commit(self, batch)

    monkeypatch.setattr(Writer, "_commit", slow)
    raw.socket.sendall(raw.request(1))
    time.sleep(0.2)
    raw.close()
    time.sleep(0.2)
    gone.set()
    other.socket.sendall(other.request(1))
    assert other.response()[0].split(b" ")[1] == b"200"
    other.close()
    assert [e.kind for e in house.store.events()].count("judged") == 2


def test_a_header_with_a_line_feed_is_never_sent(house, way, monkeypatch):
    from tare._app import security

    raw = Raw(house)
    monkeypatch.setattr(security, "HEADERS", [(b"x-bad", b"a\r\nset-cookie: b")])
    raw.socket.sendall(raw.request(1))
    received = b""
    with contextlib.suppress(ConnectionError):  # the connection is aborted
        received = raw.file.read()
    assert received == b""
    raw.close()
