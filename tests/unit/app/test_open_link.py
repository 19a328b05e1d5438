"""The link for many: it can be left out, and lets a limited number in."""

from __future__ import annotations

import json
import re

import pytest

from tare._cli.main import main
from tare._judging import StudyDesign
from tare._web.judge import StudyStore
from tare.errors import OptionError
from tests.rooms import House, study_of

PLAN = """
kind = "preference"
{more}
[data]
queries = "queries.tsv"
documents = "documents.tsv"
"""


def test_it_lets_in_as_many_as_the_design_says(tmp_path):
    with House(study_of(door_limit=2), str(tmp_path / "s.db"), invite=3) as house:
        path = f"/open/{house.keys.door}"
        let_in = [house.visitor() for _ in range(2)]
        for number, visitor in enumerate(let_in):
            assert visitor.client.post(f"{path}?PROLIFIC_PID=p{number}").status_code == 200
        late = house.visitor()
        for reply in (late.client.get(path), late.client.post(path)):
            assert reply.status_code == 403
            assert "has reached the number of assessors" in reply.text
        assert len(house.store.outcomes().state.assessors) == 5
        for known in (*let_in, house.assessor(2)):
            assert "A is better" in known.open("/work")
        assert "A is better" in let_in[0].open(path)  # whoever is in is led to the work


def test_it_can_be_left_out(tmp_path):
    with House(study_of(door=False), str(tmp_path / "s.db")) as house:
        assert house.keys.door == ""
        for token in ("", "A" * 43):
            assert house.visitor().client.get(f"/open/{token}").status_code == 404
            assert house.visitor().client.post(f"/open/{token}").status_code == 404
        assert "A is better" in house.assessor().open("/work")
        assert len(house.store.outcomes().state.assessors) == 3


@pytest.mark.parametrize(
    ("more", "limit"), [("", 1000), ("door = false", None), ("door_limit = 7", 7)]
)
def test_a_plan_says_so(more, limit, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(PLAN.format(more=more))
    (tmp_path / "queries.tsv").write_text("q1\tcoffee\n")
    (tmp_path / "documents.tsv").write_text("a\tone\nb\ttwo\n")
    assert main(["judge", "create", "study.toml", "--invite", "1", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    links = {r["for"]: r["link"] for r in rows}
    assert set(links) == {"owner", "assessor"} | ({"anyone"} if limit else set())
    with StudyStore.open("study.db") as store:
        design = store.study.design
    assert design.door is (limit is not None)
    assert limit is None or design.door_limit == limit


def test_an_open_link_for_nobody_is_refused():
    with pytest.raises(OptionError, match="door_limit=0"):
        StudyDesign("preference", door_limit=0)


def test_the_log_tells_who_came_by_it(tmp_path):
    with House(study_of(), str(tmp_path / "s.db"), invite=1) as house:
        house.visitor().client.post(f"/open/{house.keys.door}")
        invited = [e for e in house.store.events() if e.kind == "invited"]
        assert [bool(e.data.get("door")) for e in invited] == [False, True]
        assert re.fullmatch("[0-9a-f]{64}", invited[1].data["token"])
