"""Laws of diversity: values are the obvious ones, and chance is the mean over all permutations."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tare
from tare._measures import definitions
from tests.reference import diversity as plain
from tests.reference.diversity_catalogue import VARIANTS

MEASURES = {text: obvious for texts in VARIANTS.values() for text, obvious in texts.items()}
GOLDEN = [{"0": 1, "1": 1}, {"1": 1}, {}, {"2": 1}, {"0": 1, "2": 1}, {"1": 1}, {}]

documents = st.one_of(
    st.none(),
    st.dictionaries(st.sampled_from("abc"), st.sampled_from([-2.0, 0.0, 1.0, 1.0, 2.0, 3.0])),
)


def named(ranking, missed=()):
    """Names that put the documents into descending order of their ids, as the ideal wants them."""
    count = len(ranking) + len(missed)
    return {f"d{count - i:03d}": d for i, d in enumerate([*ranking, *missed])}


def collection(ranking, missed=()):
    """Subtopics, run and the judged documents in descending order of their ids."""
    all_documents = named(ranking, missed)
    cells = [
        ("q", j, name, g)
        for name, d in all_documents.items()
        if d is not None
        for j, g in d.items()
    ]
    cells += [("q", "none", name, 0) for name, d in all_documents.items() if d == {}]
    cells += [("q", "none", "outside", 0)]
    run = {"q": {name: -float(i) for i, name in enumerate(list(all_documents)[: len(ranking)])}}
    pool = [d for d in all_documents.values() if d is not None]
    return cells, run, pool


def test_every_measure_has_variants():
    assert {d.name for d in definitions() if d.family == "diversity"} == set(VARIANTS)


@given(st.lists(documents, min_size=1, max_size=9), st.lists(documents, max_size=4))
@settings(max_examples=80)
def test_values_equal_the_obvious_version(ranking, missed):
    missed = [d for d in missed if d is not None]
    cells, run, pool = collection(ranking, missed)
    scores = tare.evaluate(cells, run, list(MEASURES))
    for m, (text, obvious) in enumerate(MEASURES.items()):
        expected = obvious(ranking, pool)
        assert scores.values[0, 0, m] == pytest.approx(expected, rel=1e-12, abs=1e-12), text


@given(st.lists(documents, min_size=1, max_size=5))
@settings(max_examples=40)
def test_expected_values_are_the_mean_over_all_permutations(ranking):
    cells, run, pool = collection(ranking)
    wrapped = [f"{w}({text},pool=retrieved)" for text in MEASURES for w in ("E", "Z")]
    scores = tare.evaluate(cells, run, [*MEASURES, *wrapped])
    orders = [list(order) for order in permutations(ranking)]
    values = scores.values[0, 0]
    for m, (text, obvious) in enumerate(MEASURES.items()):
        every = np.array([obvious(order, pool) for order in orders])
        mean, z = values[len(MEASURES) + 2 * m], values[len(MEASURES) + 2 * m + 1]
        if every.max() == 0:  # nothing can be gained
            assert mean == 0, text
            assert math.isnan(z), text
            continue
        assert mean == pytest.approx(every.mean(), rel=1e-12, abs=1e-12), text
        spread = every.std()
        known = (values[m] - every.mean()) / spread if spread > 1e-12 else 0.0
        assert z == pytest.approx(known, rel=1e-6, abs=1e-6), text


@pytest.mark.parametrize("k", [1, 3, 5])
def test_golden_values_agree_with_all_5040_permutations(k):
    cells, run, pool = collection(GOLDEN)
    texts = [f"StRecall@{k}", f"alpha_DCG(normalize=false)@{k}"]
    scores = tare.evaluate(cells, run, [f"E({t},pool=retrieved)" for t in texts])
    strecall = alpha = 0.0
    for order in permutations(GOLDEN):
        strecall += plain.strecall(order, pool, k) / 5040
        alpha += plain.alpha_dcg(order, pool, k, normalize=False) / 5040
    assert scores.values[0, 0].tolist() == pytest.approx([strecall, alpha], rel=1e-12)


@given(st.lists(documents, min_size=1, max_size=5), st.integers(1, 6))
@settings(max_examples=25)
def test_open_ties_are_the_mean_over_all_orders(ranking, depth):
    cells, run, pool = collection(ranking)
    tied = {"q": dict.fromkeys(run["q"], 1.0)}
    scores = tare.evaluate(cells, tied, list(MEASURES), ties="expected", depth=depth)
    orders = [list(order)[:depth] for order in permutations(ranking)]
    for m, (text, obvious) in enumerate(MEASURES.items()):
        mean = math.fsum(obvious(order, pool) for order in orders) / len(orders)
        assert scores.values[0, 0, m] == pytest.approx(mean, rel=1e-12, abs=1e-12), text


@given(st.lists(documents, min_size=1, max_size=8))
@settings(max_examples=40)
def test_values_lie_within_their_bounds_and_no_order_beats_the_exact_ideal(ranking):
    cells, run, _ = collection(ranking)
    scores = tare.evaluate(cells, run, list(MEASURES))
    for m, text in enumerate(MEASURES):
        low, high = tare.parse(text).definition.bounds
        value = scores.values[0, 0, m]
        assert low is None or value >= low - 1e-12
        assert high is None or value <= high + 1e-12, text
    found = tare.ideals(cells, "alpha_DCG@5")
    value = tare.evaluate(cells, run, "alpha_DCG@5").mean
    assert value <= found.exact[0] + 1e-12
    assert found.greedy[0] <= found.exact[0] + 1e-12


def test_the_exact_ideal_is_the_best_of_all_orders():
    ranking = [{"a": 1, "b": 1}, {"a": 1, "c": 1}, {"b": 1, "d": 1}, {"c": 1}, {"d": 1}, {"a": 1}]
    cells, _, pool = collection(ranking)
    found = tare.ideals(cells, "alpha_DCG(normalize=false)@4")
    best = max(plain.alpha_dcg(o, pool, 4, normalize=False) for o in permutations(ranking))
    assert found.exact[0] == pytest.approx(best, rel=1e-12)


def test_given_probabilities_weigh_the_intents():
    cells = [("q", "a", "d1", 1), ("q", "b", "d2", 1)]
    given_ = tare.read_subtopics(cells, probabilities={"q": {"a": 0.9, "b": 0.1}})
    scores = tare.evaluate(given_, {"q": {"d1": 2.0, "d2": 1.0}}, ["P_IA@1", "RR_IA", "ERR_IA@1"])
    assert scores.values[0, 0].tolist() == pytest.approx([0.9, 0.95, 0.9])


def test_the_order_of_rows_changes_nothing():
    cells, run, _ = collection(GOLDEN)
    first = tare.evaluate(cells, run, list(MEASURES))
    second = tare.evaluate(cells[::-1], run, list(MEASURES))
    np.testing.assert_array_equal(first.values, second.values)
    assert first.signatures == second.signatures
