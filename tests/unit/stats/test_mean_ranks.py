"""Ranks and shares against scipy.stats, which the product does not load."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import scipy.stats

from tare.stats._classical_tests import sign_p, wilson_interval
from tare.stats._ranks_with_ties import mean_ranks
from tests.conftest import ROOT


@pytest.mark.parametrize("shape", [(0,), (1,), (7,), (3, 0), (0, 3), (4, 9), (2, 3, 5)])
@pytest.mark.parametrize("kinds", [2, 5, 1000])
def test_ranks_are_those_of_scipy(shape: tuple[int, ...], kinds: int) -> None:
    random = np.random.default_rng(len(shape) * kinds)
    for _ in range(20):
        values = random.integers(0, kinds, shape) / 4 - 1
        values[random.random(shape) < 0.1] = np.inf
        values[random.random(shape) < 0.1] = -0.0
        assert np.array_equal(mean_ranks(values), scipy.stats.rankdata(values, axis=-1))


def test_missing_values_have_no_rank() -> None:
    random = np.random.default_rng(3)
    values = random.integers(0, 4, (50, 8)).astype(float)
    values[random.random(values.shape) < 0.3] = np.nan
    values[0] = np.nan
    expected = scipy.stats.rankdata(values, axis=-1, nan_policy="omit")
    assert np.array_equal(mean_ranks(values), expected, equal_nan=True)


def test_p_of_the_sign_test() -> None:
    for wins, losses in [(0, 0), (1, 0), (3, 3), (3, 4), (10, 2), (0, 60), (480, 520), (9, 4000)]:
        total = wins + losses
        expected = scipy.stats.binomtest(wins, total).pvalue if total else 1.0
        assert float(sign_p(wins, losses)) == pytest.approx(expected, rel=1e-12)
    assert sign_p([5, 0], [0, 0]).tolist() == [0.0625, 1.0]


def test_intervals_of_shares() -> None:
    for wins, total in [(0, 5), (5, 5), (1, 2), (8, 10), (133, 1000)]:
        for confidence in (0.8, 0.95, 0.99):
            expected = scipy.stats.binomtest(wins, total).proportion_ci(confidence, "wilson")
            assert wilson_interval(wins, total, confidence) == pytest.approx(tuple(expected))


def test_scipy_stats_is_not_loaded() -> None:
    """It takes a second; scipy.special has what is needed."""
    wrong = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "src" / "tare").rglob("*.py")
        if "import scipy.stats" in (text := path.read_text(encoding="utf-8"))
        or "from scipy.stats" in text
    ]
    assert wrong == []
    code = "import sys, tare.stats, scipy.special; print('scipy.stats' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
