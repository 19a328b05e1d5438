"""Laws of values: every measure equals its obvious version, lies in its bounds, and ignores order."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tare
from tare._measures import Measure, definitions
from tests.laws.collections import Ranked, tied, untied
from tests.reference import graded_measures as graded
from tests.reference.catalogue import VARIANTS, all_variants, reference

MEASURES = all_variants()


def lmax_of(queries: list[Ranked]) -> float:
    """The largest grade of the collection."""
    return max((g for q in queries for g in q.judged), default=0.0)


def collection(queries: list[Ranked]) -> tuple[dict, dict]:
    """Qrels and run of several queries; each is given one judgement so that it is known."""
    qrels = {f"q{i}": q.qrels() or {"none": 0} for i, q in enumerate(queries)}
    run = {f"q{i}": q.run() or {"other": 1.0} for i, q in enumerate(queries)}
    return qrels, run


def whole(q: Ranked) -> Ranked:
    """A query as `collection` completes it."""
    groups = q.groups if q.ranking else ((None,),)
    return Ranked(groups, q.missed if q.judged else (0.0,))


def test_every_measure_has_variants():
    ranking = {d.name for d in definitions() if d.family == "ranking" and d.arguments is not None}
    assert ranking == set(VARIANTS)


@given(st.lists(untied(), min_size=1, max_size=2))
@settings(max_examples=60)
def test_values_equal_the_obvious_version(queries):
    qrels, run = collection(queries)
    scores = tare.evaluate(qrels, run, MEASURES)
    completed = [whole(q) for q in queries]
    lmax = lmax_of(completed)
    for m, measure in enumerate(MEASURES):
        obvious = reference(measure, lmax)
        for i, query in enumerate(completed):
            expected = obvious(query.ranking, query.judged)
            assert scores.values[0, i, m] == pytest.approx(expected, rel=1e-12, abs=1e-12), (
                measure,
                query,
            )


@given(tied())
@settings(max_examples=30)
def test_open_ties_are_the_mean_over_all_orders(query):
    qrels, run = collection([query])
    scores = tare.evaluate(qrels, run, MEASURES, ties="expected")
    query = whole(query)
    lmax = lmax_of([query])
    for m, measure in enumerate(MEASURES):
        obvious = reference(measure, lmax)
        expected = graded.expected_over_ties(obvious, query.groups, query.judged)
        assert scores.values[0, 0, m] == pytest.approx(expected, rel=1e-12, abs=1e-12), measure


@given(tied(), st.integers(1, 6))
@settings(max_examples=30)
def test_open_ties_with_a_depth_that_divides_a_group(query, depth):
    qrels, run = collection([query])
    scores = tare.evaluate(qrels, run, MEASURES, ties="expected", depth=depth)
    query = whole(query)
    lmax = lmax_of([query])
    for m, measure in enumerate(MEASURES):
        obvious = reference(measure, lmax)

        def cut(ranking, judged, obvious=obvious):
            return obvious(ranking[:depth], judged)

        expected = graded.expected_over_ties(cut, query.groups, query.judged)
        assert scores.values[0, 0, m] == pytest.approx(expected, rel=1e-12, abs=1e-12), measure


@given(untied())
def test_open_ties_change_nothing_where_there_are_none(query):
    qrels, run = collection([query])
    closed = tare.evaluate(qrels, run, MEASURES)
    opened = tare.evaluate(qrels, run, MEASURES, ties="expected")
    np.testing.assert_array_equal(closed.values, opened.values)


@given(st.lists(untied(), min_size=1, max_size=3))
def test_values_lie_within_their_bounds(queries):
    qrels, run = collection(queries)
    scores = tare.evaluate(qrels, run, MEASURES)
    for m, measure in enumerate(MEASURES):
        low, high = measure.definition.bounds
        values = scores.values[0, :, m]
        assert np.isfinite(values).all(), measure
        if _beyond_bounds(measure, queries):
            continue
        assert low is None or (values >= low - 1e-12).all(), measure
        assert high is None or (values <= high + 1e-12).all(), (measure, values)


def _beyond_bounds(measure: Measure, queries: list[Ranked]) -> bool:
    """GAP counts fractions of a level as none, so a pool of halves has nothing to divide by."""
    return measure.name == "GAP" and any(g % 1 for q in queries for g in q.judged)


@given(st.lists(tied(), min_size=2, max_size=3), st.randoms(use_true_random=False))
@pytest.mark.parametrize("ties", ["trec", "expected"])
def test_the_order_of_rows_and_queries_changes_nothing(ties, queries, random):
    qrels, run = collection(queries)

    def shuffled(table):
        ids = list(table)
        random.shuffle(ids)
        mixed = {}
        for query in ids:
            documents = list(table[query].items())
            random.shuffle(documents)
            mixed[query] = dict(documents)
        return mixed

    first = tare.evaluate(qrels, run, MEASURES, ties=ties)
    second = tare.evaluate(shuffled(qrels), shuffled(run), MEASURES, ties=ties)
    np.testing.assert_array_equal(first.values, second.values)
    assert first.signatures == second.signatures


@given(untied())
def test_other_names_for_documents_change_nothing(query):
    qrels, run = collection([query])

    def renamed(table):
        return {q: {f"χ{doc[::-1]}": v for doc, v in docs.items()} for q, docs in table.items()}

    first = tare.evaluate(qrels, run, MEASURES)
    second = tare.evaluate(renamed(qrels), renamed(run), MEASURES)
    np.testing.assert_array_equal(first.values, second.values)


@given(st.lists(untied(), min_size=2, max_size=3))
@settings(max_examples=20)
def test_a_query_scores_the_same_alone(queries):
    """Only what depends on the whole qrels (the largest grade) may differ; here it is fixed."""
    measures = [m for m in MEASURES if not _depends_on_lmax(m)]
    qrels, run = collection(queries)
    together = tare.evaluate(qrels, run, measures)
    for i, query in enumerate(qrels):
        alone = tare.evaluate({query: qrels[query]}, {query: run[query]}, measures)
        np.testing.assert_array_equal(alone.values[0, 0], together.values[0, i])


def _depends_on_lmax(measure: Measure) -> bool:
    names = [p.name for p in measure.definition.parameters]
    given = [n for n in ("lmax", "max_rel") if n in names]
    return measure.name != "RBP" and any(measure[n] is None for n in given)


def test_a_mean_does_not_depend_on_the_order_of_its_items():
    values = [0.1, 1e16, -1e16, 0.2, 0.3]
    qrels = {f"q{i}": {"d": 1} for i in range(5)}
    scores = tare.evaluate(qrels, qrels, "AP")
    from dataclasses import replace

    for order in ([0, 1, 2, 3, 4], [4, 1, 0, 2, 3]):
        table = replace(scores, values=np.array([values[i] for i in order]).reshape(1, 5, 1))
        assert table.mean == math.fsum(values) / 5
