"""What a store does wrong: a clear error or the same numbers, never a mixture and never a traceback."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import tare
from tare._cli.main import main
from tare._files import cloud
from tare._files.cloud import StoredObject
from tare._kernels.threads_and_blocks import cut
from tare.errors import UnreadableError
from tests.unit.stores.conftest import BUCKET, SECRET, Answer
from tests.unit.stores.small_runs import NEW, OLD, QRELS, SMALL, table_of

XML = '<?xml version="1.0"?><Error><Code>{}</Code><Message>AKIAIOSFODNN7EXAMPLE</Message></Error>'


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(cloud, "PAUSE", 0.0)
    with cut(SMALL):
        yield


def scored(address, engine=None):
    return tare.evaluate(QRELS, address, "AP", engine=engine).values


def refused(code):
    """A fault: every read is answered with an error of S3."""

    def fault(request, answer):
        status = {"SlowDown": 503, "ExpiredToken": 400, "AccessDenied": 403}[code]
        return Answer(status, {"Content-Type": "application/xml"}, XML.format(code).encode())

    return fault


@pytest.mark.parametrize("engine", [None, "local"])
def test_requests_that_are_throttled_are_repeated(store, engine):
    address = store.put("throttled.run", OLD)
    expected = scored(address, engine)
    slow, seen = refused("SlowDown"), set()
    store.reset()

    def once(request, answer):
        """Refuse the first request for each range."""
        known = (request.method, request.range) in seen
        seen.add((request.method, request.range))
        return None if known else slow(request, answer)

    store.fault = once
    assert np.array_equal(scored(address, engine), expected)
    assert len(seen) > 3


@pytest.mark.parametrize("engine", [None, "local"])
@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("SlowDown", r"the store limits the rate of requests \(SlowDown\); try again later"),
        ("ExpiredToken", r"the credentials have expired \(ExpiredToken\); renew them"),
        ("AccessDenied", r"access denied \(AccessDenied\); check the credentials"),
    ],
)
def test_refused_reads_are_reported_without_secrets(store, code, says, engine):
    address = store.put("refused.run", OLD)
    refuse = refused(code)
    store.fault = lambda request, answer: refuse(request, answer) if request.number >= 3 else None
    with pytest.raises(UnreadableError, match=rf"^s3://{BUCKET}/refused\.run: {says}") as raised:
        scored(address, engine)
    assert "AKIA" not in str(raised.value)
    assert SECRET not in str(raised.value)


def test_a_command_with_expired_credentials_ends_with_a_message_and_writes_nothing(store, capsys):
    address, judged = store.put("e.run", OLD), store.put("e.txt", b"q01 0 d1 1\n")
    store.fault = refused("ExpiredToken")
    saved = f"s3://{BUCKET}/expired/scores.parquet"
    assert main(["score", judged, address, "-m", "AP", "--save", saved]) == 3
    told = capsys.readouterr()
    assert "the credentials have expired" in told.err
    assert "Traceback" not in told.err
    assert not store.exists("expired/scores.parquet")


def test_an_output_that_is_refused_is_reported(store, capsys):
    address, judged = store.put("e.run", OLD), store.put("e.txt", b"q01 0 d1 1\n")
    deny = refused("AccessDenied")
    store.fault = lambda request, answer: deny(request, answer) if request.method == "PUT" else None
    store.before = None
    saved = f"s3://{BUCKET}/denied/scores.parquet"
    assert main(["score", judged, address, "-m", "AP", "--save", saved]) == 3
    assert f"{saved} cannot be written: access denied (AccessDenied)" in capsys.readouterr().err


def short(request, answer):
    """Half of a range, although all of it was announced."""
    if request.method != "GET":
        return None
    return replace(answer, body=answer.body[: len(answer.body) // 2], promised=len(answer.body))


@pytest.mark.parametrize("engine", [None, "local"])
def test_a_range_that_breaks_off_is_requested_again(store, engine):
    address = store.put("broken.run", OLD)
    expected = scored(address, engine)
    store.reset()
    seen = set()

    def once(request, answer):
        """Break off the first answer for each range."""
        known = request.range in seen
        seen.add(request.range)
        return None if known else short(request, answer)

    store.fault = once
    assert np.array_equal(scored(address, engine), expected)
    store.fault = short
    with pytest.raises(UnreadableError, match="broke off 3 times"):
        scored(address, engine)


def test_a_range_that_is_shorter_than_requested_is_not_taken_for_the_whole(store):
    """The server says honestly that it sends less than was asked for."""
    address = store.put("less.run", OLD)

    def less(request, answer):
        if request.range is None:
            return None
        start, size = request.range[0], len(OLD)
        body = answer.body[:-10]
        place = {"Content-Range": f"bytes {start}-{start + len(body) - 1}/{size}"}
        kept = {k: v for k, v in answer.headers.items() if k.lower() != "content-range"}
        return Answer(206, kept | place, body)

    store.fault = less
    with pytest.raises(UnreadableError, match=r"less\.run"):
        scored(address)


@pytest.mark.parametrize("missing", [1, 5, 10])
def test_bytes_that_a_library_loses_are_noticed(monkeypatch, missing):
    """obstore notices short answers itself; nothing depends on that."""
    found = StoredObject("s3://bucket/some.run", 10, "tag", 0.0)
    asked = []

    class Losing:
        def get(self, store, key, options):
            asked.append((options["range"], options["if_match"]))
            about = {"e_tag": "tag", "size": 10, "last_modified": None}
            return SimpleNamespace(meta=about, bytes=lambda: b"0123456789"[missing:])

    monkeypatch.setattr(cloud, "library", Losing)
    monkeypatch.setattr(cloud, "connection", lambda _: None)
    with pytest.raises(UnreadableError, match="bytes 0 to 10: the answer of the store broke off"):
        found.read(0, 10)
    assert asked == [((0, 10), "tag")] * (1 + cloud.RETRIES)


def test_a_server_that_ignores_ranges_is_reported(store):
    address = store.put("whole.run", OLD)

    def whole(request, answer):
        if request.range is None:
            return None
        kept = {k: v for k, v in answer.headers.items() if k.lower() != "content-range"}
        return Answer(200, kept, OLD)

    store.fault = whole
    with pytest.raises(UnreadableError, match="the server ignores ranges of bytes; download"):
        scored(address)


@pytest.mark.parametrize(
    ("kind", "engine", "when"),
    [("text", None, 5), ("text", "local", 7), ("parquet", None, 1), ("parquet", "local", 7)],
)
def test_an_object_that_is_replaced_while_it_is_read_is_refused(store, kind, engine, when):
    table = kind == "parquet"
    old, new = (table_of(OLD), table_of(NEW)) if table else (OLD, NEW)
    key = "now.parquet" if table else "now.run"
    address = store.put(key, new)
    after = scored(address, engine)
    assert len(store.requests) > when + 1
    store.put(key, old)
    store.reset()

    def replaced(request):
        if request.number == when:
            store.put(key, new)

    store.before = replaced
    with pytest.raises(UnreadableError, match="changed while it was read"):
        scored(address, engine)
    assert np.array_equal(scored(address, engine), after)  # the new version, all of it


def test_a_server_that_ignores_if_match_still_gives_no_mixture(store):
    """Some servers do not know If-Match; every answer names its version."""
    address = store.put("weak.run", OLD)
    tag = cloud.find_object(address).tag

    def fault(request, answer):
        if request.method == "HEAD":  # weak tags are not sent in If-Match
            return replace(answer, headers={**_without_tag(answer), "ETag": f"W/{tag}"})
        if request.number >= 4:
            store.put("weak.run", NEW)
        named = f"W/{answer.headers.get('ETag') or answer.headers.get('etag')}"
        return replace(answer, headers={**_without_tag(answer), "ETag": named})

    store.fault = fault
    with pytest.raises(UnreadableError, match="changed while it was read"):
        scored(address)


def _without_tag(answer):
    return {k: v for k, v in answer.headers.items() if k.lower() != "etag"}


def test_parts_from_before_and_after_a_replacement_are_not_joined(store, tmp_path, capsys):
    judged, address = store.put("p.txt", b"q01 0 d1 1\nq30 0 d1 1\n"), store.put("p.run", OLD)
    for index in range(2):
        if index:
            store.put("p.run", NEW)
        assert (
            main(["part", judged, address, "--index", str(index), "--of", "2", "-o", str(tmp_path)])
            == 0
        )
    assert main(["join", judged, str(tmp_path), "-m", "AP"]) == 3
    assert "changed between them" in capsys.readouterr().err


def test_a_store_that_is_not_there_is_reported(monkeypatch, store):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(UnreadableError, match="there is no connection to the server"):
        tare.read_run(f"s3://{BUCKET}/a.run")
