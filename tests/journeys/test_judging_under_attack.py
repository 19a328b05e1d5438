"""A server that is starved: of descriptors by half-sent requests, of disk by whatever fills it."""

from __future__ import annotations

import resource
import socket
from http.client import HTTPConnection

import httpx
import pytest

from tare._web.guard import csrf_of
from tare._web.judge import StudyStore
from tests.rooms import study_of
from tests.served import ServedProcess


@pytest.fixture
def token(tare) -> str:
    store, keys = StudyStore.create(study_of(overlap=2), str(tare.folder / "study.db"), invite=1)
    store.engine.dispose()
    return keys.assessors[0][1]


def test_half_sent_requests_beyond_the_usual_number_of_descriptors(tare, token):
    """The soft limit is below their number, the hard one is not; the server raises the first to the second."""
    server = ServedProcess(tare, "study.db", descriptors=128)
    with server, httpx.Client(base_url=server.url, timeout=300) as ann:
        held = []
        for _ in range(240):
            one = socket.create_connection(("127.0.0.1", server.port), timeout=300)
            one.sendall(b"GET /work HTTP/1.1\r\nhost: x\r\n")
            held.append(one)
        assert ann.get("/health").status_code == 200
        assert ann.get(f"/join/{token}").status_code == 303
        for one in held:
            one.close()
    assert b"Traceback" not in server.said


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
