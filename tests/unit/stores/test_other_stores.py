"""Google Cloud Storage, Azure and web servers: the requests of each are answered from memory."""

from __future__ import annotations

import datetime
import json
import re
import ssl
import threading
import zlib
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

import numpy as np
import pytest

import tare
from tare._cli.main import main
from tare._data.labels import read_labels
from tare._files import cloud
from tare._kernels.threads_and_blocks import cut
from tare.errors import MismatchError, OptionError, UnreadableError
from tests.unit.stores.small_runs import NEW, OLD, QRELS, SMALL, table_of

pytest.importorskip("obstore", reason="the extra cloud is not installed")
RUN = b"q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\n"
SECRET = "0f3a/this-is/secret.sig"


class Server(ThreadingHTTPServer):
    """Objects by their path, as all of these stores answer GET, HEAD and PUT."""

    daemon_threads = True

    def __init__(self, context=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.reset()
        if context is not None:
            self.socket = context.wrap_socket(self.socket, server_side=True)
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def reset(self):
        self.held, self.asked = {}, []
        self.tagged = True  # whether answers have an ETag
        self.before = None  # called with the number of each request


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path, _, query = self.path.partition("?")
        self.server.asked.append((self.command, query))
        if self.server.before is not None:
            self.server.before(len(self.server.asked))
        data = self.server.held.get(unquote(path))
        if data is None or (self.command == "HEAD" and "signature" in query):
            self.answer(404 if data is None else 403, b"")
            return
        wanted = re.fullmatch(
            r"bytes=(\d+)-(\d+)", self.headers.get("Range") or self.headers.get("x-ms-range") or ""
        )
        version = self.version(data)
        if self.headers.get("If-Match") not in (None, version.get("ETag")):
            self.answer(412, b"")
        elif wanted is None:
            self.answer(200, data, version)
        else:
            part = data[int(wanted[1]) : int(wanted[2]) + 1]
            stop = int(wanted[1]) + len(part) - 1
            place = {"Content-Range": f"bytes {wanted[1]}-{stop}/{len(data)}"}
            self.answer(206, part, version | place)

    do_HEAD = do_GET  # noqa: N815

    def do_PUT(self):
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.held[unquote(self.path.partition("?")[0])] = data
        self.answer(201 if "x-ms-version" in self.headers else 200, b"", self.version(data))

    def version(self, data):
        number = zlib.crc32(data)
        found = {"Last-Modified": f"Sun, 01 Nov 2026 00:00:{number % 60:02d} GMT"}
        return found | {"ETag": f'"{number}"'} if self.server.tagged else found

    def answer(self, status, body, more=()):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **dict(more)}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(cloud, "RETRIES", 0)
    started = Server()
    yield started
    started.shutdown()
    started.server_close()


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
        builder = x509.CertificateBuilder(
            issuer, subject, key.public_key(), x509.random_serial_number(), now - day, now + day
        )
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
    monkeypatch.setattr(cloud, "RETRIES", 0)
    monkeypatch.setenv("SSL_CERT_FILE", authority)
    server.reset()
    return server, f"https://localhost:{server.server_port}"


@dataclass
class Place:
    """A bucket, a container or a web server."""

    server: Server
    address: str  # of what it holds
    path: str  # the same, in requests

    def put(self, key, data):
        self.server.held[f"{self.path}/{key}"] = data
        return f"{self.address}/{key}"


@pytest.fixture(params=["gs", "az", "https"])
def place(request, monkeypatch):
    if request.param == "https":
        found, root = request.getfixturevalue("web")
        return Place(found, root, "")
    found = request.getfixturevalue("server")
    url = f"http://127.0.0.1:{found.server_port}"
    if request.param == "gs":
        none = dict.fromkeys(("client_email", "private_key", "private_key_id"), "")
        key = {"gcs_base_url": url, "disable_oauth": True, **none}
        monkeypatch.setenv("GOOGLE_SERVICE_ACCOUNT_KEY", json.dumps(key))
        return Place(found, "gs://bucket", "/bucket")
    monkeypatch.setenv("AZURE_STORAGE_USE_EMULATOR", "true")
    monkeypatch.setenv("AZURITE_BLOB_STORAGE_URL", url)
    return Place(found, "az://bucket", "/devstoreaccount1/bucket")


