"""Where other programs go wrong: each was met in one of them."""

import numpy as np
import pytest

import tare

QRELS = {"first": {"a": 2, "b": 0}, "second": {"c": 1}, "third": {"d": 0}}


def test_thirty_systems_are_as_good_as_one():
    runs = {f"s{i}": {"first": {"a": 2, "b": i}} for i in range(30)}
    assert tare.evaluate(QRELS, runs, "RR").values.shape == (30, 3, 1)


def test_query_ids_need_not_be_numbers():
    scores = tare.evaluate(QRELS, QRELS, ["ERR@20", "nDCG(gain=exp2)@10"])
    assert scores.values[0, 0].tolist() == [0.75, 1.0]


def test_a_query_without_relevant_documents_spoils_no_other():
    alone = tare.evaluate({"first": QRELS["first"]}, QRELS, "bpref").mean
    scores = tare.evaluate(QRELS, QRELS, "bpref")
    assert scores.values.ravel().tolist() == [alone, 1.0, 0.0]
    assert "no relevant document" in [f.kind for f in scores.findings]


def test_a_topic_that_the_run_lacks_stops_nothing_and_is_counted():
    scores = tare.evaluate(QRELS, {"first": {"a": 1}}, "RR")
    assert scores.mean == 1 / 3
    assert scores.counts().tolist() == [[3]]


def test_gains_of_rank_biased_precision_stay_below_one():
    assert tare.evaluate({"q": {"a": 4}}, {"q": {"a": 1}}, "RBP(p=0.1)").mean == pytest.approx(0.9)
    graded = tare.evaluate({"q": {"a": 4}}, {"q": {"a": 1}}, "RBP(p=0.1,max_rel=4)")
    assert graded.mean == pytest.approx(0.9)


def test_identical_runs_have_identical_numbers():
    scores = tare.evaluate(QRELS, {"x": QRELS, "y": QRELS}, ["AP", "nDCG@3"])
    np.testing.assert_array_equal(scores.values[0], scores.values[1])
    np.testing.assert_array_equal(scores.intervals()[0], scores.intervals()[1])


def test_one_rule_for_ties_holds_for_every_measure():
    run = {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    scores = tare.evaluate({"q": {"a": 1}}, run, ["RR", "RR@10", "AP", "AP@10"])
    assert scores.values.ravel().tolist() == [1 / 3] * 4


def test_whole_and_real_grades_may_be_mixed():
    assert tare.evaluate({"q": {"a": 0.5, "b": 1}}, {"q": {"a": 2, "b": 1}}, "DCG@1").mean == 0.5
