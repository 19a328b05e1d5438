"""Behind a real nginx, by the configuration in the docs: it ends TLS and rewrites Host."""

from __future__ import annotations

import re
import resource
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tare._web.judge import StudyStore
from tests.conftest import ROOT
from tests.journeys.test_judging_in_browser import press
from tests.rooms import Serving, study_of
from tests.served import free_port

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin") or ""
OPENSSL = shutil.which("openssl") or ""
pytestmark = [
    pytest.mark.skipif(not NGINX, reason="no nginx here (apt install nginx)"),
    pytest.mark.skipif(not OPENSSL, reason="no openssl here to make a certificate with"),
]
DOCUMENTED = ROOT / "docs" / "how-to" / "judging.md"
AROUND = """
daemon off; master_process off; pid {folder}/pid; error_log stderr warn;
events {{ worker_connections {connections}; }}
http {{
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f;
    uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    {server}
}}
"""

HEAD = b"POST /judge HTTP/1.1\r\nhost: localhost\r\n"
HALVES = (HEAD, HEAD + b"content-length: 100\r\n\r\n{")


def documented() -> str:
    """The server of the docs, as it stands there."""
    found = re.search(r"```nginx\n(.*?)```", DOCUMENTED.read_text(encoding="utf-8"), re.S)
    assert found is not None
    return found[1]


@contextmanager
def nginx(server: str, port: int, folder: Path, connections: int) -> Iterator[None]:
    """nginx with one server, until the block ends."""
    around = AROUND.format(folder=folder, server=server, connections=connections)
    (folder / "nginx.conf").write_text(around)
    with (folder / "said").open("wb") as said:
        process = subprocess.Popen(
            [NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", "stderr"],
            stderr=said,
        )
        try:
            end = time.monotonic() + 600
            while True:
                with socket.socket() as asked:
                    if asked.connect_ex(("127.0.0.1", port)) == 0:
                        break
                ended = process.poll() is not None or time.monotonic() > end
                assert not ended, (folder / "said").read_text()
                time.sleep(0.05)
            yield
        finally:
            process.kill()
            process.wait(timeout=600)


@contextmanager
def behind(
    tmp_path: Path, *, trusted: bool = True, connections: int = 64
) -> Iterator[tuple[str, StudyStore, Any, Any]]:
    """A study behind the documented nginx; the address that people use, its store, its keys and its server."""
    port = free_port()
    url = f"https://localhost:{port}"
    subprocess.run(
        [
            OPENSSL,
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
            "-keyout",
            tmp_path / "key.pem",
            "-out",
            tmp_path / "cert.pem",
        ],
        check=True,
        capture_output=True,
        timeout=600,
    )
    store, keys = StudyStore.create(study_of(), str(tmp_path / "s.db"), invite=2)
    serving = Serving(store, base=url, proxies=("127.0.0.1",) if trusted else ())
    with serving as inside:
        server = documented()
        for old, new in (
            ("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;"),
            ("study.example.org;", "localhost;"),
            ("/etc/ssl/study.example.org.crt", str(tmp_path / "cert.pem")),
            ("/etc/ssl/study.example.org.key", str(tmp_path / "key.pem")),
            ("http://127.0.0.1:8000", inside),
        ):
            assert server.count(old) == 1, old
            server = server.replace(old, new)
        assert "Host" not in server  # nginx sends the address of the server inside
        with nginx(server, port, tmp_path, connections):
            yield url, store, keys, serving.server


def test_a_study_is_judged_and_led_behind_nginx(browser, tmp_path):
    with behind(tmp_path) as (url, store, keys, _):
        context = browser.new_context(base_url=url, ignore_https_errors=True)
        context.set_default_timeout(120_000)
        page = context.new_page()
        page.goto(f"/join/{keys.assessors[0][1]}")
        press(page, "1")
        page.get_by_text("1 done").wait_for()
        assert all(c["secure"] for c in context.cookies())
        page.goto(f"/owner/{keys.owner}")
        page.get_by_role("button", name="Pause the study").click()
        page.get_by_role("button", name="Resume the study").click()
        page.get_by_role("button", name="Create links").click()
        assert page.get_by_label("Link of a3").input_value().startswith(f"{url}/join/")
        context.close()
        plain = browser.new_context(
            base_url=url, ignore_https_errors=True, java_script_enabled=False
        )
        plain.set_default_timeout(120_000)
        page = plain.new_page()
        page.goto(f"/open/{keys.door}")
        page.get_by_role("button", name="Start").click()
        page.locator(".choices button").first.click()
        page.get_by_text("1 done").wait_for()
        plain.close()
        kinds = [e.kind for e in store.events()]
        assert (kinds.count("judged"), kinds.count("paused"), kinds.count("resumed")) == (2, 1, 1)


@pytest.mark.parametrize("trusted", [True, False])
def test_wrong_links_are_counted_by_the_address_that_nginx_saw(trusted, tmp_path):
    """A made-up X-Forwarded-For does not get past nginx, and nobody else is locked out."""
    with (
        behind(tmp_path, trusted=trusted) as (url, _, keys, _),
        httpx.Client(base_url=url, verify=False, timeout=600) as thief,
    ):
        codes = [
            thief.get(
                f"/join/{'A' * 43}", headers={"x-forwarded-for": f"198.51.100.{i}"}
            ).status_code
            for i in range(12)
        ]
        assert codes == [404] * 10 + [429] * 2
        assert thief.get(f"/join/{keys.assessors[0][1]}").status_code == 303
        assert thief.get(f"/owner/{keys.owner}").status_code == 303


def trusting() -> ssl.SSLContext:
    """What accepts the certificate of the test."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


@pytest.mark.parametrize("half", HALVES)
def test_an_incomplete_request_stays_at_nginx(half, tmp_path):
    context = trusting()
    with behind(tmp_path) as (url, _, _, server), ExitStack() as held:
        for _ in range(20):
            plain = socket.create_connection(("127.0.0.1", int(url.split(":")[-1])), timeout=300)
            held.enter_context(context.wrap_socket(plain)).sendall(half)
        assert httpx.get(f"{url}/health", verify=False, timeout=600).text == "ok\n"
        end = time.monotonic() + 60
        while server.server_state.total_requests == 0:  # it counts after the reply
            assert time.monotonic() < end
            time.sleep(0.01)
        assert server.server_state.total_requests == 1
        assert len(server.server_state.connections) <= 1


def test_more_than_a_thousand_incomplete_requests_keep_nobody_out(tmp_path):
    """With as many connections as the docs say; with nginx's 512, they would."""
    said = DOCUMENTED.read_text(encoding="utf-8")
    found = re.search(r"worker_connections (\d+);", said)
    assert found is not None
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(before[1], 8192), before[1]))
    context = trusting()
    try:
        with (
            behind(tmp_path, connections=int(found[1])) as (url, _, keys, server),
            ExitStack() as held,
        ):
            for number in range(1100):
                plain = socket.create_connection(
                    ("127.0.0.1", int(url.split(":")[-1])), timeout=300
                )
                half = HALVES[number % 2]
                held.enter_context(context.wrap_socket(plain)).sendall(half)
            with httpx.Client(base_url=url, verify=False, timeout=600) as ann:
                assert ann.get("/health").text == "ok\n"
                assert ann.get(f"/join/{keys.assessors[0][1]}").status_code == 303
            assert len(server.server_state.connections) <= 1
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
