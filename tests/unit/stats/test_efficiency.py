"""The relative efficiency of Wilcoxon's test: known values of distributions, and no bias."""

from __future__ import annotations

import numpy as np
import pytest

from tare.stats import Pairs, relative_efficiency, sizes_of_tests
from tare.stats._power import LEAST, efficiency_of
from tests.unit.studies.tables import table


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
    found = sizes_of_tests(table(np.stack([values, np.zeros(200)])), tests=["t"], simulations=100)
    assert found.efficiency < LEAST
    assert "0.864 (the smallest possible value; the estimate, 0.8" in " ".join(str(found).split())
    normal = np.random.default_rng(4).normal(size=(2, 200))
    assert "smallest possible" not in str(
        sizes_of_tests(table(normal), tests=["t"], simulations=100)
    )
