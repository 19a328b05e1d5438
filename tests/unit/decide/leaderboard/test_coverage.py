"""Coverage of rank intervals over simulated leaderboards, ties included."""

from __future__ import annotations

import numpy as np
import pytest

from tare._decide.leaderboard.data import Board
from tare._decide.leaderboard.study import _means, _ranks

TRUTHS = {
    "ten tied": [0.0] * 10,
    "ties and gaps": [0.2, 0.2, 0.1, 0.1, 0.1, 0.0, 0.0, -0.1, -0.1, -0.3],
    "a ladder": [0.02 * k for k in range(10)],
}


def world(truth, over, rng, missing):
    """Return one simulated board; data sets differ in difficulty and in number of queries."""
    count = len(truth)
    sets, items = (12, 1) if over == "datasets" else (4, 25)
    cells = []
    for k in range(sets):
        size = items + (5 * k if items > 1 else 0)
        hard = rng.normal(0, 0.3, size)
        cells.append(truth[:, None] + hard + rng.normal(0, 0.2, (count, size)))
    if missing:
        for s in (1, 4):
            cells[int(rng.integers(sets))][s] = np.nan
    gaps = np.stack([np.isnan(values).any(axis=1) for values in cells], axis=1)
    names = tuple(f"s{k}" for k in range(count))
    return Board(names, tuple(f"d{k}" for k in range(sets)), tuple(cells), gaps)


def coverage(truth, over, worlds, draws, missing=False, seed=0):
    """Return the share of worlds in which the interval of each system contains all its true ranks."""
    true = np.array(truth)
    best = 1 + (true[None, :] > true[:, None]).sum(axis=1)
    worst = len(true) - (true[None, :] < true[:, None]).sum(axis=1)
    rng = np.random.default_rng(seed)
    covered = np.zeros(len(true))
    for number in range(worlds):
        board = world(true, over, rng, missing)
        means = _means(board, over)[0]
        _, shares, found = _ranks(board, over, means, draws, number, 0.05)
        assert abs(shares.sum() - 1) < 1e-9
        covered += (found.low <= best) & (found.high >= worst)
    return covered / worlds


def test_ten_tied_systems():
    assert coverage(TRUTHS["ten tied"], "queries", 60, 200).min() >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("over", ["queries", "datasets"])
@pytest.mark.parametrize("name", TRUTHS)
def test_coverage_of_every_system(name, over, missing):
    found = coverage(TRUTHS[name], over, 1000, 500, missing)
    print(f"\n{name}, {over}, missing {missing}: lowest {found.min():.4f}, mean {found.mean():.4f}")
    assert found.min() >= 0.94
