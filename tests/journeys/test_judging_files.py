"""The file of a study: complete after a stop, missed by the server while it is away, with any name."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
from contextlib import closing, contextmanager

import httpx
import pytest

from tare._web.guard import csrf_of
from tare._web.judge import StudyStore
from tests.rooms import study_of
from tests.served import ServedProcess

ANSWERS = 5


@pytest.fixture
def token(tare) -> str:
    store, keys = StudyStore.create(study_of(overlap=2), str(tare.folder / "study.db"), invite=1)
    store.engine.dispose()
    return keys.assessors[0][1]


@contextmanager
def assessor(server: ServedProcess, token: str):
    with httpx.Client(base_url=server.url, timeout=600, follow_redirects=True) as ann:
        ann.get(f"/join/{token}")
        yield ann


def fields_of(ann: httpx.Client, token: str, submission: str) -> dict[str, object]:
    found = re.search(r'name="number" value="(\d+)"', ann.get("/work").text)
    assert found is not None
    made = {"csrf": csrf_of(token), "number": int(found[1]), "choice": "left"}
    return {**made, "submission": submission}


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_after_a_stop_one_file_holds_all_answers(sent, tare, token):
    server = ServedProcess(tare, "study.db")
    with server:
        with assessor(server, token) as ann:
            for number in range(ANSWERS):
                reply = ann.post("/judge", json=fields_of(ann, token, f"submission-{number:012d}"))
                assert reply.status_code == 200
        served, copy = (sqlite3.connect(tare.folder / name) for name in ("study.db", "backup.db"))
        with closing(served), closing(copy):
            served.backup(copy)  # as `.backup` does, while the study is served
        server.process.send_signal(sent)
        os.waitid(os.P_PID, server.process.pid, os.WEXITED | os.WNOWAIT)
    shutil.copy(tare.folder / "study.db", tare.folder / "copy.db")
    for name in ("copy.db", "backup.db"):
        store = StudyStore.open(str(tare.folder / name))
        assert sum(event.kind == "judged" for event in store.events()) == ANSWERS
        store.engine.dispose()
    assert not (tare.folder / "study.db-wal").exists()


@pytest.mark.parametrize("replaced", [False, True])
def test_a_study_that_was_moved_takes_no_answers_until_it_is_back(replaced, tare, token):
    place, moved = tare.folder / "study.db", tare.folder / "moved.db"
    other, _ = StudyStore.create(study_of(), str(tare.folder / "other.db"))
    other.engine.dispose()
    server = ServedProcess(tare, "study.db")
    with server, assessor(server, token) as ann:
        fields = fields_of(ann, token, "s" * 20)
        assert ann.get("/health").text == "ok\n"
        place.rename(moved)
        if replaced:
            shutil.copy(tare.folder / "other.db", place)
        health, answer = ann.get("/health"), ann.post("/judge", json=fields)
        assert (health.status_code, answer.status_code) == (503, 503)
        said = "he file study.db was moved, replaced or deleted while it is being served"
        assert said in health.text
        assert said in json.loads(answer.text)["error"]
        moved.replace(place)
        assert ann.get("/health").text == "ok\n"
        assert ann.post("/judge", json=fields).status_code == 200
    assert b"Traceback" not in server.said
    assert said.encode() in server.said
