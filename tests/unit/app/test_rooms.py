"""The room as assessors and owners go through it, without a browser; in both databases."""

from __future__ import annotations

import json
import re

import pytest

from tare._judging import GateQuestion
from tare._web.judge import StudyStore
from tests.rooms import ANSWERS, House, Serving, study_of


@pytest.mark.parametrize("kind", list(ANSWERS))
def test_a_whole_journey_of_each_kind(kind, tmp_path):
    with House(study_of(kind), str(tmp_path / "study.db")) as house:
        ann = house.assessor()
        tasks = len(house.store.study.tasks)
        for done in range(tasks):
            page = ann.open("/work")
            assert f"{done} done, about {tasks - done} left" in page
            assert not re.search(
                "alpha|beta|reference 1",
                page.replace("alpha says", "")
                .replace("beta says", "")
                .replace("reference 1 says", ""),
            )
            reply = ann.judge(ANSWERS[kind])
            assert reply.status_code == 200, reply.text
        assert "Your completion code" in reply.json()["html"]
        assert len(house.store.outcomes().judged) == tasks
        back = ann.post("/undo", submission="undo-of-the-last-answer")
        assert f"{tasks - 1} done, about 1 left" in back.json()["html"]
        assert len(house.store.outcomes().judged) == tasks - 1


def test_answers_are_kept_in_either_database(place):
    with House(study_of("conditional", overlap=2, both_bad=True), place) as house:
        ann, bob = house.assessor(0), house.assessor(1)
        for visitor, choices in (
            (ann, ["left", "right", "equal"]),
            (bob, ["bad", "left", "right"]),
        ):
            for choice in choices:
                assert visitor.judge({"choice": choice}).status_code == 200
        assert bob.judge({"choice": "cannot", "reason": "no idea"}).status_code == 200
        found = house.store.outcomes()
        assert [j.answer["choice"] for j in found.judged] == [
            *("left", "right", "equal", "bad", "left", "right", "cannot")
        ]
        assert len(found.preferences()) == 6
    again = type(house.store).open(place)
    assert again.outcomes().judged == found.judged
    again.engine.dispose()


def test_the_log_only_grows(place):
    from sqlalchemy import text
    from sqlalchemy.exc import DBAPIError

    from tare._web.judge.store import writing

    with House(study_of(), place) as house:
        house.assessor().judge({"choice": "left"})
        before = house.store.events()
        for attempt in ("UPDATE events SET kind = 'x'", "DELETE FROM events"):
            with pytest.raises(DBAPIError, match="only grows"), writing(house.store.engine) as own:
                own.execute(text(attempt))
        assert house.store.events() == before


def test_two_servers_may_share_a_database(place):
    """Each catches up with the log inside its transaction."""
    study = study_of(overlap=1)
    with House(study, place) as house:
        with Serving(StudyStore.open(place)) as second:
            ann, bob = house.assessor(0), house.assessor(1, second)
            for _ in range(len(study.tasks) // 2):
                assert ann.judge({"choice": "left"}).status_code == 200
                assert bob.judge({"choice": "right"}).status_code == 200
            assert "completion code" in ann.open("/work")
        tasks = [j.lease.task for j in house.store.outcomes().judged]
        assert len(tasks) == len(set(tasks)) == len(study.tasks)


def test_forms_work_without_a_script(house):
    ann = house.assessor()
    page = ann.open("/work")
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page.split("<form")[1]))
    reply = ann.client.post("/judge", data={**hidden, "choice": "right"})
    assert (reply.status_code, str(reply.url)) == (200, f"{house.url}/work")
    assert "1 done" in reply.text
    twice = ann.client.post("/judge", data={**hidden, "choice": "left"})  # a second click
    assert "1 done" in twice.text
    reply = ann.client.post(
        "/judge", data={**hidden, "number": ann.number, "submission": "s" * 20, "choice": "cannot"}
    )
    assert reply.status_code == 422
    assert "Please explain in a few words why" in reply.text
    page = ann.open("/work")
    undo = dict(
        re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page.split('action="/undo"')[1])
    )
    assert "0 done" in ann.client.post("/undo", data=undo).text


def test_the_gate_lets_those_through_who_have_understood(tmp_path):
    gate = (GateQuestion("Two and two?", ("three", "four"), 2),)
    with House(study_of(gate=gate, gate_attempts=2), str(tmp_path / "s.db")) as house:
        ann, bob = house.assessor(0), house.assessor(1)
        assert "Before you begin" in ann.open("/work")
        assert (
            ann.client.post(
                "/judge",
                json={"csrf": ann.csrf, "submission": "x" * 20, "number": 1, "choice": "left"},
            ).status_code
            == 403
        )
        wrong = ann.post("/gate", submission="gate-attempt-number-1", **{"gate-0": 1})
        assert "1 attempt left" in wrong.json()["html"]
        assert (
            "A is better"
            in ann.post("/gate", submission="gate-attempt-number-2", **{"gate-0": 2}).json()["html"]
        )
        for attempt in ("1", "2"):
            bob.post("/gate", submission=f"gate-attempt-of-bob-{attempt}", **{"gate-0": "1"})
        assert "no attempts are left" in bob.open("/work")


