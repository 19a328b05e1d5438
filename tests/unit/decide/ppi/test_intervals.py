"""Intervals of estimates: clusters, bounds and too few successes, held against short plain programs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import norm

import tare
from tare._decide.judge_corrected import (
    DocumentSample,
    Estimator,
    QuerySample,
    balance_of,
    balance_of_documents,
)
from tests.reference import estimates as plain

UNIT = (0.0, 1.0)


def world(systems, n, others, seed, *, binary=0.0):
    """Values in [0, 1] of people and a judge; with `binary` the share of successes."""
    rng = np.random.default_rng(seed)
    z = 0.6 * rng.normal(size=(1, n + others)) + 0.8 * rng.normal(size=(systems, n + others))
    guess = 0.8 * z + 0.6 * rng.normal(size=z.shape) + 0.3
    cut = norm.ppf(1 - binary) if binary else 0.0
    y, f = ((x > cut) * 1.0 if binary else norm.cdf(x) for x in (z, guess))
    return QuerySample(y[:, :n], f[:, :n], f[:, n:])


def clustered(sample, seed):
    """The same sample in clusters of 1 to 4 queries."""
    rng = np.random.default_rng(seed)

    def ids(count):
        made = np.repeat(np.arange(count), rng.integers(1, 5, count))[:count]
        return rng.permutation(made)

    return QuerySample(
        sample.human, sample.judge, sample.others, None, (ids(sample.n), ids(sample.size))
    )


def by_plain(sample, binary=False, lam=None):
    rows = [
        tuple(x[s].tolist() for x in (sample.human, sample.judge, sample.others))
        for s in range(len(sample.human))
    ]
    lam = plain.weight(rows) if lam is None else lam
    clusters = sample.clusters or (None, None)
    ids = [None if x is None else x.tolist() for x in clusters]
    return lam, [plain.interval(*row, lam, *ids, binary=binary) for row in rows]


@pytest.mark.parametrize("in_clusters", [False, True])
@pytest.mark.parametrize("systems", [1, 3])
def test_intervals_are_those_of_the_plain_program(systems, in_clusters):
    sample = world(systems, 24, 50, systems)
    sample = clustered(sample, 5) if in_clusters else sample
    made = Estimator("m", sample, bounds=UNIT)
    lam, expected = by_plain(sample)
    assert float(made.fit.weight) == pytest.approx(lam, abs=1e-12)
    assert 0 < lam < 1
    _, low, high = made.interval(None, 0.95, 2000, 0)
    np.testing.assert_allclose(np.stack([low, high], axis=1), expected, atol=1e-12)


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (1.0, 5.0), (-3.0, 0.0)])
def test_bounds_are_mapped_to_the_unit_interval(bounds):
    """The golden of means: .9 .8 1 .7 .95 1 .85 1, on another scale."""
    values = np.array([[0.9, 0.8, 1, 0.7, 0.95, 1, 0.85, 1]])
    low, high = bounds
    scaled = low + (high - low) * values
    sample = QuerySample(scaled, scaled, np.zeros((1, 0)))
    _, a, b = Estimator("m", sample, bounds=bounds).interval(None, 0.95, 2000, 0)
    found = [(end - low) / (high - low) for end in (a[0], b[0])]
    np.testing.assert_allclose(found, [0.77095868, 0.96010213], atol=1e-8)


def test_clusters_of_one_query_change_nothing():
    sample = world(3, 24, 50, 1)
    ones = QuerySample(
        sample.human, sample.judge, sample.others, None, (np.arange(24), np.arange(50)[::-1].copy())
    )
    one, other = (Estimator("m", x, bounds=UNIT) for x in (sample, ones))
    for a, b in zip(
        one.interval(None, 0.95, 99, 0), other.interval(None, 0.95, 99, 0), strict=True
    ):
        if isinstance(a, np.ndarray):
            np.testing.assert_allclose(a, b, atol=1e-13)
    pairs = np.triu_indices(3, 1)
    a, b = (x.fit.differences(*pairs) for x in (one, other))
    np.testing.assert_allclose(a.error, b.error, atol=1e-14)
    np.testing.assert_allclose(a.freedom, b.freedom)


@pytest.mark.parametrize("in_clusters", [False, True])
def test_without_weight_it_is_the_interval_of_people(in_clusters):
    """λ = 0 is `tare.stats.mean_interval` of people's values."""
    sample = world(3, 24, 50, 2)
    sample = clustered(sample, 6) if in_clusters else sample
    made = Estimator("m", sample, weight=0.0, bounds=UNIT)
    _, low, high = made.interval(None, 0.95, 2000, 0)
    people = made.bounded(made.people.systems(), 0.95)
    ids = sample.clusters[0] if in_clusters else None
    for s, row in enumerate(sample.human):
        expected = tare.stats.mean_interval(row, clusters=ids)
        assert (low[s], high[s]) == pytest.approx((expected.low, expected.high), abs=1e-12)
        assert (people[0][s], people[1][s]) == pytest.approx((low[s], high[s]), abs=1e-12)


