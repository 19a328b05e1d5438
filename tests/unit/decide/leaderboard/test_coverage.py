"""Joint coverage of all rank intervals over simulated leaderboards, ties included."""

from __future__ import annotations

import numpy as np
import pytest

from tare._decide.leaderboard import pair_tests
from tare._decide.leaderboard_data import Board
from tare.stats._rank_intervals import rank_intervals

TRUTHS = {
    "ten tied": [0.0] * 10,
    "ties and gaps": [0.2, 0.2, 0.1, 0.1, 0.1, 0.0, 0.0, -0.1, -0.1, -0.3],
    "a ladder": [0.02 * k for k in range(10)],
}


def world(truth, over, rng, missing):
    """Return one simulated board; data sets differ in difficulty and in number of queries."""
    count = len(truth)
    sets, items = (12, 1) if over == "datasets" else (4, 15)
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
    sets_named = tuple(f"d{k}" for k in range(sets))
    return Board(names, sets_named, tuple(cells), gaps, tuple(cells))


def joint_coverage(truth, over, worlds, draws, missing=False, seed=0):
    """Return the share of worlds in which all intervals contain all true ranks."""
    true = np.array(truth)
    best = 1 + (true[None, :] > true[:, None]).sum(axis=1)
    worst = len(true) - (true[None, :] < true[:, None]).sum(axis=1)
    rng = np.random.default_rng(seed)
    covered = 0
    for number in range(worlds):
        board = world(true, over, rng, missing)
        tests = pair_tests(board, over, draws=draws, seed=number, alpha=0.05)
        found = rank_intervals(tests.differences, tests.p)
        covered += int(((found.low <= best) & (found.high >= worst)).all())
    return covered / worlds


@pytest.mark.parametrize("over", ["queries", "datasets"])
@pytest.mark.parametrize("name", ["ten tied", "ties and gaps"])
def test_joint_coverage(name, over):
    assert joint_coverage(TRUTHS[name], over, 100, 300) >= 0.90


@pytest.mark.slow
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("over", ["queries", "datasets"])
@pytest.mark.parametrize("name", TRUTHS)
def test_joint_coverage_in_many_worlds(name, over, missing):
    found = joint_coverage(TRUTHS[name], over, 100 if missing else 1000, 500, missing)
    print(f"\n{name}, {over}, missing {missing}: {found:.4f}")
    assert found >= (0.90 if missing else 0.93)
