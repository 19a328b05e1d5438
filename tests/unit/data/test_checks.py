"""Findings of every kind, and the policies."""

import pytest

import tare
from tare._data import Policies, judge
from tare._data.judged import check_judged, check_qrels
from tare.errors import MismatchError, OptionError

QRELS = {"q1": {"a": 1, "b": 0, "c": -1}, "q2": {"a": 0}, "q3": {"a": 2}}


def kinds(findings):
    return {f.kind: (f.count, f.severity) for f in findings}


def judged(run, **policies):
    return judge(tare.read_qrels(QRELS), run, Policies(**policies))


def test_findings_of_qrels():
    assert kinds(check_qrels(tare.read_qrels(QRELS))) == {
        "negative grades": (1, "note"),
        "no relevant document": (1, "warning"),
    }
    found = check_qrels(tare.read_qrels(QRELS), rel=2)
    assert str(found[1]).endswith("(q1, q2)")


def test_findings_of_a_run():
    found = check_judged(judged({"q1": {"a": 1, "x": 1, "y": 0.5}, "other": {"a": 1}}))
    assert kinds(found) == {
        "queries missing from the run": (2, "warning"),
        "queries missing from the qrels": (1, "note"),
        "tied scores": (2, "note"),
        "unjudged documents": (1, "warning"),
    }
    told = {f.kind: str(f) for f in found}
    assert told["queries missing from the run"].endswith("are missing from the run. (q2, q3)")
    assert "67 % of the documents in the top 10" in told["unjudged documents"]


def test_the_share_of_unjudged_documents_is_taken_at_a_cutoff():
    run = judged({"q1": {"a": 3, "b": 2, "x": 1}, "q2": {"a": 1}, "q3": {"a": 1}})
    assert kinds(check_judged(run, cutoff=2)) == {}
    with pytest.raises(OptionError, match="cutoff=0 is not possible"):
        check_judged(run, cutoff=0)


@pytest.mark.parametrize(
    ("ties", "rule"),
    [
        ("trec", "by document id, descending"),
        ("order", "in the given order"),
        ("expected", "averaged"),
    ],
)
def test_the_rule_for_ties_is_told(ties, rule):
    found = check_judged(judged({q: {"a": 1, "b": 1} for q in QRELS}, ties=ties))
    assert rule in str(next(f for f in found if f.kind == "tied scores"))


def test_many_examples_are_cut_short():
    qrels = tare.read_qrels({f"q{i}": {"a": 1} for i in range(9)})
    found = check_judged(judge(qrels, {"q0": {"a": 1}}, Policies()))
    assert found[0].examples == ("q1", "q2", "q3", "q4", "q5", "…")


def test_missing_queries_count_as_zero_are_left_out_or_refused():
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1}}
    assert tare.evaluate(qrels, run, "AP").mean == 0.5
    assert tare.evaluate(qrels, run, "AP", missing="skip").mean == 1.0
    with pytest.raises(MismatchError, match="1 judged queries are missing"):
        tare.evaluate(qrels, run, "AP", missing="error")


def test_a_run_without_any_judged_query_has_a_table_all_the_same():
    scores = tare.evaluate({"q1": {"a": 1}}, {"other": {"a": 1}}, ["AP", "P@5"], missing="skip")
    assert "–" in str(scores)
    assert scores.counts().tolist() == [[0, 0]]


def test_condensed_rankings_leave_unjudged_documents_out():
    run = {"q1": {"x": 3, "a": 2, "y": 1}}
    assert tare.evaluate({"q1": {"a": 1}}, run, "RR").mean == 0.5
    assert tare.evaluate({"q1": {"a": 1}}, run, "RR", unjudged="condensed").mean == 1.0


def test_the_three_rules_for_ties():
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}
    assert tare.evaluate(qrels, run, "RR").mean == 0.5
    assert tare.evaluate(qrels, run, "RR", ties="order").mean == 1.0
    assert tare.evaluate(qrels, run, "RR", ties="expected").mean == 0.75


def test_scores_that_only_64_bits_tell_apart():
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0 + 1e-12, "b": 1.0}}
    assert tare.evaluate(qrels, run, "RR").mean == 1.0
    assert tare.evaluate(qrels, run, "RR", precision=32).mean == 0.5


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ({"ties": "random"}, "ties='random' is not known. Accepted: 'trec', 'order', 'expected'"),
        ({"missing": "drop"}, "missing='drop' is not known"),
        ({"unjudged": "condense"}, "Did you mean 'condensed'?"),
        ({"depth": 0}, "depth=0 is not possible"),
        ({"precision": 16}, "precision=16 is not known"),
        ({"seed": -1}, "seed=-1 is not valid"),
        ({"seed": 2**64}, "is not valid"),
        ({"samples": 1}, "samples=1 is not possible"),
    ],
)
def test_impossible_options_are_refused(policy, message):
    with pytest.raises(OptionError) as error:
        tare.evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, "AP", **policy)
    assert message in str(error.value)


def test_a_depth_beyond_any_ranking_is_all_of_it():
    assert tare.evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, "AP", depth=10**30).mean == 1.0


def test_digests_do_not_depend_on_the_order_of_rows():
    first = tare.read_qrels({"q1": {"a": 1, "b": 0}, "q2": {"c": 2}})
    second = tare.read_qrels({"q2": {"c": 2}, "q1": {"b": 0, "a": 1}})
    other = tare.read_qrels({"q1": {"a": 1, "b": 0}, "q2": {"c": 1}})
    assert first.digest == second.digest != other.digest
    assert len(first.digest) == 8


def test_grades_in_rank_order():
    rankings = dict(zip(QRELS, judged({"q1": {"x": 3, "a": 2, "c": 1}}).grades(), strict=True))
    assert rankings == {"q1": [None, 1.0, -1.0], "q2": [], "q3": []}
