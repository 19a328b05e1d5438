"""Clients that do not read: their connections have a deadline, and count towards the limit."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest

from tare._app.connections import LimitedProtocol, Limits
from tests.rooms import House, study_of

STYLE = b"GET /static/style.css HTTP/1.1\r\nhost: x\r\n"
LAST = STYLE + b"connection: close\r\n\r\n"
KEPT = STYLE + b"\r\n"


@contextmanager
def house_of(tmp_path, limits: Limits, keep_alive: float = 30) -> Iterator[House]:
    """A server whose system accepts few bytes for a client that does not read."""
    house = House(study_of(guidelines="long " * 180_000), str(tmp_path / "s.db"), limits=limits)
    house.serving.server.config.timeout_keep_alive = keep_alive  # type: ignore[assignment]
    with house:
        listening = house.serving.server.servers[0].sockets[0]
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
        yield house


def connect(house: House) -> socket.socket:
    """A connection that receives few bytes before it is read."""
    lazy = socket.socket()
    lazy.settimeout(300)
    lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    lazy.connect(("127.0.0.1", int(house.url.split(":")[-1])))
    return lazy


def protocol(house: House, client: socket.socket) -> LimitedProtocol | None:
    """The connection as the server knows it."""
    own, known = client.getsockname(), list(house.serving.server.server_state.connections)
    return next((c for c in known if isinstance(c, LimitedProtocol) and c.client == own), None)


def wait(until: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not until():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def read(client: socket.socket) -> bytes:
    """What the system has kept of an aborted connection."""
    found = b""
    try:
        while part := client.recv(65536):
            found += part
    except ConnectionError:
        pass
    return found


@pytest.mark.parametrize(
    "request_", [LAST, KEPT, KEPT * 3 + LAST], ids=["close", "keep-alive", "several"]
)
def test_a_last_reply_that_nobody_reads_is_given_up(request_, tmp_path):
    with house_of(tmp_path, Limits(reply=0.3), keep_alive=0.3) as house, connect(house) as lazy:
        lazy.sendall(request_)
        total = house.serving.server.server_state
        wait(lambda: total.total_requests > 0)
        wait(lambda: protocol(house, lazy) is None)
        whole = house.visitor().client.get("/static/style.css").content
        assert len(read(lazy)) < len(whole)  # the server ended it, with bytes that were not sent


def test_connections_that_are_being_closed_count(tmp_path):
    with house_of(tmp_path, Limits(connections=4)) as house, ExitStack() as held:
        for _ in range(12):
            lazy = held.enter_context(connect(house))
            lazy.sendall(LAST)

            def closing(lazy: socket.socket = lazy) -> bool:
                found = protocol(house, lazy)
                return found is not None and found.transport.is_closing()

            wait(closing)
        wait(lambda: len(house.serving.server.server_state.connections) <= 4)
        for _ in range(3):
            assert house.visitor().client.get("/health").status_code == 200


def test_whoever_comes_finds_room_though_others_do_not_read(tmp_path):
    with house_of(tmp_path, Limits(connections=4)) as house, ExitStack() as held:
        ann = house.assessor()
        cookie = "; ".join(f"{c.name}={c.value}" for c in ann.client.cookies.jar)
        ann.client.close()
        asked = f"GET /work HTTP/1.1\r\nhost: x\r\ncookie: {cookie}\r\n\r\n".encode()
        for _ in range(12):
            lazy = held.enter_context(connect(house))
            lazy.sendall(asked * 20)

            def paused(lazy: socket.socket = lazy) -> bool:
                found = protocol(house, lazy)
                return found is not None and found.flow.write_paused

            wait(paused)
        for _ in range(3):
            assert house.visitor().client.get("/health").status_code == 200
        assert len(house.serving.server.server_state.connections) <= 5


def test_a_stopping_server_does_not_wait_for_who_does_not_read(tmp_path):
    with ExitStack() as held, house_of(tmp_path, Limits()) as house:
        for request_ in (KEPT, LAST, KEPT * 20):
            held.enter_context(connect(house)).sendall(request_)
        wait(lambda: house.serving.server.server_state.total_requests >= 3)
        house.serving.server.should_exit = True
        wait(lambda: not house.serving.thread.is_alive())
