"""Rank intervals: against a plain version, and their coverage with ties."""

from __future__ import annotations

import numpy as np
import pytest

from tare.errors import MismatchError
from tare.stats._rank_intervals import best_shares, rank_intervals


def plain(means, drawn, errors, alpha):
    """The definition, pair by pair."""
    count = len(means)
    pairs = [(i, j) for i in range(count) for j in range(i)]
    largest = [
        max(abs((row[i] - row[j]) - (means[i] - means[j])) / errors[i][j] for i, j in pairs)
        for row in drawn
    ]
    place = min(len(drawn) - 1, int(np.ceil((1 - alpha) * (len(drawn) + 1))) - 1)
    critical = sorted(largest)[place]
    low = [
        1 + sum(means[j] - means[i] > critical * errors[i][j] for j in range(count) if j != i)
        for i in range(count)
    ]
    high = [
        count - sum(means[i] - means[j] > critical * errors[i][j] for j in range(count) if j != i)
        for i in range(count)
    ]
    return critical, low, high


def test_intervals_are_those_of_the_definition():
    rng = np.random.default_rng(2)
    means = rng.normal(0, 0.05, 6)
    drawn = means + rng.normal(0, 0.03, (199, 6))
    errors = np.full((6, 6), 0.04) + rng.random((6, 6)) * 0.01
    errors = (errors + errors.T) / 2
    found = rank_intervals(means, drawn, errors, alpha=0.1)
    critical, low, high = plain(means, drawn, errors, 0.1)
    assert found.critical == pytest.approx(critical, abs=1e-14)
    assert (found.low.tolist(), found.high.tolist()) == (low, high)


@pytest.mark.parametrize("truth", [[0.0] * 10, [0.3, 0.3, 0.0, 0.0, -0.2]])
def test_intervals_contain_all_true_ranks(truth):
    """Over simulated data, the interval of each system contains every rank that is true of it."""
    true = np.array(truth)
    count, items, worlds, draws = len(true), 40, 300, 400
    best = 1 + (true[None, :] > true[:, None]).sum(axis=1)
    worst = count - (true[None, :] < true[:, None]).sum(axis=1)
    rng = np.random.default_rng(7)
    covered = np.zeros(count)
    for _ in range(worlds):
        x = true[:, None] + rng.normal(0, 0.3, (count, items)) + rng.normal(0, 0.3, items)
        means = x.mean(axis=1)
        covariance = np.cov(x) / items
        variance = np.diag(covariance)
        errors = np.sqrt(np.maximum(variance[:, None] + variance[None, :] - 2 * covariance, 0))
        chosen = rng.integers(0, items, (draws, items))
        drawn = x[:, chosen].mean(axis=2).T
        found = rank_intervals(means, drawn, errors, freedom=items - 1)
        covered += (found.low <= best) & (found.high >= worst)
    assert (covered / worlds).min() >= 0.94


def test_shares_of_best_sum_to_one_and_ties_share():
    assert best_shares([[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]).tolist() == pytest.approx(
        [5 / 12, 5 / 12, 1 / 6]
    )


def test_equal_systems_are_tied():
    found = rank_intervals([0.5, 0.5], [[0.5, 0.5]] * 20, np.zeros((2, 2)))
    assert (found.low.tolist(), found.high.tolist()) == ([1, 1], [2, 2])


def test_shapes_must_fit():
    with pytest.raises(MismatchError, match="do not fit"):
        rank_intervals([0.5, 0.4], [[0.5, 0.4, 0.1]], np.zeros((2, 2)))
