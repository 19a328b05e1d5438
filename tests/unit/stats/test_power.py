"""Under the null p-values are uniform and tests reject as often as they promise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as scipy_stats

from tare.stats import TESTS, Pairs, TestOptions, relative_efficiency, run_test, sizes_of_tests
from tare.stats._power import LEAST, efficiency_of

# The relative efficiency of Wilcoxon's test: known values of distributions, and no bias.


def test_the_mean_over_normal_samples_of_50_is_that_of_the_normal_distribution() -> None:
    random = np.random.default_rng(1)
    found = [efficiency_of(random.normal(3, 7, 50)) for _ in range(3000)]
    assert np.mean(found) == pytest.approx(3 / np.pi, abs=0.01)


@pytest.mark.parametrize(
    ("draw", "truth", "near"),
    [
        ("normal", 3 / np.pi, 0.03),
        ("laplace", 1.5, 0.1),
        ("logistic", np.pi**2 / 9, 0.05),
        ("uniform", 1.0, 0.07),
    ],
)
@pytest.mark.parametrize("count", [1400, 20_000])
def test_known_distributions_directly_and_in_bins(
    draw: str, truth: float, near: float, count: int
) -> None:
    random = np.random.default_rng(3)
    sample = getattr(random, draw)(size=count)
    assert efficiency_of(sample) == pytest.approx(truth, abs=near)
    assert efficiency_of(5 - 100 * sample) == pytest.approx(efficiency_of(sample), rel=1e-6)


def test_bins_change_nothing_that_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = np.random.default_rng(2).standard_t(4, size=1000)
    direct = efficiency_of(sample)
    monkeypatch.setattr("tare.stats._power.DIRECT", 10)
    assert efficiency_of(sample) == pytest.approx(direct, abs=1e-4)


def test_few_or_equal_differences_have_none() -> None:
    assert np.isnan(efficiency_of(np.arange(9.0)))
    assert np.isnan(efficiency_of(np.ones(20)))
    assert np.isnan(relative_efficiency(Pairs.of_arrays([1.0, 2, 3], [1.0, 2, 3])))


def test_an_estimate_below_the_least_is_shown_as_the_least() -> None:
    # A parabola has the least efficiency; its quantiles, evenly spaced, estimate it from below.
    values = np.quantile(np.random.default_rng(0).beta(2, 2, 100_000), (np.arange(200) + 0.5) / 200)
    found = sizes_of_tests(
        Pairs.of_matrix(np.stack([values, np.zeros(200)])), tests=["t"], simulations=100
    )
    assert found.efficiency < LEAST
    assert "0.864 (the smallest possible value; the estimate, 0.8" in " ".join(str(found).split())
    normal = np.random.default_rng(4).normal(size=(2, 200))
    assert "smallest possible" not in str(
        sizes_of_tests(Pairs.of_matrix(normal), tests=["t"], simulations=100)
    )


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


def family(rng: np.random.Generator, m: int = 5, n: int = 15) -> np.ndarray:
    return rng.random(n)[None, :] + rng.normal(size=(m, n)) * 0.2


@pytest.mark.parametrize("test", [name for name, t in TESTS.items() if t.family_wise])
def test_family_wise_error_of_all_pairs(test: str) -> None:
    rng, count = np.random.default_rng(5), 500
    any_found = [
        (
            run_test(Pairs.of_matrix(family(rng)), test, TestOptions(draws=299, seed=k)).p <= 0.05
        ).any()
        for k in range(count)
    ]
    assert within(float(np.mean(any_found)), 0.05, count)


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
@pytest.mark.parametrize("baseline", [None, "0"])
def test_family_wise_error_of_the_largest_t(test: str, baseline: str | None) -> None:
    rng, count, found = np.random.default_rng(6), 500, []
    for k in range(count):
        pairs = Pairs.of_matrix(family(rng), baseline=baseline)
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
