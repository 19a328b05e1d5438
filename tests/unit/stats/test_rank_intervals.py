"""Rank intervals: counted from tests of all pairs, and their joint coverage with ties."""

from __future__ import annotations

import numpy as np
import pytest

from tare.errors import MismatchError
from tare.stats import max_t
from tare.stats._rank_intervals import rank_intervals

GOLDEN = {
    "a": [0.9, 0.8, 0.7, 0.6, 0.8, 0.9, 0.5, 0.7],
    "b": [0.8, 0.8, 0.6, 0.5, 0.6, 0.9, 0.4, 0.5],
    "c": [0.5, 0.6, 0.7, 0.3, 0.4, 0.5, 0.2, 0.6],
    "d": [0.9, 0.8, 0.7, 0.6, 0.8, 0.8, 0.5, 0.7],
}


def ranks_of(table, **options):
    """Rank intervals of data sets × systems."""
    found = max_t(table, **options)
    count = table.shape[1]
    gaps, p = np.zeros((count, count)), np.ones((count, count))
    gaps[found.first, found.second], gaps[found.second, found.first] = (
        found.difference,
        -found.difference,
    )
    p[found.first, found.second] = p[found.second, found.first] = found.p
    return rank_intervals(gaps, p)


def test_golden():
    found = ranks_of(np.array(list(GOLDEN.values())).T)
    assert found.low.tolist() == [1, 2, 3, 1]
    assert found.high.tolist() == [2, 4, 4, 3]


@pytest.mark.parametrize("datasets", [3, 5, 6, 8, 15])
def test_all_intervals_together_contain_the_ranks_of_ten_tied_systems(datasets):
    rng = np.random.default_rng(datasets)
    worlds, covered = 300, 0
    for seed in range(worlds):
        table = rng.normal(0, 0.05, (datasets, 10)) + rng.normal(0, 0.2, (datasets, 1))
        found = ranks_of(table, draws=500, seed=seed)
        covered += int((found.low == 1).all() and (found.high == 10).all())
    assert covered / worlds >= (1 if datasets < 6 else 0.90)


def test_the_intervals_of_all_systems_contain_true_ranks_with_gaps():
    true = np.array([0.3, 0.3, 0.0, 0.0, -0.2])
    best = 1 + (true[None, :] > true[:, None]).sum(axis=1)
    worst = 5 - (true[None, :] < true[:, None]).sum(axis=1)
    rng = np.random.default_rng(7)
    worlds, covered, narrow = 200, 0, 0
    for seed in range(worlds):
        found = ranks_of(true + rng.normal(0, 0.15, (15, 5)), draws=500, seed=seed)
        covered += int(((found.low <= best) & (found.high >= worst)).all())
        narrow += int((found.high - found.low < 4).any())
    assert covered / worlds >= 0.90
    assert narrow / worlds >= 0.9


def test_a_copy_has_the_same_interval():
    table = np.array([*GOLDEN.values(), GOLDEN["a"]]).T
    found = ranks_of(table)
    assert (found.low[0], found.high[0]) == (found.low[4], found.high[4])
    assert not found.better[0, 4]
    assert not found.better[4, 0]


def test_pairs_that_were_not_compared_are_not_different():
    found = rank_intervals([[0, np.nan], [np.nan, 0]], [[1, 0], [0, 1]])
    assert (found.low.tolist(), found.high.tolist()) == ([1, 1], [2, 2])


def test_shapes_must_fit():
    with pytest.raises(MismatchError, match="systems × systems"):
        rank_intervals([[0, 0.1]], [[1, 1]])
