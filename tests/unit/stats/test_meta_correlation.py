"""Correlations of a measure with people, at each level, against plain computations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tare.stats._meta_evaluation import (
    COEFFICIENTS,
    correlation_draws,
    correlation_with_people,
    row_correlations,
)

PLAIN = {
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
    "tau_b": lambda x, y: stats.kendalltau(x, y).statistic,
}


@pytest.fixture(scope="module")
def pair():
    random = np.random.default_rng(0)
    people = np.round(random.random((7, 12)) * 4)
    return people + random.normal(size=people.shape), people


@pytest.mark.parametrize("kind", COEFFICIENTS)
def test_systems_and_items_against_scipy(pair, kind):
    x, y = pair
    systems = PLAIN[kind](x.mean(axis=1), y.mean(axis=1))
    assert correlation_with_people(x, y, level="system", kind=kind) == pytest.approx(systems)
    items = np.mean([PLAIN[kind](x[:, i], y[:, i]) for i in range(12)])
    assert correlation_with_people(x, y, level="item", kind=kind) == pytest.approx(items)


@pytest.mark.parametrize("kind", COEFFICIENTS)
def test_missing_cells_are_left_out_of_both(pair, kind):
    x, y = (z.copy() for z in pair)
    x[0, :4] = np.nan
    y[3, 2:9] = np.nan
    known = ~(np.isnan(x) | np.isnan(y))
    items = [PLAIN[kind](x[known[:, i], i], y[known[:, i], i]) for i in range(12)]
    found = correlation_with_people(x, y, level="item", kind=kind)
    assert found == pytest.approx(np.mean(items))
    assert np.isnan(row_correlations(np.array([[1.0, np.nan]]), np.ones((1, 2)), kind)[0])


@pytest.mark.parametrize("level", ["system", "item"])
@pytest.mark.parametrize("kind", ["pearson", "tau_b"])
def test_resamples_against_a_plain_bootstrap(pair, level, kind):
    """Other random numbers, the same distribution: ends of the intervals agree."""
    x, y = pair
    random = np.random.default_rng(1)
    drawn = correlation_draws(x, y, level=level, kind=kind, draws=1500)
    for over, found in drawn.items():
        plain = []
        for _ in range(400):
            s = random.integers(0, 7, 7) if over != "items" else np.arange(7)
            i = random.integers(0, 12, 12) if over != "systems" else np.arange(12)
            a, b = x[np.ix_(s, i)], y[np.ix_(s, i)]
            plain.append(correlation_with_people(a, b, level=level, kind=kind))
        ends = np.nanquantile(found, [0.1, 0.5, 0.9])
        assert ends == pytest.approx(np.nanquantile(plain, [0.1, 0.5, 0.9]), abs=0.09), over


def test_ties_of_means_survive_standardised_scores():
    """Two systems with the same mean are tied also where a cell has no short decimal form."""
    x = np.array([[0.5, 0.9, 0.4, 0.7], [0.8, 0.3, 0.7, 0.5], [0.6, 0.5, 0.9, 0.3]])
    x = (x - x.mean()) / x.std()
    people = np.array([[3.0] * 4, [2.0] * 4, [1.0] * 4])
    expected = stats.kendalltau([3, 2, 2], [3, 2, 1]).statistic
    assert correlation_with_people(x, people, level="system", kind="tau_b") == pytest.approx(
        expected
    )