def test_a_run_is_read(place):
    address = place.put("runs/a.run", RUN)
    assert tare.read_run(address).to_dict() == {"q1": {"a": 3.0, "b": 2.0}}
    with pytest.raises(UnreadableError, match="no such object"):
        tare.read_run(f"{place.address}/absent.run")


def test_results_are_written(place):
    scores = tare.evaluate({"q1": {"a": 1}}, {"q1": {"a": 1.0}}, "RR")
    if place.address.startswith("https://"):
        with pytest.raises(OptionError, match="https:// is read only"):
            scores.save(f"{place.address}/scores.parquet")
        return
    scores.save(f"{place.address}/scores.parquet")
    assert place.server.held[f"{place.path}/scores.parquet"].startswith(b"PAR1")
    assert tare.Scores.load(f"{place.address}/scores.parquet").mean == 1.0


@pytest.mark.parametrize("engine", [None, "local"])
@pytest.mark.parametrize("kind", ["run", "parquet"])
def test_qrels_and_runs_give_what_files_give(place, kind, engine):
    judged = place.put("qrels.txt", lines_of(QRELS))
    address = place.put(f"a.{kind}", OLD if kind == "run" else table_of(OLD))
    expected = tare.evaluate(QRELS, run_of(OLD), "AP").values
    with cut(SMALL):
        found = tare.evaluate(judged, address, "AP", engine=engine)
    assert found.systems == ("a",)
    assert np.array_equal(found.values, expected)
    assert len(place.server.asked) > 4  # in ranges


@pytest.mark.parametrize("engine", [None, "local"])
@pytest.mark.parametrize("kind", ["run", "parquet"])
def test_an_object_that_is_replaced_while_it_is_read_is_refused(place, kind, engine):
    refused_if_replaced(place, kind, engine)


def test_a_file_without_a_tag_is_refused_if_its_time_changes(web):
    """Many web servers send no ETag."""
    server, root = web
    server.tagged = False
    refused_if_replaced(Place(server, root, ""), "run", "local")


def refused_if_replaced(place, kind, engine):
    old, new = (OLD, NEW) if kind == "run" else (table_of(OLD), table_of(NEW))
    address = place.put(f"a.{kind}", old)

    def replaced(number):
        if number == 4:  # the requests before find out what the file is
            place.put(f"a.{kind}", new)

    place.server.before = replaced
    with cut(SMALL):
        with pytest.raises(UnreadableError, match=rf"/a\.{kind}: the object changed while it was"):
            tare.evaluate(QRELS, address, "AP", engine=engine)
        place.server.before = None
        found = tare.evaluate(QRELS, address, "AP", engine=engine).values
    assert np.array_equal(found, tare.evaluate(QRELS, run_of(NEW), "AP").values)


def lines_of(qrels):
    return "".join(
        f"{q} 0 {d} {g}\n" for q, found in qrels.items() for d, g in found.items()
    ).encode()


def run_of(text):
    """The run of a text, as a dictionary."""
    found = {}
    for line in text.decode().splitlines():
        query, _, document, _, score, _ = line.split()
        found.setdefault(query, {})[document] = float(score)
    return found


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
    server.held |= {
        "/v1/bm25.run": RUN,
        "/v2/bm25.run": RUN,
        "/v1/qrels.txt": b"q1 0 a 1\nq9 0 a 1\n",
    }
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


@pytest.mark.parametrize("engine", [None, "local"])
def test_a_signed_object_with_foreign_ids_is_read_with_its_signature(web, engine):
    server, root = web
    server.held["/bm25.run"] = RUN
    ids = {"q1": {"1": 1, "2": 0}}
    with pytest.raises(MismatchError, match="the ids look different") as told:
        tare.evaluate(ids, f"{root}/bm25.run?signature={SECRET}", "RR", engine=engine)
    assert "this-is" not in str(told.value)
    assert {query for _, query in server.asked} == {f"signature={SECRET}"}
