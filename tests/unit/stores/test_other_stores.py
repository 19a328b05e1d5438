"""Google Cloud Storage, Azure and web servers: the requests of each are answered from memory."""

from __future__ import annotations

import datetime
import json
import re
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

import pytest

import tare
from tare._cli.main import main
from tare._data.labels import read_labels
from tare._stores import connections
from tare.errors import UnreadableError

pytest.importorskip("obstore", reason="the extra cloud is not installed")
RUN = b"q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\n"
SECRET = "0f3a/this-is/secret.sig"


class Server(ThreadingHTTPServer):
    """Objects by their path, as all of these stores answer GET, HEAD and PUT."""

    daemon_threads = True

    def __init__(self, context=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.held, self.asked = {}, []
        if context is not None:
            self.socket = context.wrap_socket(self.socket, server_side=True)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path, _, query = self.path.partition("?")
        self.server.asked.append((self.command, query))
        data = self.server.held.get(unquote(path))
        if data is None or (self.command == "HEAD" and "signature" in query):
            self.answer(404 if data is None else 403, b"")
            return
        wanted = re.fullmatch(
            r"bytes=(\d+)-(\d+)", self.headers.get("Range") or self.headers.get("x-ms-range") or ""
        )
        if wanted is None:
            self.answer(200, data)
            return
        part = data[int(wanted[1]) : int(wanted[2]) + 1]
        stop = int(wanted[1]) + len(part) - 1
        self.answer(206, part, {"Content-Range": f"bytes {wanted[1]}-{stop}/{len(data)}"})

    do_HEAD = do_GET  # noqa: N815

    def do_PUT(self):
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.held[unquote(self.path.partition("?")[0])] = data
        self.answer(201 if "x-ms-version" in self.headers else 200, b"")

    def answer(self, status, body, more=()):
        self.send_response(status)
        for name, value in {
            "Content-Length": str(len(body)),
            "ETag": '"one"',
            "Last-Modified": "Sun, 01 Nov 2026 00:00:00 GMT",
            **dict(more),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(connections, "RETRIES", 0)
    started = Server()
    yield started
    started.shutdown()
    started.server_close()


def check(server, scheme, prefix, capsys):
    server.held[f"{prefix}/runs/a.run"] = RUN
    assert tare.read_run(f"{scheme}://bucket/runs/a.run").to_dict() == {"q1": {"a": 3.0, "b": 2.0}}
    scores = tare.evaluate({"q1": {"a": 1}}, f"{scheme}://bucket/runs/a.run", "RR", engine="local")
    assert scores.mean == 1.0
    scores.save(f"{scheme}://bucket/scores.parquet")
    assert server.held[f"{prefix}/scores.parquet"].startswith(b"PAR1")
    with pytest.raises(UnreadableError, match="no such object"):
        tare.read_run(f"{scheme}://bucket/absent.run")


def test_google_cloud_storage(server, monkeypatch, capsys):
    url = f"http://127.0.0.1:{server.server_port}"
    key = {
        "gcs_base_url": url,
        "disable_oauth": True,
        "client_email": "",
        "private_key": "",
        "private_key_id": "",
    }
    monkeypatch.setenv("GOOGLE_SERVICE_ACCOUNT_KEY", json.dumps(key))
    check(server, "gs", "/bucket", capsys)


def test_azure(server, monkeypatch, capsys):
    monkeypatch.setenv("AZURE_STORAGE_USE_EMULATOR", "true")
    monkeypatch.setenv("AZURITE_BLOB_STORAGE_URL", f"http://127.0.0.1:{server.server_port}")
    check(server, "az", "/devstoreaccount1/bucket", capsys)


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    """A web server with a certificate, and the file of the authority that signed it."""
    x509 = pytest.importorskip("cryptography.x509", reason="cryptography makes the certificate")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    def made(name, authority, signer=None):
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        issuer, by = signer or (subject, key)
        now, day = datetime.datetime.now(datetime.UTC), datetime.timedelta(days=1)
        builder = x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number(), now - day, now + day)  # fmt: skip
        builder = builder.add_extension(
            x509.SubjectAlternativeName([x509.DNSName("localhost")]), False
        )
        builder = builder.add_extension(x509.BasicConstraints(authority, None), True)
        return builder.sign(by, hashes.SHA256()), (subject, key)

    folder = tmp_path_factory.mktemp("certificates")
    authority, signer = made("tests", True)
    leaf, (_, key) = made("localhost", False, signer)
    pem = serialization.Encoding.PEM
    (folder / "authority.pem").write_bytes(authority.public_bytes(pem))
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "server.pem").write_bytes(private + leaf.public_bytes(pem))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem")
    started = Server(context)
    yield started, str(folder / "authority.pem")
    started.shutdown()
    started.server_close()


@pytest.fixture
def web(certified, monkeypatch):
    """The server, and its address."""
    server, authority = certified
    monkeypatch.setattr(connections, "RETRIES", 0)
    monkeypatch.setenv("SSL_CERT_FILE", authority)
    server.held.clear()
    return server, f"https://localhost:{server.server_port}"


def test_a_web_server(web, monkeypatch, capsys, tmp_path):
    server, root = web
    server.held["/my runs/bm25.run"] = RUN
    assert tare.read_run(f"{root}/my%20runs/bm25.run").system == "bm25"
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(UnreadableError, match="the certificate of the server is not valid"):
        tare.read_run(f"{root}/my%20runs/bm25.run")


def test_a_signature_is_used_and_never_shown(web, capsys, tmp_path):
    """It is in no message, finding, name of a system, part or saved file."""
    server, root = web
    server.held |= {"/v1/bm25.run": RUN, "/v2/bm25.run": RUN, "/v1/qrels.txt": b"q1 0 a 1\nq9 0 a 1\n"}  # fmt: skip
    query = f"?signature={SECRET}"
    qrels = f"{root}/v1/qrels.txt{query}"
    runs = [f"{root}/v{number}/bm25.run{query}" for number in (1, 2)]
    saved = ["--save", str(tmp_path / "scores.parquet")]
    assert main(["score", qrels, *runs, "-m", "RR", "--engine", "local", *saved]) == 0
    assert main(["score", qrels, *runs, "-m", "RR", "--format", "json"]) == 0
    assert main(["check", qrels, *runs]) in (0, 1)
    for index in range(2):
        part = ["--index", str(index), "--of", "2", "--output", str(tmp_path / "parts")]
        assert main(["part", qrels, *runs, *part]) == 0
    assert main(["join", qrels, str(tmp_path / "parts"), "-m", "RR"]) == 0
    assert ("GET", query[1:]) in server.asked  # a signed address is used as it is
    assert main(["score", qrels, runs[0].replace("bm25", "absent")]) == 3
    told = capsys.readouterr()
    assert f"{root}/v1/bm25" in told.out  # files with one name in two folders
    assert "absent.run: no such object" in told.err
    assert "this-is" not in told.out + told.err
    scores = tare.evaluate(qrels, runs, "RR")
    kept = [repr(scores.systems), str(scores.findings), str(scores.signatures), scores.to_json()]
    assert "this-is" not in "".join(kept)
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) == 3
    assert not any(b"this-is" in path.read_bytes() for path in written)
    labels = read_labels(qrels)
    assert labels[0].name == "qrels"
