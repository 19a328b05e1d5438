"""Laws of the rank of the first relevant document, which not every ranking has."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tare
from tare._measures import parse
from tare.chance import chances
from tests.laws.collections import Ranked, tied, untied
from tests.laws.orders import cases, named_orders
from tests.reference import graded_measures as graded
from tests.reference.catalogue import RANKS, VARIANTS, reference

MEASURES = [parse(text) for name in RANKS for text in VARIANTS[name]]
MEAN_RANKS = [m for m in MEASURES if m.name == "MeanRank"]
POOLS = ("judged", "corpus=7", "union", "candidates")


def collection(query: Ranked) -> tuple[dict, dict]:
    return {"q": query.qrels() or {"none": 0}}, {"q": query.run() or {"other": 1.0}}


def obvious_values(query: Ranked, depth: int | None = None) -> list[float]:
    """Of each measure, over the orders of the ties, by the obvious version."""
    made = []
    for measure in MEASURES:
        obvious = reference(measure, 3)

        def cut(ranking, judged, obvious=obvious):
            return obvious(ranking[:depth], judged)

        made.append(graded.expected_over_ties(cut, query.groups, query.judged or [0.0]))
    return made


@given(untied())
@settings(max_examples=60)
def test_a_rank_is_that_of_the_obvious_version_or_refused(query):
    qrels, run = collection(query)
    expected = obvious_values(query)
    if np.isinf(expected).any():
        with pytest.raises(tare.TareError, match="the run retrieves none for 1 of 1 queries"):
            tare.evaluate(qrels, run, MEASURES)
        return
    values = tare.evaluate(qrels, run, MEASURES).values[0, 0]
    np.testing.assert_array_equal(values, expected)


@given(tied(), st.none() | st.integers(1, 6))
@settings(max_examples=60)
def test_open_ties_are_the_mean_over_all_orders(query, depth):
    qrels, run = collection(query)
    expected = obvious_values(query, depth)
    assume(not np.isinf(expected).any())
    scores = tare.evaluate(qrels, run, MEASURES, ties="expected", depth=depth)
    np.testing.assert_allclose(scores.values[0, 0], expected, rtol=1e-12)


def pools() -> list[list[float | None]]:
    made = [[*case.retrieved, *case.missed] for case in cases(12, 5, largest=6, most=720).values()]
    return [*made, [3, 2, 0, 1, 0, None, 2], [0, 0, 0], [1, 1, 1], [None, 2]]


@pytest.mark.parametrize("measure", MEAN_RANKS, ids=str)
def test_expected_value_variance_bounds_and_tails_are_those_over_all_orders(measure):
    obvious = reference(measure, 3)
    for pool in pools():
        qrels = {f"d{i}": g for i, g in enumerate(pool) if g is not None}
        documents = [f"d{i}" for i in range(len(pool))]
        run = {"q": {d: -float(i) for i, d in enumerate(documents)}}
        every = np.array([obvious(order, graded.grades_of(pool)) for order in graded.orders(pool)])
        asked = {"candidates": {"q": documents}}
        if np.isnan(every).any():
            one = chances({"q": qrels}, run, measure, **asked)
            assert np.isnan([one.expected[0], one.upper[0], one.room[0]]).all()
            continue
        found = chances({"q": qrels}, run, measure, **asked)
        assert found.expected[0] == pytest.approx(every.mean(), rel=1e-12)
        assert found.variance[0] == pytest.approx(every.var(), rel=1e-12, abs=1e-12)
        assert (found.upper[0], found.worst[0]) == (every.min(), every.max())
        p = tare.evaluate({"q": qrels}, run, f"pValue({measure})", **asked).values[0, 0, 0]
        value = tare.evaluate({"q": qrels}, run, measure).values[0, 0, 0]
        assert p == pytest.approx((every <= value).mean(), rel=1e-12)


@pytest.mark.parametrize("pool", POOLS)
def test_net_is_0_on_average_over_all_orders_and_1_for_the_best(pool):
    seen = 0
    for case in cases(12, 8, largest=5, most=120).values():
        documents = case.documents("union" if pool == "candidates" else pool)
        runs = named_orders(documents)
        qrels = {str(i): case.qrels() for i in range(len(runs))}
        asked = (
            {"candidates": {q: list(documents) for q in qrels}}
            if pool == "candidates"
            else {"pool": pool}
        )
        grades = [g for g in documents.values() if g is not None and g >= 1]
        if len(grades) in (0, len(documents)):
            continue  # no rank, or the same for every order
        scores = tare.evaluate(
            qrels, {q: runs[int(q)] for q in qrels}, "Net(MeanRank)", ties="order", **asked
        )
        values = scores.values[0, :, 0]
        assert values.mean() == pytest.approx(0, abs=1e-12 * max(1, np.abs(values).max()))
        assert values.max() == 1
        seen += 1
    assert seen > 4


def test_queries_without_a_relevant_document_change_nothing():
    qrels = {"a": {"x": 0, "y": 1, "z": 0}, "b": {"x": 0, "y": 0, "z": 2}}
    run = {q: {"x": 3.0, "y": 2.0, "z": 1.0} for q in ("a", "b", "c")}
    measures = ["MeanRank", "GMR", "E(MeanRank)", "Ideal(MeanRank)", "Net(MeanRank)"]
    with_none = {**qrels, "c": {"x": 0, "y": 0}}
    first = tare.evaluate(qrels, run, measures, pool="judged")
    second = tare.evaluate(with_none, run, measures, pool="judged")
    assert first.means() == second.means()
    assert first.means()["run"]["MeanRank"] == 2.5
    assert first.means()["run"]["Net(MeanRank)"] == (2.5 - 2) / (1 - 2)
    assert set(second.counts()[0].tolist()) == {2}
    assert any("MeanRank" in f.message and "c" in f.examples for f in second.findings)
    np.testing.assert_array_equal(first.intervals()[0, 4], second.intervals()[0, 4])


def test_a_query_that_the_run_lacks_is_left_out_or_refused():
    qrels = {"a": {"x": 1, "y": 0}, "b": {"x": 1}}
    run = {"a": {"y": 2.0, "x": 1.0}}
    skipped = tare.evaluate(
        qrels, run, ["MeanRank", "Net(MeanRank)"], missing="skip", pool="judged"
    )
    assert skipped.means()["run"] == {"MeanRank": 2.0, "Net(MeanRank)": -1.0}
    with pytest.raises(tare.TareError, match=r"none for 1 of 2 queries \(b\).*such as RR"):
        tare.evaluate(qrels, run, "MeanRank")
    with pytest.raises(tare.TareError, match="judged queries are missing"):
        tare.evaluate(qrels, run, "MeanRank", missing="error")


def test_candidates_without_the_relevant_document_are_refused():
    qrels, run = {"a": {"x": 1, "y": 0}}, {"a": {"y": 2.0}}
    with pytest.raises(
        tare.TareError, match=r"of 1 queries has none of their relevant documents \(a\)"
    ):
        chances(qrels, run, "MeanRank", candidates={"a": ["y", "z"]})


def test_a_large_corpus_keeps_its_digits():
    qrels, run = {"q": {"a": 1, "b": 1, "c": 0}}, {"q": {"c": 2.0, "a": 1.0}}
    found = chances(qrels, run, "MeanRank", corpus=10**11)
    assert found.expected[0] == (10**11 + 1) / 3
    assert found.variance[0] == pytest.approx(2 * (1e11 + 1) * (1e11 - 2) / (9 * 4), rel=1e-14)
    p = tare.evaluate(qrels, run, "pValue(MeanRank)", corpus=10**11).values[0, 0, 0]
    miss = math.prod((1e11 - 2 - k) / (1e11 - k) for k in range(2))
    assert p == pytest.approx(4e-11, rel=1e-9)
    assert p == pytest.approx(1 - miss, rel=1e-4)


@pytest.mark.parametrize("wrapper", ["U", "V1", "V2"])
def test_published_normalisers_are_for_measures_where_higher_is_better(wrapper):
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0}}
    with pytest.raises(tare.TareError, match=r"higher is better.*Net\(MeanRank\)"):
        tare.evaluate(qrels, run, f"{wrapper}(MeanRank)", pool="judged")


def test_distance_from_chance_is_above_0_where_the_rank_is_low():
    qrels = {"q": {"a": 1, "b": 0, "c": 0, "d": 0}}
    run = {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}
    values = tare.evaluate(
        qrels, run, ["Z(MeanRank)", "MinMax(MeanRank)", "pValue(MeanRank)"], pool="judged"
    ).values[0, 0]
    np.testing.assert_allclose(values, [1.5 / math.sqrt(15 / 12), 1, 0.25], rtol=1e-12)
    found = tare.chance.better_than_chance(qrels, run, "MeanRank", pool="judged")
    assert found.z == pytest.approx(values[0], rel=1e-12)
    assert found.p_run == pytest.approx(0.25, rel=1e-12)


def test_luck_and_floor_leave_out_queries_without_a_relevant_document():
    qrels = {"q": {"a": 1, "b": 0, "c": 0, "d": 0}, "r": {"a": 0, "b": 1}, "none": {"a": 0}}
    run = {"q": {"b": 4.0, "a": 3.0, "c": 2.0}, "r": {"b": 2.0, "a": 1.0}, "none": {"a": 1.0}}
    row = tare.chance.luck(qrels, run, "MeanRank", pool="judged").rows()[0]
    assert (row["mean"], row["expected"], row["n"]) == (1.5, 2.0, 2)
    assert row["p"] == pytest.approx(
        3 / 8, rel=1e-12
    )  # rank sums 2 and 3 of 8 equally likely outcomes
    assert row["z"] > 0
    floor = tare.chance.floor(qrels, "MeanRank", pool="judged").rows()[0]
    assert (floor["expected"], floor["ideal"], floor["n"]) == (2.0, 1.0, 2)


@pytest.mark.parametrize("text", ["Net(GMR)", "E(GMR)", "V2(GMR)"])
def test_chance_of_gmr_is_refused_on_runs(text):
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0}}
    with pytest.raises(tare.TareError, match=r"tare\.ranks|higher is better"):
        tare.evaluate(qrels, run, text, pool="judged")


def test_no_limit_in_a_growing_corpus():
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0}}
    with pytest.raises(tare.TareError, match="it grows with the corpus"):
        tare.evaluate(qrels, run, "Net(MeanRank)", corpus="inf")
