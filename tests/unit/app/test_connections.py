"""Connections: bodies that drip, connections that stay open when the server stops, and files that may be open."""

from __future__ import annotations

import resource
import socket
import time

import pytest

from tare._web import requests
from tests.rooms import House, study_of


def connect(house: House) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", int(house.url.split(":")[-1])))
    made.settimeout(60)
    return made


def head_of(house: House, length: int) -> bytes:
    """The head of an answer of an assessor."""
    ann = house.assessor()
    cookie = "; ".join(f"{c.name}={c.value}" for c in ann.client.cookies.jar)
    lines = ("POST /judge HTTP/1.1", "host: x", f"cookie: {cookie}", f"content-length: {length}")
    return "\r\n".join((*lines, "content-type: application/json", "", "")).encode()


@pytest.mark.parametrize("drips", [False, True])
def test_a_body_that_does_not_end_is_refused_and_the_connection_closed(house, drips, monkeypatch):
    """Each byte comes in time; all of them together do not."""
    head = head_of(house, 60_000)
    monkeypatch.setattr(requests, "BODY_SECONDS", 0.3)
    with connect(house) as slow:
        slow.sendall(head + b"{")
        slow.settimeout(0.01)
        reply, end = b"", time.monotonic() + 60
        while time.monotonic() < end:
            try:
                if drips:
                    slow.sendall(b" ")
                part = slow.recv(65536)
            except TimeoutError:
                continue
            except ConnectionError:
                break
            if not part:
                break
            reply += part
        else:
            pytest.fail("the connection was not closed")
    assert reply.startswith(b"HTTP/1.1 408 ")
    assert b"did not arrive in time" in reply


def test_a_stopping_server_does_not_wait_for_connections_that_do_not_end(tmp_path):
    """Half a head, half a body, and replies that nobody reads."""
    with House(study_of(guidelines="long " * 180_000), str(tmp_path / "s.db")) as house:
        head = head_of(house, 60_000)
        held = [connect(house) for _ in range(3)]
        held[0].sendall(b"GET /health HTTP/1.1\r\nhost: x\r\nx-more: ")
        held[1].sendall(head)
        held[2].sendall(b"GET /static/style.css HTTP/1.1\r\nhost: x\r\n\r\n" * 400)
        assert house.visitor().client.get("/health").status_code == 200
        house.serving.server.should_exit = True
        house.serving.thread.join(60)
        assert not house.serving.thread.is_alive()
        for one in held:
            one.close()


def test_the_server_may_open_as_many_files_as_the_system_allows(tmp_path):
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    lower = min(before[1], 4096)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lower // 2, before[1]))
    try:
        with House(study_of(), str(tmp_path / "s.db")):
            assert resource.getrlimit(resource.RLIMIT_NOFILE) == (before[1], before[1])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