@pytest.mark.parametrize(("successes", "used"), [(4, False), (5, True), (35, True), (36, False)])
def test_too_few_successes_or_failures(successes, used):
    y = (np.arange(40) < successes) * 1.0
    rng = np.random.default_rng(3)
    f = np.where(rng.random(40) < 0.9, y, 1 - y)
    sample = QuerySample(y[None], f[None], (rng.random((1, 90)) < successes / 40) * 1.0)
    made = Estimator("m", sample, bounds=UNIT)
    assert bool(made.people_only) is not used
    _, (expected,) = by_plain(sample, binary=True)
    _, low, high = made.interval(None, 0.95, 2000, 0)
    assert (low[0], high[0]) == pytest.approx(expected, abs=1e-12)
    if not used:
        alone = tare.stats.mean_interval(y)
        for method in ("t", "z", "bootstrap"):
            spread, low, high = Estimator("m", sample, method, bounds=UNIT).interval(
                None, 0.95, 200, 0
            )
            assert (spread.value[0], low[0], high[0]) == pytest.approx(alone[:3], abs=1e-12)


def test_an_estimate_outside_the_bounds_of_successes_is_not_used():
    """Five of 40 successes, and a judge that says yes far more often on these than on the others."""
    y = (np.arange(40) < 5) * 1.0
    f = (np.arange(40) < 12) * 1.0
    sample = QuerySample(y[None], f[None], np.zeros((1, 90)))
    assert Estimator("m", sample, weight=1.0).fit.value[0] < 0
    made = Estimator("m", sample, weight=1.0, bounds=UNIT)
    spread, low, high = made.interval(None, 0.95, 2000, 0)
    alone = tare.stats.mean_interval(y)
    assert (spread.value[0], low[0], high[0]) == pytest.approx(alone[:3], abs=1e-12)


def test_grades_that_the_judge_takes_out_of_the_bounds():
    """Grades near 1, and a judge who is far below on the labelled queries only."""
    rng = np.random.default_rng(8)
    y = np.clip(0.97 + 0.05 * rng.normal(size=(2, 12)), 0, 1)
    sample = QuerySample(y, y - 0.3 * rng.random((2, 12)), np.full((2, 40), 0.99))
    assert (Estimator("m", sample, weight=1.0).fit.value > 1).all()
    made = Estimator("m", sample, weight=1.0, bounds=UNIT)
    assert list(made.people_only) == [0, 1]
    assert not made.binary
    expected = [tare.stats.mean_interval(row)[:3] for row in y]
    spread, low, high = made.interval(None, 0.95, 2000, 0)
    np.testing.assert_allclose(np.stack([spread.value, low, high], axis=1), expected, atol=1e-12)


def test_estimates_at_an_end_of_the_bounds_keep_the_judge():
    """A system with the best grade in every query is no reason against the judge."""
    sample = world(2, 24, 50, 6)
    parts = [x.copy() for x in (sample.human, sample.judge, sample.others)]
    for x in parts:
        x[0] = 1.0
    made = Estimator("m", QuerySample(*parts), bounds=UNIT)
    assert not made.people_only
    spread, low, high = made.interval(None, 0.95, 2000, 0)
    assert spread.value[0] == pytest.approx(1.0)
    alone = tare.stats.mean_interval(np.ones(24))
    assert (low[0], high[0]) == pytest.approx((alone.low, alone.high), abs=1e-12)


def test_one_system_with_too_few_decides_for_all():
    """So that every difference is the difference of two printed estimates."""
    sample = world(3, 40, 90, 4, binary=0.4)
    assert not Estimator("m", sample, bounds=UNIT).people_only
    rare = sample.human.copy()
    rare[1] = np.arange(40) < 2
    made = Estimator("m", QuerySample(rare, sample.judge, sample.others), bounds=UNIT)
    assert list(made.people_only) == [1]
    np.testing.assert_allclose(made.fit.value, rare.mean(axis=1))


