"""Exchanges of two measures, system by system, and intervals of rank correlations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from tare.stats import exchange_test, win_test
from tare.stats._intervals import correlation_interval
from tests.reference import exchanges

KINDS = ("pearson", "spearman", "tau_b")
LEVELS = ("system", "item")


def tables(seed, systems, items, digits=1):
    """Two measures and people with many ties."""
    random = np.random.default_rng(seed)
    people = random.random((systems, items))
    measures = (people + random.normal(size=people.shape) * 0.4 for _ in range(2))
    return [np.round(z, digits) for z in (*measures, people)]


@pytest.mark.parametrize("seed", range(6))
def test_all_exchanges_against_the_definition(seed):
    first, second, people = tables(seed, 4 + seed % 3, 1 + seed)
    patterns = list(itertools.product([False, True], repeat=len(people)))
    given = [z.tolist() for z in (first, second, people)]
    found = win_test(first, second, people)
    assert (found.wins, found.losses, found.ties) == exchanges.wins(*given)
    assert found.pvalue == exchanges.reached(*given, patterns, exchanges.win_gap) / len(patterns)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", LEVELS)
def test_all_exchanges_of_correlations_against_the_definition(level, kind):
    # Scores without ties of standardised values; rankings of few items could be constant.
    first, second, people = tables(3, 5, 4, digits=3)
    patterns = list(itertools.product([False, True], repeat=5))
    given = [z.tolist() for z in (first, second, people)]
    gap = exchanges.correlation_gap(level, kind)
    found = exchange_test(first, second, people, level=level, kind=kind)
    assert abs(found.difference) == pytest.approx(gap(*given))
    assert found.pvalue == exchanges.reached(*given, patterns, gap) / len(patterns)


def test_drawn_exchanges_against_a_matrix_of_patterns():
    """18 systems: other patterns, the same p within Monte Carlo error."""
    first, second, people = tables(5, 18, 5)
    given = [z.tolist() for z in (first, second, people)]
    patterns = np.random.default_rng(0).random((2000, 18)) < 0.5
    for found, gap in (
        (win_test(first, second, people), exchanges.win_gap),
        (exchange_test(first, second, people), exchanges.correlation_gap("system", "pearson")),
    ):
        assert not found.exact
        expected = (exchanges.reached(*given, patterns.tolist(), gap) + 1) / 2001
        assert found.pvalue == pytest.approx(expected, abs=0.04)
        assert 0.02 < expected < 0.98


@pytest.mark.parametrize("systems", [6, 18])
def test_neither_the_order_of_measures_nor_that_of_systems_changes_p(systems):
    first, second, people = tables(1, systems, 7)
    first[0, 2] = people[1] = np.nan
    order = np.random.default_rng(0).permutation(systems)
    shuffled = [z[order] for z in (first, second, people)]
    expected = win_test(first, second, people, draws=500)
    turned = win_test(second, first, people, draws=500)
    assert (turned.pvalue, turned.wins) == (expected.pvalue, expected.losses)
    assert win_test(*shuffled, draws=500) == expected
    for level, kind in itertools.product(LEVELS, KINDS):
        how = {"level": level, "kind": kind, "draws": 500}
        p = exchange_test(first, second, people, **how).pvalue
        assert exchange_test(second, first, people, **how).pvalue == p
        assert exchange_test(*shuffled, **how).pvalue == p


@pytest.mark.parametrize("systems", [5, 18])
def test_a_measure_on_another_scale_is_the_same_measure(systems):
    first, _, people = tables(2, systems, 6, digits=5)
    for other in (first, 3 * first + 1, 1e6 * first):
        assert win_test(first, other, people).pvalue == 1
        for level, kind in itertools.product(LEVELS, KINDS):
            assert exchange_test(first, other, people, level=level, kind=kind).pvalue == 1


def test_what_cannot_be_compared():
    first, _, people = tables(2, 5, 6)
    flat = np.full(first.shape, 0.3)
    assert np.isnan(exchange_test(first, flat, people).pvalue)
    assert win_test(first, flat, people)[:5] == (0, 1.0, 0, 0, 0)
    gone = np.full(first.shape, np.nan)
    assert win_test(first, gone, people).pairs == 0
    assert np.isnan(exchange_test(first, gone, people).pvalue)


@pytest.mark.parametrize("systems", [10, 20])
def test_the_size_with_errors_about_whole_systems(systems):
    """Two equally good measures, each wrong about whole systems: at most 5 % false claims, and noise.

    Counting pairs of outputs as independent would claim a difference in more than half of these.
    """
    found = {"wins": [], "pearson": [], "tau_b": []}
    independent = []
    for seed in range(120):
        random = np.random.default_rng([systems, seed])
        truth = random.normal(size=(systems, 1)) * 0.3 + random.normal(size=(1, 20)) * 0.3

        def seen(bias, truth=truth, random=random):
            wrong = bias * random.normal(size=(len(truth), 1))
            return truth + wrong + random.normal(size=truth.shape) * 0.3

        first, second, people = seen(0.3), seen(0.3), seen(0.0)
        won = win_test(first, second, people, draws=300)
        found["wins"].append(won.pvalue)
        independent.append(stats.binomtest(won.wins, won.wins + won.losses).pvalue)
        for kind in ("pearson", "tau_b"):
            p = exchange_test(first, second, people, kind=kind, draws=300).pvalue
            found[kind].append(p)
    for name, p in found.items():
        assert np.mean(np.array(p) <= 0.05) <= 0.10, name
    assert np.mean(np.array(independent) <= 0.05) > 0.4


def test_the_better_measure_is_found():
    random = np.random.default_rng(2)
    people = random.random((14, 40)) + np.linspace(0, 0.5, 14)[:, None]
    good = people + random.normal(size=people.shape) * 0.2
    bad = random.random(people.shape) * 100  # another scale, which must not matter
    for level in LEVELS:
        found = exchange_test(good, bad, people, level=level)
        assert found.difference > 0.3
        assert found.pvalue < 0.05
    assert win_test(good, bad, people).pvalue < 0.05


def test_intervals_of_correlations():
    drawn = np.array([0.5, 0.7, 0.6, np.nan, 0.8])
    sd = np.std([0.5, 0.7, 0.6, 0.8], ddof=1)
    low, high = correlation_interval(0.6, drawn)
    assert (low, high) == pytest.approx((0.6 - 1.959964 * sd, 0.6 + 1.959964 * sd), abs=1e-6)
    assert correlation_interval(0.95, drawn)[1] == 1
    assert correlation_interval(0.01, drawn, least=0)[0] == 0
    assert correlation_interval(np.nan, drawn) == (None, None)
    assert correlation_interval(1.0, np.ones(50)) == (None, None)
    assert correlation_interval(1.0, np.full(50, np.nan)) == (None, None)
