"""Preferences in a view: what a ranking agrees with, what documents add, and foreign texts."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

import tare
from tare._cli.main import main
from tare._data.preferences import Judgement
from tare._web.guard import Access, new_token
from tare._web.view.build import opened_index
from tare._web.view.index import ViewInputs
from tare._web.view.listing import Wish
from tare._web.view.rankings import PreferencePairs, QueryComparison
from tare._web.view.server import Notes, ServedView, application

ODD = "<b>x</b>"
JUDGED = """q1 a b a p1
q1 a b a p2
q1 b a b p3
q1 b c b
q1 c d d
q1 a d equal
q1 e f e
q1 b d b - a
q1 c b c - d
q2 <b>x</b> a a
q2 a b b
"""
RUNS = {
    "one": {"q1": "abcd", "q2": [ODD, "a", "b"]},
    "two": {"q1": "dcbaz", "q2": ["b", "a", ODD]},
}
MEASURES = ["nPrf@3", "Prf(combine=min)@3"]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "prefs.txt").write_text(JUDGED)
    for name, own in RUNS.items():
        lines = [
            f"{q} Q0 {d} {r} {9 - r} t\n" for q, docs in own.items() for r, d in enumerate(docs, 1)
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return tmp_path


@pytest.fixture
def index(files):
    paths = (files / "one.run", files / "two.run")
    inputs = ViewInputs(files / "prefs.txt", paths, of_preferences=True)
    made = opened_index(inputs, lambda: scores(files), say=lambda text: None)
    yield made
    made.close()


def scores(files):
    prefs = tare.read_preferences(files / "prefs.txt")
    return tare.evaluate(prefs, [files / "one.run", files / "two.run"], MEASURES)


@pytest.fixture
def reader(index, tmp_path):
    served = ServedView(index, Notes(tmp_path / "notes.jsonl"), Access(new_token()), "prefs")
    client = TestClient(application(served), base_url="http://127.0.0.1:8123")
    client.get(f"/open/{served.access.token}")
    return client


def test_what_a_ranking_agrees_with(index):
    pairs = QueryComparison(index, Wish("one", "two", "nPrf@3"), 0).pairs
    # b > d after a; c > b after d, which only "two" has above both; d > c; e > f is not ranked.
    assert [tuple(own.values()) for own in pairs.counts()] == [("one", 3, 1, 6), ("two", 2, 2, 6)]
    shown = [(g["title"].split()[0], g["count"]) for g in pairs.groups(9)]
    assert shown == [("Preferences", 5), ("Ties,", 2)]
    assert pairs.remarks("one") == {"d": "preferred to rank 3 above it"}
    assert pairs.remarks("two") == {
        "a": "preferred to rank 3 above it",
        "b": "preferred to rank 2 above it",
    }
    assert len(pairs.groups(2)[0]["rows"]) == 2


documents = st.permutations("abcd").flatmap(lambda o: st.integers(0, 4).map(lambda n: o[:n]))
votes = st.lists(
    st.tuples(
        st.sampled_from(list(itertools.combinations("abcd", 2))), st.sampled_from([0, 1, None])
    ),
    min_size=1,
    max_size=12,
)


@given(documents, votes)
def test_agreements_by_counting_votes(ranked, given_votes):
    judged = [Judgement("", *pair, None if w is None else pair[w]) for pair, w in given_votes]
    (found,) = PreferencePairs(judged, {"s": [(d, 0.0) for d in ranked]}).counts()
    agrees = violates = 0
    for one, two in itertools.combinations("abcd", 2):
        lead = sum(
            (j.preferred == one) - (j.preferred == two)
            for j in judged
            if {j.left, j.right} == {one, two}
        )
        place = [ranked.index(d) if d in ranked else 9 for d in (one, two)]
        sign = (place[1] > place[0]) - (place[1] < place[0])
        agrees += lead * sign > 0
        violates += lead * sign < 0
    assert (found["agrees"], found["violates"]) == (agrees, violates)


@pytest.mark.parametrize("measure", MEASURES)
def test_scores_contributions_and_swaps(index, files, measure):
    expected = scores(files)
    comparison = QueryComparison(index, Wish("one", "two", measure), 0)
    one, two = comparison.sides()
    assert one["at_depth"] == pytest.approx(expected.matrix(measure)[0, 0], abs=1e-12)
    assert two["gross"] == expected.matrix(measure)[1, 0]
    # d won 1½ of 2 simple comparisons (with c, and a tie with a); b won 2 of 4; z was never compared.
    assert [row["grade"] for row in two["rows"]] == ["0.75", "0", "0.5", "0.62", ""]
    after = {"q1": {"b": 4.0, "a": 3.0, "c": 2.0, "d": 1.0}}
    prefs = tare.read_preferences(files / "prefs.txt")
    changed = tare.evaluate(prefs, {"s": after}, measure).matrix()[0, 0]
    assert comparison.swap("one", 1, 2)["after"] == pytest.approx(changed, abs=1e-12)
    without = tare.evaluate(
        prefs, {"s": {"q1": {"new": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}}, measure
    ).matrix()[0, 0]
    assert one["rows"][0]["added"] == pytest.approx(one["at_depth"] - without, abs=1e-12)


def test_the_pages_are_inert(reader):
    for path in ("/", "/query/0?a=one&b=two", "/query/1?a=one&b=two", "/query/1?a=one&b=one"):
        answer = reader.get(path)
        assert answer.status_code == 200
        assert not re.search(
            r"<(b|img|script(?! src=\"/static/(rankings|view).js\"))[ >]", answer.text
        )
        assert not re.search(r"\son\w+=|style=|javascript:", answer.text)
    text = reader.get("/query/0?a=one&b=two").text
    assert "one agrees with 3 and violates 1 of 6 preferences" in re.sub("<[^>]+>", "", text)
    assert "2 : 1" in text
    assert "Show all" not in text
    assert "Show all 5" in reader.get("/query/0?a=one&b=two&pairs=2").text


def test_the_verb_reads_preferences_if_the_measure_needs_them(files, capsys, monkeypatch):
    monkeypatch.chdir(files)
    call = ["view", "prefs.txt", "one.run", "two.run", "--index", "i.sqlite", "--index-only", "-m"]
    assert main([*call, "nPrf@3"]) == 0
    assert "2 queries and 2 systems" in capsys.readouterr().err
    assert main([*call, "alpha_nDCG@10"]) == 2
    assert "needs subtopics" in " ".join(capsys.readouterr().err.split())
    assert main([*call, "nPrf@3", "nDCG@3"]) == 2
    assert "separately" in " ".join(capsys.readouterr().err.split())
