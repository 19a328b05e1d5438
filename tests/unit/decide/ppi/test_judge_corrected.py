"""The queries design held against plain loops."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tare._decide.judge_corrected import (
    DocumentSample,
    Estimator,
    QuerySample,
    fit_documents,
    fit_queries,
    judge_alone_by_query,
    people_alone_by_document,
    people_alone_by_query,
    query_values,
)

# The documents design: unbiased over all samples of small designs.


def small(rng, systems=2, documents=4):
    """Weights, human and judge gains of one query."""
    weights = rng.random((systems, documents)) * (rng.random((systems, documents)) < 0.8)
    return weights, rng.integers(0, 3, documents) * 1.0, rng.integers(0, 3, documents) * 1.0


def drawn(query, chosen, chance):
    weights, human, judge = query
    there = np.isin(np.arange(weights.shape[1]), chosen)
    people = (weights * human * there / chance).sum(axis=1)
    alone = (weights * judge).sum(axis=1)
    return people, (weights * judge * there / chance).sum(axis=1) - alone, alone


def every_sample(queries, size):
    """All samples of `size` documents from every query, each equally likely."""
    documents = queries[0][0].shape[1]
    choices = list(itertools.combinations(range(documents), size))
    for picks in itertools.product(choices, repeat=len(queries)):
        parts = [drawn(q, p, size / documents) for q, p in zip(queries, picks, strict=True)]
        yield DocumentSample(*(np.stack([p[k] for p in parts], axis=1) for k in range(3)))


@pytest.mark.parametrize("weight", [None, 0.0, 0.5, 1.0])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_unbiased_over_all_samples(weight, count):
    rng = np.random.default_rng(count)
    queries = [small(rng, documents=4) for _ in range(count)]
    truth = np.mean([(w * g).sum(axis=1) for w, g, _ in queries], axis=0)
    total, number = np.zeros(2), 0
    for sample in every_sample(queries, 2):
        total += query_values(sample, weight)[1].mean(axis=-1)
        number += 1
    assert number == 6**count
    np.testing.assert_allclose(total / number, truth, atol=1e-12)


def test_unbiased_with_unequal_probabilities():
    """Poisson sampling: each document is drawn with its own probability."""
    rng = np.random.default_rng(9)
    queries = [small(rng, documents=3) for _ in range(4)]
    chance = np.array([0.2, 0.5, 0.9])
    truth = np.mean([(w * g).sum(axis=1) for w, g, _ in queries], axis=0)
    subsets = [[k for k in range(3) if mask >> k & 1] for mask in range(8)]
    probability = [
        np.prod([chance[k] if k in s else 1 - chance[k] for k in range(3)]) for s in subsets
    ]
    total = np.zeros(2)
    for picks in itertools.product(range(8), repeat=4):
        parts = [drawn(q, subsets[p], chance) for q, p in zip(queries, picks, strict=True)]
        sample = DocumentSample(*(np.stack([p[k] for p in parts], axis=1) for k in range(3)))
        likely = np.prod([probability[p] for p in picks])
        total += likely * query_values(sample)[1].mean(axis=-1)
    np.testing.assert_allclose(total, truth, atol=1e-12)


def test_differences_of_grades_instead_of_gains_would_be_biased():
    """The measure's own gain matters: 2^g − 1 of a difference is not the difference of gains."""
    grades, guesses = np.array([2.0]), np.array([1.0])
    right = (2**grades - 1) - (2**guesses - 1)
    assert right[0] != (2 ** (grades - guesses) - 1)[0]


def test_the_error_is_the_spread_between_queries():
    rng = np.random.default_rng(2)
    sample = DocumentSample(*(rng.random((3, 40)) for _ in range(3)))
    fit = fit_documents(sample, "t", 1.0)
    values = sample.people - sample.control
    np.testing.assert_allclose(fit.value, values.mean(axis=1))
    np.testing.assert_allclose(
        fit.systems().error, values.std(axis=1, ddof=1) / np.sqrt(40), atol=1e-14
    )
    assert (fit.systems().freedom == 39).all()
    assert (fit_documents(sample, "t").systems().freedom == 39).all()
    assert (people_alone_by_document(sample).value == sample.people.mean(axis=1)).all()


def given(systems: int = 3, n: int = 25, others: int = 60, seed: int = 0, ratio: bool = False):
    rng = np.random.default_rng(seed)
    human = rng.random((systems, n))
    judge = 0.7 * human + 0.4 * rng.random((systems, n))
    rest = 0.2 + 0.8 * rng.random((systems, others))
    if not ratio:
        return QuerySample(human, judge, rest)
    rooms = tuple(0.5 + rng.random((systems, k)) for k in (n, n, others))
    return QuerySample(human, judge, rest, rooms)


