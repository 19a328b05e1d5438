"""Under the null p-values are uniform and tests reject as often as they promise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as scipy_stats

from tare._measures.scores import Scores
from tare._signature import Signature
from tare.stats import TESTS, Pairs, TestOptions, run_test

SIMULATIONS = 3000
OPTIONS = TestOptions(draws=999, seed=11, largest=True)


def null_pairs(n: int = 20) -> Pairs:
    """Pairs of independent columns of one skewed distribution."""
    rng = np.random.default_rng(7)
    return Pairs.of_rows(rng.beta(1, 3, (SIMULATIONS, n)), rng.beta(1, 3, (SIMULATIONS, n)))


def within(rate: float, level: float, count: int, *, slack: float = 0.0) -> bool:
    return abs(rate - level) < 4 * np.sqrt(level * (1 - level) / count) + slack


@pytest.mark.parametrize("test", ["t", "welch", "pooled", "wilcoxon", "permutation", "bootstrap"])
def test_p_is_uniform_under_the_null(test: str) -> None:
    options = TestOptions(draws=999, seed=11)
    p = run_test(null_pairs(), test, options).p
    slack = 0.012 if test in ("welch", "pooled", "bootstrap") else 0.0  # near, not exactly nominal
    for level in (0.01, 0.05, 0.1, 0.5):
        assert within((p <= level).mean(), level, SIMULATIONS, slack=slack), (test, level)
    if test in ("t", "permutation", "wilcoxon"):
        assert scipy_stats.kstest(p, "uniform").statistic < 0.04


def test_the_hybrid_is_near_its_level() -> None:
    p = run_test(null_pairs(), "hybrid", TestOptions(draws=999, seed=11)).p
    assert within((p <= 0.05).mean(), 0.05, SIMULATIONS, slack=0.015)


def test_discrete_tests_do_not_exceed_their_level() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 4, (SIMULATIONS, 12)), rng.integers(0, 4, (SIMULATIONS, 12))
    for test in ("sign", "wilcoxon", "permutation"):
        p = run_test(Pairs.of_rows(x, y), test, TestOptions(draws=5000)).p
        for level in (0.01, 0.05, 0.1):
            bound = level + 4 * np.sqrt(level * (1 - level) / SIMULATIONS)
            assert (p <= level).mean() <= bound, test


def family(rng: np.random.Generator, m: int = 5, n: int = 15) -> Scores:
    values = rng.random(n)[None, :] + rng.normal(size=(m, n)) * 0.2
    items = tuple(f"{k:03d}" for k in range(n))
    signature = Signature.of("x", {})
    return Scores(tuple("ABCDE"[:m]), items, ("x",), values[:, :, None], (signature,))


@pytest.mark.parametrize("test", [name for name, t in TESTS.items() if t.family_wise])
def test_family_wise_error_of_all_pairs(test: str) -> None:
    rng, count = np.random.default_rng(5), 500
    any_found = [
        (run_test(Pairs.of(family(rng)), test, TestOptions(draws=299, seed=k)).p <= 0.05).any()
        for k in range(count)
    ]
    assert within(float(np.mean(any_found)), 0.05, count)


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
@pytest.mark.parametrize("baseline", [None, "A"])
def test_family_wise_error_of_the_largest_t(test: str, baseline: str | None) -> None:
    rng, count, found = np.random.default_rng(6), 500, []
    for k in range(count):
        pairs = Pairs.of(family(rng), baseline=baseline)
        result = run_test(pairs, test, TestOptions(draws=299, seed=k, largest=True))
        assert result.adjusted is not None
        found.append((result.adjusted <= 0.05).any())
    slack = 0.03 if test == "bootstrap" else 0.0
    assert within(float(np.mean(found)), 0.05, count, slack=slack)


def test_power_rises_with_the_difference() -> None:
    rng = np.random.default_rng(8)
    x, noise = rng.normal(size=(400, 20)), rng.normal(size=(400, 20))
    for test in ("t", "wilcoxon", "permutation", "bootstrap", "hybrid", "sign"):
        rates = [
            (
                run_test(Pairs.of_rows(x + shift, noise), test, TestOptions(draws=499)).p <= 0.05
            ).mean()
            for shift in (0.0, 0.5, 1.5)
        ]
        assert rates[0] < rates[1] < rates[2]
        assert rates[2] > 0.9
