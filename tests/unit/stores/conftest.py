"""A server of S3 for the tests, and a door before it that can be made to fail."""

from __future__ import annotations

import http.client
import logging
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tare._files import cloud

BUCKET = "evaluation"
SECRET = "wJalrXUtnFEMI-this-is-secret"
SIGNED = "AWS4-HMAC-SHA256 Credential=k/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"


@dataclass
class Request:
    """A request that passed the door."""

    method: str
    path: str
    range: tuple[int, int] | None  # the last byte is included
    number: int  # among all requests since the last `reset`


@dataclass
class Answer:
    """What the door sends back."""

    status: int
    headers: dict[str, str]
    body: bytes
    promised: int | None = None  # the length that is announced, if it is not that of the body


@dataclass
class Door:
    """Passes requests to the server; `fault` may replace an answer, `before` acts before a request."""

    address: str
    server: tuple[str, int]
    requests: list[Request] = field(default_factory=list)
    fault: Callable[[Request, Answer], Answer | None] | None = None
    before: Callable[[Request], None] | None = None

    def reset(self) -> None:
        self.requests, self.fault, self.before = [], None, None

    def put(self, key: str, data: bytes) -> str:
        """Store an object without passing the door; return its address."""
        self._direct("PUT", f"/{BUCKET}/{key}", data)
        return f"s3://{BUCKET}/{key}"

    def get(self, key: str) -> bytes:
        """Return an object without passing the door."""
        return self._direct("GET", f"/{BUCKET}/{key}").body

    def exists(self, key: str) -> bool:
        return self._direct("HEAD", f"/{BUCKET}/{key}").status == 200

    def _direct(self, method: str, path: str, body: bytes = b"") -> Answer:
        return forwarded(self.server, method, path, {"Authorization": SIGNED}, body)


def forwarded(server: Any, method: str, path: str, headers: Any, body: bytes) -> Answer:
    connection = http.client.HTTPConnection(*server)
    connection.request(method, path, body, headers)
    found = connection.getresponse()
    answer = Answer(found.status, dict(found.getheaders()), found.read())
    connection.close()
    return answer


@pytest.fixture(scope="session")
def _door() -> Iterator[Door]:
    server = pytest.importorskip("moto.server", reason="moto, flask and flask-cors start S3")
    pytest.importorskip("obstore", reason="the extra cloud is not installed")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    moto = server.ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    moto.start()
    door = Door("", moto.get_host_and_port())
    front = ThreadingHTTPServer(("127.0.0.1", 0), _handler(door))
    front.daemon_threads = True
    door.address = f"http://127.0.0.1:{front.server_port}"
    threading.Thread(target=front.serve_forever, daemon=True).start()
    door._direct("PUT", f"/{BUCKET}")
    yield door
    front.shutdown()
    front.server_close()
    moto.stop()


@pytest.fixture
def store(_door: Door, monkeypatch: pytest.MonkeyPatch) -> Iterator[Door]:
    """S3 at the door, with credentials in the environment."""
    for name, value in environment(_door).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(cloud, "RETRIES", 2)
    _door.reset()
    yield _door
    _door.reset()


def environment(door: Door) -> dict[str, str]:
    return {
        "AWS_ENDPOINT_URL": door.address,
        "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_REGION": "us-east-1",
    }


def _handler(door: Door) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _pass(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range") or "")
            place = (int(wanted[1]), int(wanted[2])) if wanted else None
            request = Request(self.command, self.path, place, len(door.requests))
            door.requests.append(request)
            if door.before is not None:
                door.before(request)
            answer = forwarded(door.server, self.command, self.path, dict(self.headers), body)
            if door.fault is not None:
                answer = door.fault(request, answer) or answer
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                if name.lower() not in ("content-length", "connection", "transfer-encoding"):
                    self.send_header(name, value)
            given = answer.headers.get("Content-Length") or answer.headers.get("content-length")
            length = given if self.command == "HEAD" and given else str(len(answer.body))
            self.send_header("Content-Length", str(answer.promised or length))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(answer.body)
            if answer.promised:
                self.close_connection = True

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _pass  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    return Handler