def plain_weight(y, f, g):
    """λ by a loop over pairs of systems."""
    n, size = y.shape[1], g.shape[1]
    systems = len(y)
    if systems == 1:
        pairs = [(y[0], f[0], g[0])]
    else:
        pairs = [(y[a] - y[b], f[a] - f[b], g[a] - g[b]) for a in range(systems) for b in range(a)]
    covariance = sum(np.cov(p, q)[0, 1] for p, q, _ in pairs)
    variance = sum(np.var(np.concatenate([q, r]), ddof=1) for _, q, r in pairs)
    return float(np.clip(covariance / ((1 + n / size) * variance), 0, 1))


def plain_estimate(y, f, g):
    return y.mean(axis=1) + plain_weight(y, f, g) * (g.mean(axis=1) - f.mean(axis=1))


@pytest.mark.parametrize("systems", [1, 2, 5])
def test_estimate_and_jackknife(systems):
    sample = given(systems)
    y, f, g = sample.human, sample.judge, sample.others
    fit = fit_queries(sample, "t")
    weight = plain_weight(y, f, g)
    assert float(fit.weight) == pytest.approx(weight, abs=1e-12)
    np.testing.assert_allclose(fit.value, plain_estimate(y, f, g), atol=1e-12)
    rests = y - weight * f
    variance = rests.var(axis=1, ddof=1) / y.shape[1]
    variance += weight**2 * g.var(axis=1, ddof=1) / g.shape[1]
    spread = fit.systems()
    np.testing.assert_allclose(spread.error, np.sqrt(variance), atol=1e-12)
    assert (spread.freedom == y.shape[1] - 1).all()


def test_differences_are_those_of_the_estimates():
    sample = given(6)
    fit = fit_queries(sample, "t")
    first, second = np.triu_indices(6, 1)
    spread = fit.differences(first, second)
    assert (spread.value == fit.value[first] - fit.value[second]).all()
    pair = QuerySample(*((x[:1] - x[1:2]) for x in (sample.human, sample.judge, sample.others)))
    alone = fit_queries(pair, "z", float(fit.weight))
    both = fit_queries(sample, "z", float(fit.weight)).differences(first[:1], second[:1])
    np.testing.assert_allclose(alone.systems().error, both.error, atol=1e-14)


@pytest.mark.parametrize("gap", [0.0, 1e-9, 1e-3, 1.0])
def test_errors_of_pairs_are_those_of_their_differences(gap):
    """Also if two systems are nearly equal, and the variance of their difference is tiny."""
    sample = given(4)
    near = QuerySample(
        *(np.vstack([x, x[:1] + gap * x[1:2]]) for x in (sample.human, sample.judge, sample.others))
    )
    fit = fit_queries(near, "t")
    first, second = np.triu_indices(5, 1)
    variances = np.square(fit.rows[first] - fit.rows[second]).sum(axis=-1)
    np.testing.assert_allclose(
        fit.differences(first, second).error, np.sqrt(variances), rtol=1e-11, atol=0
    )


def test_blocks_change_nothing(monkeypatch):
    sample = given(6)
    fit = fit_queries(sample, "t")
    first, second = np.triu_indices(6, 1)
    whole = fit.differences(first, second)
    monkeypatch.setattr("tare._decide.judge_corrected.BLOCK", 70)
    monkeypatch.setattr("tare._decide.judge_corrected.CLOSE", 1e9)
    parts = fit.differences(first, second)
    np.testing.assert_allclose(whole.error, parts.error, rtol=1e-12)


def test_ratio_of_means():
    sample = given(ratio=True)
    rooms = sample.rooms
    fit = fit_queries(sample, "t", 0.4)
    above = plain = sample.human.mean(1) + 0.4 * (sample.others.mean(1) - sample.judge.mean(1))
    below = rooms[0].mean(1) + 0.4 * (rooms[2].mean(1) - rooms[1].mean(1))
    np.testing.assert_allclose(fit.value, plain / below, atol=1e-13)
    around = [
        (x - fit.value[:, None] * r) / below[:, None]
        for x, r in zip((sample.human, sample.judge, sample.others), rooms, strict=True)
    ]
    variance = (around[0] - 0.4 * around[1]).var(axis=1, ddof=1) / sample.n
    variance += 0.4**2 * around[2].var(axis=1, ddof=1) / sample.size
    np.testing.assert_allclose(fit.systems().error, np.sqrt(variance), atol=1e-12)
    assert above is plain


