"""Answers in a view: what each nugget adds, what is missing, and that foreign texts stay texts."""

import json
import re

import pytest
from starlette.testclient import TestClient

import tare
from tare._data.answers import answer_texts, topic_texts
from tare._data.nuggets import Nugget
from tare._web.guard import Access, new_token
from tare._web.view.answers import AnswerComparison, AnswerFiles, StoredAnswer, nugget_contributions
from tare._web.view.build import opened_index
from tare._web.view.index import ViewInputs
from tare._web.view.listing import Wish
from tare._web.view.server import Notes, ServedView, application
from tests.unit.view.conftest import HOSTILE

YES, PARTLY, NO = "support", "partial_support", "not_support"
FACTS = [("it is in Paris", "vital"), ("it was built in 1889", "vital"), (HOSTILE, "okay")]
GIVEN = {
    ("a", "q1"): [YES, PARTLY, NO],
    ("b", "q1"): [NO, PARTLY, YES],
    ("a", "q2"): [YES, YES, YES],
    ("b", "q2"): [YES, YES, YES],
    ("a", "q3"): [NO, YES, NO],
    ("c\x1b[31m", "q3"): [PARTLY, NO, NO],
}
MEASURES = [
    "NuggetVital",
    "NuggetVitalStrict",
    "NuggetAll",
    "NuggetAllStrict",
    "NuggetWeighted",
    "NuggetDensity",
]


def row(system, topic, labels, **more):
    nuggets = [
        {"text": t, "importance": i, "assignment": a}
        for (t, i), a in zip(FACTS, labels, strict=True)
    ]
    return {
        "qid": topic,
        "query": f"where is {topic}? {HOSTILE}",
        "run_id": system,
        "nuggets": nuggets,
        "answer_text": f"{system} says\n<b>bold</b> of {topic}",
    } | more


@pytest.fixture
def files(tmp_path):
    path, other = tmp_path / "assignments.jsonl", tmp_path / "elsewhere.jsonl"
    path.write_text("".join(json.dumps(row(*k, v)) + "\n" for k, v in GIVEN.items()))
    chance = [row("a", f"q{k}", [PARTLY, NO, NO], answer_to="q9", run_id="a") for k in (1, 2, 3)]
    other.write_text("".join(json.dumps(one) + "\n" for one in chance))
    return AnswerFiles((path,), elsewhere=(other,))


@pytest.fixture
def index(files):
    inputs = ViewInputs(files.assignments[0], (), answers=files, options=tuple(files.options()))
    made = opened_index(inputs, lambda: files.scores(MEASURES), say=lambda text: None)
    yield made
    made.close()


@pytest.fixture
def reader(index, tmp_path):
    served = ServedView(index, Notes(tmp_path / "notes.jsonl"), Access(new_token()), "answers")
    client = TestClient(application(served), base_url="http://127.0.0.1:8123")
    client.get(f"/open/{served.access.token}")
    return client


@pytest.mark.parametrize("measure", MEASURES)
def test_what_the_nuggets_add_is_the_score_of_the_answer(index, files, measure):
    scores = tare.evaluate_answers(files.read(), measure)
    for place, topic in enumerate(scores.items):
        shown = AnswerComparison(index, Wish("a", "b", measure), place)
        for system in ("a", "b"):
            expected = scores.matrix()[scores.systems.index(system), place]
            if expected == expected:
                assert sum(shown.added[system]) == pytest.approx(expected, abs=1e-12), topic
            else:
                assert shown.added[system] is None
    column = index.column("gross", measure, "a")
    assert column.tolist() == scores.matrix()[0].tolist()


