"""A server that is killed in the middle of work loses nothing that it has acknowledged."""

from __future__ import annotations

import json
import re

import httpx
import pytest

from tare._cli.main import main
from tare._web.guard import csrf_of
from tare._web.judge import StudyStore
from tests.rooms import study_of
from tests.served import ServedProcess


def test_what_was_acknowledged_survives_a_kill(tare):
    store, keys = StudyStore.create(study_of(overlap=2), str(tare.folder / "study.db"), invite=1)
    store.engine.dispose()
    token = keys.assessors[0][1]
    acknowledged, said = [], b""
    for round_ in range(2):
        server = ServedProcess(tare, "study.db")
        with server, httpx.Client(base_url=server.url, follow_redirects=True) as ann:
            page = ann.get(f"/join/{token}").text
            assert f"{len(acknowledged)} done" in page
            ann.get(f"/join/{token[:-1]}x")
            for number in range(3):
                found = re.search(r'name="number" value="(\d+)"', page)
                submission = f"submission-number-{round_}-{number}"
                fields = {"csrf": csrf_of(token), "number": int(found[1]), "choice": "left"}
                reply = ann.post("/judge", json={**fields, "submission": submission})
                assert reply.status_code == 200
                acknowledged.append(submission)
                page = json.loads(reply.text)["html"]
        said += server.said
    with StudyStore.open(str(tare.folder / "study.db")) as store:
        kept = [e.submission for e in store.events() if e.kind == "judged"]
    assert kept == acknowledged
    assert token[:20].encode() not in said  # nothing that is printed holds a token
    assert b"127.0.0.1" in said


@pytest.mark.parametrize(("host", "warns"), [("127.0.0.1", False), ("0.0.0.0", True)])
def test_listening_elsewhere_is_told_what_to_put_in_front(
    host, warns, tmp_path, monkeypatch, capsys
):
    StudyStore.create(study_of(), str(tmp_path / "study.db"))[0].engine.dispose()
    served = []
    monkeypatch.setattr("tare._web.judge.serve", lambda store, **given: served.append(given))
    arguments = [] if host == "127.0.0.1" else ["--host", host]
    assert main(["judge", "serve", str(tmp_path / "study.db"), *arguments]) == 0
    assert served[0]["host"] == host
    assert ("reverse proxy with TLS" in capsys.readouterr().err) is warns