def test_constant_rooms_of_one_change_nothing():
    plain = given()
    ones = tuple(np.ones_like(x) for x in (plain.human, plain.judge, plain.others))
    ratio = QuerySample(plain.human, plain.judge, plain.others, ones)
    for method in ("t", "z"):
        a, b = (fit_queries(x, method).systems() for x in (plain, ratio))
        np.testing.assert_allclose(a.value, b.value, atol=1e-12)
        np.testing.assert_allclose(a.error, b.error, atol=1e-12)


def test_people_alone_is_students_interval():
    from scipy import stats

    sample = given()
    low, high = people_alone_by_query(sample).systems().ends(0.95)
    for s, row in enumerate(sample.human):
        expected = stats.ttest_1samp(row, 0).confidence_interval(0.95)
        assert (low[s], high[s]) == pytest.approx(tuple(expected))


def test_bias_is_the_judge_minus_the_estimate():
    sample = given()
    fit = fit_queries(sample, "t")
    value, bias = judge_alone_by_query(sample, fit)
    every = np.concatenate([sample.judge, sample.others], axis=1)
    np.testing.assert_allclose(value, every.mean(axis=1))
    np.testing.assert_allclose(bias.value, value - fit.value)
    assert (bias.systems().error > 0).all()


def test_a_perfect_judge_leaves_only_the_error_of_all_queries():
    rng = np.random.default_rng(3)
    values = rng.random((1, 100))
    sample = QuerySample(values[:, :20], values[:, :20], values[:, 20:])
    fit = fit_queries(sample, "z")
    assert fit.value[0] == pytest.approx(values.mean(), abs=0.02)
    assert fit.systems().error[0] < 1.2 * values.std() / 10


def test_worthless_and_contrary_judges_have_no_weight():
    rng = np.random.default_rng(4)
    values = rng.random((2, 100))
    sample = QuerySample(values[:, :30], -values[:, :30], -values[:, 30:])
    fit = fit_queries(sample, "t")
    assert float(fit.weight) == 0
    np.testing.assert_allclose(fit.value, sample.human.mean(axis=1))
    constant = np.ones((2, 100))
    sample = QuerySample(values[:, :30], constant[:, :30], constant[:, 30:])
    assert float(fit_queries(sample, "t").weight) == 0


@pytest.mark.parametrize("others", [0, 1])
def test_without_other_queries_people_decide(others):
    rng = np.random.default_rng(5)
    y, f = rng.random((2, 20)), rng.random((2, 20))
    sample = QuerySample(y, f, rng.random((2, others)))
    fit, people = fit_queries(sample, "t"), people_alone_by_query(sample)
    np.testing.assert_allclose(fit.value, people.value)
    np.testing.assert_allclose(fit.systems().ends(0.95), people.systems().ends(0.95))


@pytest.mark.parametrize("ratio", [False, True])
def test_bootstrap_is_near_t_and_seeded(ratio):
    sample = given(n=60, others=200, ratio=ratio)
    made = Estimator("m", sample, method="bootstrap")
    pairs = np.triu_indices(3, 1)
    found, low, high = made.interval(pairs, 0.95, 2000, 1)
    again = made.interval(pairs, 0.95, 2000, 1)
    assert (low == again[1]).all()
    assert (high == again[2]).all()
    other, t_low, t_high = Estimator("m", sample).interval(pairs, 0.95, 0, 0)
    np.testing.assert_allclose(found.value, other.value, atol=1e-12)
    np.testing.assert_allclose(high - low, t_high - t_low, rtol=0.12)


def test_one_draw_of_the_bootstrap_by_hand(monkeypatch):
    """θ* and error* of a draw are those of the resampled arrays."""
    from tare._decide import judge_corrected

    sample = given(n=15, others=30)
    rng = np.random.default_rng(0)
    mine, others = rng.integers(0, 15, (4, 15)), rng.integers(0, 30, (4, 30))
    drawn = {15: mine, 30: others}
    monkeypatch.setattr(judge_corrected, "resampled_indices", lambda n, *_, **__: drawn[n])
    pairs = np.triu_indices(3, 1)
    made = Estimator("m", sample, method="bootstrap").drawn(pairs, 4, 0)
    for k in range(4):
        again = QuerySample(
            sample.human[:, mine[k]], sample.judge[:, mine[k]], sample.others[:, others[k]]
        )
        fit = fit_queries(again, "z")
        spread = fit.differences(*pairs)
        expected = np.abs(spread.value - made.spread.value) / spread.error
        np.testing.assert_allclose(made.drawn[k], expected, rtol=1e-9)
