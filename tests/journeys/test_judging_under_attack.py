"""A server that is starved: of descriptors by half-sent requests, of disk by whatever fills it."""

from __future__ import annotations

import resource
import socket
from contextlib import ExitStack
from http.client import HTTPConnection

import httpx
import pytest

from tare._app import StudyStore
from tare._app.tokens import csrf_of
from tests.rooms import study_of
from tests.served import ServedProcess


@pytest.fixture
def token(tare) -> str:
    store, keys = StudyStore.create(study_of(overlap=2), str(tare.folder / "study.db"), invite=1)
    store.engine.dispose()
    return keys.assessors[0][1]


def test_more_half_sent_requests_than_descriptors(tare, token):
    server = ServedProcess(tare, "study.db", descriptors=128)
    with server, httpx.Client(base_url=server.url, timeout=300) as ann:
        held = []
        for _ in range(240):
            one = socket.create_connection(("127.0.0.1", server.port), timeout=300)
            one.sendall(b"GET /work HTTP/1.1\r\nhost: x\r\n")
            held.append(one)
            if (
                len(held) % 8 == 0
            ):  # no more at a time than the backlog, or each would wait a second
                assert ann.get("/health").status_code == 200
            if len(held) == 160:
                for old in held[:80]:
                    old.close()
                del held[:80]
        assert ann.get("/health").status_code == 200
        assert ann.get(f"/join/{token}").status_code == 303
        for one in held:
            one.close()
    assert b"Traceback" not in server.said
    assert server.said.count(b"\n") < 20, server.said[:2000]


def test_more_unread_replies_than_descriptors(tare, token):
    """The last request of each connection asks to close it, and nobody reads the replies."""
    asked = b"GET /static/style.css HTTP/1.1\r\nhost: x\r\n"
    server = ServedProcess(tare, "study.db", descriptors=128)
    with server, httpx.Client(base_url=server.url, timeout=300) as ann, ExitStack() as held:
        for number in range(160):
            one = held.enter_context(socket.socket())
            one.settimeout(300)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 100)
            one.connect(("127.0.0.1", server.port))
            one.sendall((asked + b"\r\n") * 4 + asked + b"connection: close\r\n\r\n")
            if number % 4 == 0:
                assert ann.get("/health").status_code == 200
        assert ann.get("/health").status_code == 200
        assert ann.get(f"/join/{token}").status_code == 303
    assert b"Traceback" not in server.said
    assert b"out of system resource" not in server.said


def test_a_full_disk_is_told_by_health_and_ends_no_connection(tare, token):
    server = ServedProcess(tare, "study.db")
    with server, httpx.Client(base_url=server.url, timeout=600) as ann:
        whole = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
        ann.get(f"/join/{token}", follow_redirects=True)
        fields = {"csrf": csrf_of(token), "number": 1, "choice": "left", "submission": "s" * 20}
        assert ann.get("/health").text == "ok\n"
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (0, whole[1]))
        kept = HTTPConnection("127.0.0.1", server.port, timeout=600)
        kept.connect()
        stays = kept.sock
        for _ in range(3):  # all on one connection
            kept.request("GET", "/health")
            reply = kept.getresponse()
            assert (reply.status, kept.sock) == (503, stays)
            assert b"Something went wrong on the server" in reply.read()
        kept.close()
        assert ann.get("/health").status_code == 503
        assert ann.post("/judge", json=fields).status_code == 503
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, whole)
        assert ann.get("/health").text == "ok\n"
        assert ann.post("/judge", json=fields).status_code == 200
    assert b"Traceback" not in server.said
    assert b"disk" in server.said
    store = StudyStore.open(str(tare.folder / "study.db"))
    assert [e.submission for e in store.events() if e.kind == "judged"] == ["s" * 20]
    store.engine.dispose()