@pytest.mark.parametrize("method", ["t", "z", "bootstrap"])
def test_no_end_leaves_the_bounds(method):
    for seed in range(20):
        sample = world(2, 12, 40, seed)
        high = [np.sqrt(np.sqrt(x)) for x in (sample.human, sample.judge, sample.others)]
        made = Estimator("m", QuerySample(*high), method, bounds=UNIT)
        spread, low, up = made.interval(None, 0.99, 200, 0)
        assert (low >= 0).all()
        assert (up <= 1).all()
        assert (low <= spread.value).all()
        assert (spread.value <= up).all()
        pairs = np.triu_indices(2, 1)
        _, low, up = made.interval(pairs, 0.9999, 200, 0)
        assert (low >= -1).all()
        assert (up <= 1).all()


def test_sums_of_sampled_documents_outside_the_bounds():
    """Their estimate stays unbiased, and Student's interval is cut at the bounds."""
    people = np.array([[0.0, 0.0, 0.0, 0.3, 0.0, 0.0]] * 2)
    control = np.array([[0.1, 0.0, 0.1, 0.2, 0.0, 0.1], [0.5, 0.5, 0.5, 0.8, 0.5, 0.5]])
    made = Estimator("m", DocumentSample(people, control, people), weight=1.0, bounds=UNIT)
    spread, low, high = made.interval(None, 0.95, 2000, 0)
    assert (spread.value < 0).all()
    assert low[0] == 0
    assert high[0] == spread.ends(0.95)[1][0] > 0
    assert np.isnan([low[1], high[1]]).all()  # no value of the interval is possible


def test_the_balance_is_the_share_of_all_draws():
    rng = np.random.default_rng(9)
    for shift in (0.0, 0.6):
        values = np.round(rng.random((2, 12)), 2)
        values[:, :4] += shift
        sample = QuerySample(values[:, :4], values[:, :4], values[:, 4:])
        found = balance_of(sample, 0)
        means = values.mean(axis=0)
        assert found.exact
        assert found.samples == 495
        assert found.p == pytest.approx(plain.share_as_far(means[:4].tolist(), means[4:].tolist()))
        drawn = balance_of(sample, 0, draws=490)
        assert not drawn.exact
        assert drawn.p == pytest.approx(found.p, abs=0.07)
        assert drawn.p >= 1 / 491


def test_the_balance_draws_whole_clusters():
    """Two queries per cluster with one score: the same p as of one query per cluster."""
    rng = np.random.default_rng(10)
    values = rng.random((1, 10))
    one = QuerySample(values[:, :4], values[:, :4], values[:, 4:])
    ids = np.repeat(np.arange(4), 2), np.repeat(np.arange(6), 2)
    twice = (np.repeat(x, 2, axis=1) for x in (one.human, one.judge, one.others))
    found = balance_of(QuerySample(*twice, None, ids), 0)
    assert found == balance_of(one, 0)


def test_the_balance_of_random_draws_is_seldom_significant():
    rng = np.random.default_rng(11)
    few = 0
    for seed in range(400):
        values = rng.exponential(size=(1, 60))
        sample = QuerySample(values[:, :15], values[:, :15], values[:, 15:])
        few += balance_of(sample, seed, draws=199).p <= 0.05
    assert few / 400 <= 0.05 + 3 * (0.05 * 0.95 / 400) ** 0.5


def test_the_balance_of_documents_is_the_share_of_all_draws():
    """Two queries of five documents, two of which are labelled: all 100 draws."""
    grades = np.array([0, 1, 2, 0, 1, 3, 0, 0, 1, 2.0])
    query = np.repeat([0, 1], 5)
    labelled = np.isin(np.arange(10), [1, 2, 5, 9])

    def gap(mask):
        sides = [[grades[(query == q) & side].mean() for q in (0, 1)] for side in (mask, ~mask)]
        return abs(np.mean(sides[0]) - np.mean(sides[1]))

    every = [
        gap(np.isin(np.arange(10), [*one, *two]))
        for one in itertools.combinations(range(5), 2)
        for two in itertools.combinations(range(5, 10), 2)
    ]
    expected = np.mean(np.array(every) >= gap(labelled) - 1e-12)
    found = balance_of_documents(query, grades, labelled, 0)
    assert abs(found.labelled - found.others) == pytest.approx(gap(labelled))
    assert found.p == pytest.approx(expected, abs=4 * np.sqrt(expected / found.samples))
    assert balance_of_documents(query, grades, np.ones(10, dtype=bool), 0) is None
