"""Preferences: readers, writers, utilities, cycles, disagreement, strengths."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tare
from tare._data.preferences import consistency
from tare.errors import FormatError

ROWS = [
    ("q", "a", "b", "a", "ann"),
    ("q", "b", "c", "b", "ann"),
    ("q", "a", "c", "c", "bob"),
    ("q", "a", "c", "equal", "ann"),
    ("q", "b", "c", "c", "bob", ["a"]),
]


def test_utilities_count_wins_over_times_shown():
    u = tare.read_preferences(ROWS).utilities["q"]
    assert u.documents == ("a", "b", "c")
    assert u.simple.tolist() == [1.5 / 3, 1 / 2, 1.5 / 3]
    assert u.conditional[1, 0] == 0
    assert u.conditional[2, 0] == 1
    assert np.isnan(u.conditional[0]).all()


def test_several_given_documents_count_for_each():
    u = tare.read_preferences([("q", "c", "d", "c", "", ("a", "b"))]).utilities["q"]
    assert u.conditional[2, 0] == u.conditional[2, 1] == 1


CONDITIONAL = [
    ("q", "a", "b", "a", "ann", ["c"]),
    ("q", "a", "b", "a", "bob", ["c"]),
    ("q", "a", "c", "c", "ann", ["b"]),
    ("q", "b", "c", "c", "ann", ["a"]),
]


def test_without_simple_judgements_utilities_come_from_the_conditional_ones():
    u = tare.read_preferences(CONDITIONAL).utilities["q"]
    assert np.isnan(u.simple).all()
    assert u.estimated.tolist() == [2 / 3, 0, 1]  # wins over times shown, whatever was given
    mixed = tare.read_preferences([*CONDITIONAL, ("q", "a", "b", "b", "ann")]).utilities["q"]
    assert mixed.estimated.tolist() == [0, 1, 1]  # a and b by their simple judgement, c estimated


def test_rank_1_scores_and_a_warning_says_what_is_unknown():
    run = {"q": {"a": 3.0, "b": 2.0, "x": 1.0}}
    scores = tare.evaluate(tare.read_preferences(CONDITIONAL), run, "Prf(stop=uniform)@1")
    assert scores.mean == pytest.approx(2 / 3)
    scores = tare.evaluate(tare.read_preferences(CONDITIONAL), run, "nPrf@3")
    (found,) = [f for f in scores.findings if f.kind == "unknown utilities"]
    assert found.severity == "warning"
    assert "2 documents were only judged after another one" in str(found)
    assert "1 document was never compared with another and counts 0" in str(found)
    assert "2 of 3 pairs" in str(found)  # b after a was judged


def test_complete_judgements_bring_no_warning():
    names = "abc"
    rows = [("q", x, y, x) for x in names for y in names if x < y]
    rows += [
        ("q", x, y, x, "", [g])
        for g in names
        for x in names
        for y in names
        if x < y and g not in (x, y)
    ]
    scores = tare.evaluate(tare.read_preferences(rows), {"q": {"a": 2.0, "b": 1.0}}, "nPrf@2")
    assert "unknown utilities" not in {f.kind for f in scores.findings}


def test_grades_of_conditional_judgements_are_the_estimates():
    assert tare.read_preferences(CONDITIONAL).to_qrels().to_dict() == {
        "q": {"a": pytest.approx(2 / 3), "b": 0.0, "c": 1.0}
    }


@pytest.mark.parametrize("suffix", [".txt", ".csv", ".tsv", ".jsonl", ".parquet"])
def test_every_format_comes_back(suffix: str, tmp_path: Path):
    given = tare.read_preferences(ROWS)
    path = tmp_path / f"prefs{suffix}"
    given.write(path)
    assert tare.read_preferences(path).judgements == given.judgements


def test_frames_are_recognised_by_their_columns():
    frame = pl.DataFrame({"topic": ["1"], "docA": ["x"], "docB": ["y"], "winner": ["right"]})
    assert tare.read_preferences(frame).judgements[0].preferred == "y"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("q a b", "line 1: expected 4 fields, found 3"),
        ("q a b c", "line 1: the winner 'c' is neither 'a' nor 'b'"),
        ("q a a a", "line 1: document 'a' is compared with itself"),
        ("q a b a - b", "line 1: a given document cannot be"),
        ("", "no preferences found"),
    ],
)
def test_what_is_wrong_is_told(line: str, message: str, tmp_path: Path):
    path = tmp_path / "prefs.txt"
    path.write_text(line + "\n")
    with pytest.raises(FormatError, match=message):
        tare.read_preferences(path)


def test_cycles_and_disagreement_are_findings():
    cycle = [
        ("q", "a", "b", "a"),
        ("q", "b", "c", "b"),
        ("q", "c", "a", "c"),
        ("q", "a", "b", "b"),
        ("q", "a", "b", "a"),
    ]
    found = tare.read_preferences(cycle)
    assert consistency(found).cyclic == 1
    assert [f.kind for f in found.findings] == ["cyclic preferences", "disagreement"]


def test_compat_can_be_taken_from_preferences():
    prefs = tare.read_preferences(
        [("q", "a", "b", "a"), ("q", "b", "c", "b"), ("q", "a", "c", "a")]
    )
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    assert tare.evaluate(prefs.to_qrels(), run, "Compat").mean == pytest.approx(1)


def test_strengths_follow_the_wins_and_the_interval_holds_them():
    found = tare.strengths(ROWS)
    assert found.ties["q"] == found.ties["q"]
    assert abs(found.values.sum()) < 1e-9
    assert (found.low < found.values).all()
    assert (found.values < found.high).all()


def test_strengths_recover_the_truth():
    random = np.random.default_rng(1)
    truth = {"a": 1.0, "b": 0.0, "c": -1.0}
    rows = []
    for _ in range(2000):
        x, y = random.permutation(list(truth))[:2]
        wins = random.random() < 1 / (1 + np.exp(truth[y] - truth[x]))
        rows.append(("q", str(x), str(y), str(x if wins else y)))
    found = tare.strengths(rows, prior=1e-6)
    assert found.to_dict()["q"] == pytest.approx(truth, abs=0.15)


def test_cast_2019(real_data: Path):
    path = real_data / "prefs/cast2019/TREC-CAsT-2019.pref.gz"
    if not path.exists():
        pytest.skip("CAsT 2019 preferences are not in TARE_DATA")
    prefs = tare.read_preferences(path)
    assert (len(prefs), len(prefs.items)) == (14_573, 171)
    found = consistency(prefs)
    assert found.cyclic / found.triads == pytest.approx(0.153, abs=0.001)
    run = prefs.to_qrels().to_dict()
    assert tare.evaluate(prefs, run, "nPrf@10").mean == pytest.approx(1)
