"""Connections: requests that never end, too many of them, and replies that nobody reads."""

from __future__ import annotations

import logging
import socket
import time

import pytest

from tare._app.connections import Limits, limits_of
from tare._app.log_limits import LogLimit
from tests.rooms import House, study_of

HALF_A_HEAD = b"GET /health HTTP/1.1\r\nhost: x\r\nx-more: "
HALF_A_BODY = b"POST /judge HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"


def connect(house: House) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", int(house.url.split(":")[-1])))
    made.settimeout(60)
    return made


def rest_of(connection: socket.socket) -> bytes:
    """What comes until the other side ends it."""
    try:
        return b"".join(iter(lambda: connection.recv(65536), b""))
    except ConnectionError:
        return b""


def cookie_name(house: House) -> str:
    ann = house.assessor()
    return "; ".join(f"{c.name}={c.value}" for c in ann.client.cookies.jar)


@pytest.fixture
def impatient(tmp_path):
    """A server that waits only a moment for a request; on a busy machine also for a good one."""
    with House(study_of(), str(tmp_path / "s.db"), limits=Limits(head=0.3, body=0.3)) as made:
        yield made


@pytest.mark.parametrize(
    "half", [b"", b"G", HALF_A_HEAD, HALF_A_BODY], ids=["nothing", "a letter", "a head", "a body"]
)
def test_a_request_that_does_not_end_is_ended(half, impatient):
    with connect(impatient) as slow:
        slow.sendall(half)
        reply = rest_of(slow)  # the socket's own timeout fails the test if nothing ends it
    # without a cookie the body is not waited for
    assert reply.split(b" ")[1] in ((b"408", b"401") if half == HALF_A_BODY else (b"408",))


def test_a_second_request_of_a_connection_has_a_deadline_too(impatient):
    for _ in range(100):  # the first must come in time, which a busy machine may not manage
        with connect(impatient) as slow:
            slow.sendall(b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n")
            if slow.recv(65536).startswith(b"HTTP/1.1 200 "):
                slow.sendall(HALF_A_HEAD)
                assert b"HTTP/1.1 408 " in rest_of(slow)
                return
    pytest.fail("no request came in time")


def test_a_body_that_drips_is_ended(tmp_path):
    """Each byte comes in time; all of them together do not."""
    with House(study_of(), str(tmp_path / "s.db"), limits=Limits(body=0.3)) as house:
        head = f"POST /judge HTTP/1.1\r\nhost: x\r\ncookie: {cookie_name(house)}\r\ncontent-type: application/json\r\ncontent-length: 60000\r\n\r\n"
        with connect(house) as slow:
            slow.sendall(head.encode())
            slow.settimeout(0.01)
            reply, sent = b"", 0
            while sent < 30_000:
                try:
                    slow.sendall(b" ")
                    sent += 1
                    part = slow.recv(65536)
                except TimeoutError:
                    continue
                except ConnectionError:
                    break
                if not part:
                    break
                reply += part
        assert reply.startswith(b"HTTP/1.1 408 ")
        assert 0 < sent < 30_000


def test_a_reply_that_nobody_reads_is_given_up(tmp_path):
    """The connection goes though the client neither reads nor ends it."""
    study = study_of(guidelines="long " * 180_000)
    with House(study, str(tmp_path / "s.db"), limits=Limits(reply=0.3)) as house:
        asked = f"GET /work HTTP/1.1\r\nhost: x\r\ncookie: {cookie_name(house)}\r\n\r\n".encode()
        with socket.socket() as lazy:
            lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            lazy.connect(("127.0.0.1", int(house.url.split(":")[-1])))
            lazy.sendall(asked * 20)
            own = lazy.getsockname()

            def there() -> bool:
                found = list(house.serving.server.server_state.connections)
                return own in [c.client for c in found]

            for wanted in (True, False):
                end = time.monotonic() + 600
                while there() is not wanted:
                    assert time.monotonic() < end, "the connection is still there"
                    time.sleep(0.02)
        assert house.visitor().client.get("/health").status_code == 200


def test_whoever_comes_finds_room_though_others_hold_all_of_it(tmp_path):
    limits = Limits(connections=4)
    with House(study_of(), str(tmp_path / "s.db"), limits=limits) as house:
        held = [connect(house) for _ in range(12)]
        for number, one in enumerate(held):
            one.sendall((HALF_A_HEAD, HALF_A_BODY, b"")[number % 3])
        for _ in range(3):
            assert house.visitor().client.get("/health").status_code == 200
        assert len(house.serving.server.server_state.connections) <= 4
        for one in held:
            one.close()


def test_the_limit_is_below_that_of_descriptors():
    for descriptors in (128, 256, 1024, 4096, 1 << 20):
        found = limits_of(descriptors)
        assert 16 <= found.connections + 4 * found.backlog + 64 <= descriptors
    assert limits_of(1 << 20).connections == 2000


def test_a_log_says_the_same_thing_a_few_times_a_minute():
    now = [0.0]
    said: list[logging.LogRecord] = []
    logger = logging.Logger("of this test")
    logger.addFilter(LogLimit(most=3, window=60.0, clock=lambda: now[0]))
    handler = logging.Handler()
    handler.emit = said.append  # type: ignore[method-assign]
    logger.addHandler(handler)
    for _ in range(1000):
        try:
            raise OSError(24, "Too many open files")
        except OSError as error:
            logger.error("no room\nsocket: %s", 7, exc_info=error)
    logger.error("something else")
    assert [r.getMessage() for r in said] == ["no room: OSError"] * 3 + ["something else"]
    assert all(r.exc_info is None for r in said)
    now[0] = 61.0
    logger.error("no room\nsocket: 8", exc_info=OSError())
    assert said[-1].getMessage() == "no room: OSError (997 more such messages were suppressed)"