def test_an_open_door_enrols_once_for_each_id(house):
    path = f"/open/{house.keys.door}?PROLIFIC_PID=5f3c"
    ann = house.visitor()
    assert "Start" in ann.open(path)
    assert len(house.store.outcomes().state.assessors) == 3  # looking enrols nobody
    assert "A is better" in ann.client.post(path).text
    known = house.store.outcomes().state.external
    assert known == {"5f3c": "a4"}
    assert "A is better" in ann.open(path)  # the cookie tells who comes back
    other = house.visitor()
    assert other.client.post(path).status_code == 409
    link = re.search(r'value="http://[^/]+(/join/[^"]+)"', ann.open("/link"))
    assert "A is better" in other.open(link[1])
    assert house.store.outcomes().state.external == known


def test_drafts_are_there_on_another_machine(tmp_path):
    with House(study_of("ratings"), str(tmp_path / "s.db")) as house:
        ann, elsewhere = house.assessor(0), house.assessor(0)
        reply = ann.post("/draft", number=ann.number, draft={"rating-0": "4"})
        assert reply.json() == {"kept": True}
        checked = re.findall(
            r'name="(rating-\d)" value="(\d)" required\s+checked', elsewhere.open("/work")
        )
        assert checked == [("rating-0", "4")]
        ann.judge(ANSWERS["ratings"])
        assert "checked" not in ann.open("/work")
        assert ann.post("/draft", number=1, draft={}).json() == {"kept": False}


def test_the_owner_watches_invites_pauses_extends_and_withdraws(house):
    owner, ann, bob = house.owner(), house.assessor(0), house.assessor(1)
    for visitor in (ann, bob):
        for _ in range(3):
            visitor.judge({"choice": "left"})
    page = owner.open("/owner")
    assert 'id="judged">6 <small>of 12' in page
    csrf = re.search(r'name="csrf" value="(\w+)"', page)[1]

    def change(what, **fields):
        return owner.client.post(f"/owner/{what}", data={"csrf": csrf, **fields})

    fresh = change("pause", paused="yes").text  # a change discards the figures that are kept
    assert "paused" in fresh
    assert "The forecast starts after 3 full days of answers." in fresh
    assert "6 answers remain" in fresh
    assert "Assessors compared" in fresh
    assert not re.search(r"\sstyle=|<script(?! type=\"module\" src=)", fresh)
    assert "The study is paused" in ann.open("/work")
    for odd in ({}, {"paused": "perhaps"}):
        refused = change("pause", **odd)
        assert refused.status_code == 422
        assert "must be yes or no" in refused.text
        assert "The study is paused" in ann.open("/work")
    change("pause", paused="no")
    assert "currently 3" in change("extend", overlap="1").text
    invited = change("invite", count="2", label="from the office").text
    links = re.findall(r'value="http://[^/]+(/join/[^"]+)"', invited)
    assert len(links) == 2
    assert links[0].split("/")[-1] not in owner.open("/owner")
    new = house.visitor()
    assert "A is better" in new.open(links[1])
    change("revoke", assessor="a2", discard="yes")
    assert bob.client.get("/work").status_code == 403
    assert len(house.store.outcomes().judged) == 3
    change("revoke", assessor="a1")
    assert ann.client.get("/work").status_code == 403
    assert len(house.store.outcomes().judged) == 3
    assert change("extend", overlap="0").status_code == 422


def test_live_exports(house):
    owner, ann = house.owner(), house.assessor()
    assert owner.client.get("/owner/export/preferences.txt").status_code == 409  # nothing yet
    ann.judge({"choice": "left"})
    text = owner.open("/owner/export/preferences.txt").split()
    assert len(text) == 5
    assert text[3] == text[1]
    rows = [json.loads(x) for x in owner.open("/owner/export/events.jsonl").splitlines()]
    assert [r["kind"] for r in rows if r["assessor"] == "a1"] == [
        *("invited", "joined", "assigned", "judged", "assigned")
    ]
    assert house.keys.assessors[0][1] not in json.dumps(rows)
    assert "token" not in json.dumps(rows)
    assert owner.client.get("/owner/export/ratings.parquet").content[:4] == b"PAR1"
    assert owner.client.get("/owner/export/nothing.csv").status_code == 404


def test_an_assessor_may_read_his_own_answers_and_no_others(house):
    ann, bob = house.assessor(0), house.assessor(1)
    ann.judge({"choice": "left"})
    bob.judge({"choice": "right"})
    assert [json.loads(x)["answer"] for x in ann.open("/mine.jsonl").splitlines()] == [
        {"choice": "left"}
    ]


def test_a_clock_that_is_set_while_the_server_runs_changes_no_time(house, monkeypatch):
    import time

    owner, ann = house.owner(), house.assessor()
    for cookie in ann.client.cookies.jar:
        cookie.expires = None  # the visitor's own clock is another matter
    real = time.time
    for jump in (-31_536_000, 31_536_000, -31_536_000):
        monkeypatch.setattr(time, "time", lambda jump=jump: real() + jump)
        assert ann.judge({"choice": "left"}).status_code == 200
    monkeypatch.setattr(time, "time", real)
    seconds = [row["seconds"] for row in house.store.outcomes().rows()]
    assert len(seconds) == 3
    assert all(s is not None and 0 <= s < 600 for s in seconds)
    assert "−" not in owner.open("/owner").split("Median time")[1].split("</dd>")[0]