def test_by_hand_with_two_assigners_and_a_nugget_that_one_did_not_assign():
    nuggets = [Nugget("x", "x", vital=True), Nugget("y", "y", vital=False)]
    answer = StoredAnswer((("p", (1.0, 0.5)), ("q", (0.0, None))))
    policies = {"unassigned": "skip"}
    # p: (1 + ½)/2, of which x adds ½ and y ¼; q: 0 of 1.
    assert nugget_contributions("NuggetAll", nuggets, answer, policies) == [0.25, 0.125]
    assert nugget_contributions("NuggetAllStrict", nuggets, answer, policies) == [0.25, 0.0]
    assert nugget_contributions("Refusal", nuggets, answer, policies) is None
    assert nugget_contributions("NuggetDensity", nuggets, answer, policies) is None  # no length


def test_nuggets_that_make_the_difference_come_first(index):
    shown = AnswerComparison(index, Wish("a", "b", "NuggetAll"), 0)
    (first, differ), (second, same) = shown.groups()
    assert (first, len(differ)) == ("Nuggets on which the two answers differ", 2)
    assert (second, len(same)) == ("Nuggets with the same assignment", 1)
    assert {r["text"]: round(r["difference"], 6) for r in shown.rows} == {
        "it is in Paris": 0.333333,
        HOSTILE: -0.333333,
        "it was built in 1889": 0.0,
    }
    assert [(own["count"], own["vital"]) for own in shown.ahead()] == [(1, 1), (1, 0)]
    vital = AnswerComparison(index, Wish("a", "b", "NuggetVital"), 0)
    assert vital.rows[0]["text"] == "it is in Paris"
    assert [card["counts"] for card in vital.cards()] == [
        [(1, "support"), (1, "partial"), (1, "no support")]
    ] * 2


def test_the_page_of_a_topic(reader):
    text = reader.get("/query/0?a=a&b=b&m=NuggetAll").text
    assert "a is ahead on 1 nugget" in re.sub("<[^>]+>", "", text)
    assert text.count('<span class="grade g3">support</span>') == 2
    assert "+0.333" in text
    assert "−0.333" in text
    assert "where is q1?" in text
    assert "a says\n&lt;" in text
    assert "tare 0.167" in text  # the mean of answers to other topics: ½ of one of three nuggets
    alone = reader.get("/query/2?a=a&b=b").text
    assert "This system has no answer to this topic." in alone
    assert "adds to the difference" not in alone
    assert reader.get("/query/2?a=a&b=a").status_code == 200
    assert reader.get("/query/9").status_code == 404


def test_the_table_of_topics(reader):
    text = reader.get("/?a=a&b=b&sort=query&order=up").text
    assert re.findall(r"<bdi>(q\d)</bdi></a>", text) == ["q1", "q2", "q3"]
    assert "3 topics, 3 systems" in text
    assert re.findall(r"<bdi>(q\d)</bdi></a>", reader.get("/?find=q2").text) == ["q2"]
    assert ">c\\x1b[31m</option>" in text
    assert "\x1b" not in re.sub("<[^>]+>", "", text)


def test_foreign_texts_are_inert(reader):
    for path in ("/", "/query/0?a=a&b=b", "/query/2?a=a&b=c%1b[31m"):
        text = reader.get(path).text
        assert not re.search(r"<(b|img|script(?! src=\"/static/(rankings|view).js\"))[ >]", text)
        assert "&lt;script&gt;" in text
        assert not re.search(r"\son\w+=|style=|javascript:", text)


def test_texts_of_answers_and_topics():
    rows = [
        {"turn": "t", "system": "a", "response": "one"},
        {"turn": "t", "system": "b", "words": 3},
    ]
    assert answer_texts(rows) == {("a", "t"): "one"}
    sentences = {"qid": {"id": "t", "text": "why?"}, "answer": [{"text": "one."}, {"text": "two."}]}
    assert answer_texts([sentences]) == {("system", "t"): "one. two."}
    assert topic_texts([sentences], [{"query": "only an id"}]) == {"t": "why?"}
    other = {"qid": "t", "answer_to": "u", "answer_text": "of another topic"}
    assert answer_texts([other]) == {}
