"""Intervals of rank correlations: they contain their estimate and cover the expected coefficient."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tare._kernels.statistics import correlations
from tare.stats import correlate
from tare.studies._people_correlations import SideBySide, correlation_rows
from tests.unit.studies.tables import table


def test_intervals_of_tau_contain_their_estimate() -> None:
    """Means in the same order by a hair: every resample disorders them, and percentiles miss τ = 1."""
    random = np.random.default_rng(3)
    noise = random.normal(size=(2, 8, 30))
    noise -= noise.mean(axis=2, keepdims=True)
    x, y = (table(part + 1e-6 * np.arange(8)[:, None]) for part in noise)
    found = correlate(x.matrix(), y.matrix(), draws=500)
    assert found.value == pytest.approx(1)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.value <= found.high
    rows = correlation_rows(
        SideBySide(
            x.systems, x.items, ("AP",), ("said",), {"AP": x.matrix("AP")}, {"said": y.matrix("AP")}
        ),
        "said",
        "all",
        np.arange(8),
        "AP",
        draws=500,
        confidence=0.95,
        seed=0,
        threads=0,
    )
    for row in rows:
        over_items, over_both = (
            (row["low_items"], row["high_items"]),
            (row["low_both"], row["high_both"]),
        )
        for low, high in (over_items, over_both):
            assert low is not None
            assert high is not None
            assert low <= row["value"] <= high


def test_coverage_of_a_correlation_is_near_nominal() -> None:
    """The interval of Pearson's r over systems covers the true r about as often as it says."""
    random = np.random.default_rng(1)
    true, inside = 0.6, 0
    for _ in range(300):
        x = random.normal(size=40)
        y = true * x + np.sqrt(1 - true**2) * random.normal(size=40)
        a, b = (np.stack([z, z], axis=1) for z in (x, y))
        found = correlate(a, b, kind="pearson", over="systems", draws=400)
        inside += bool(found.low <= true <= found.high)  # type: ignore[operator]
    assert 0.90 <= inside / 300 <= 0.98


@pytest.mark.parametrize(("systems", "items"), [(10, 25), (10, 100), (30, 25)])
def test_coverage_of_the_expected_tau_of_two_item_sets(systems: int, items: int) -> None:
    """The interval is about τ of item sets of this size; τ of the true rankings, 1, is not in it."""
    random = np.random.default_rng([systems, items])
    quality = random.normal(size=(systems, 1)) * 0.2

    def means(count: int) -> NDArray[np.float64]:
        noise = random.normal(size=(count, systems)) / np.sqrt(items)
        return np.ascontiguousarray(quality.T + noise)

    expected = float(correlations(means(4000), means(4000), "tau_b").mean())
    inside = covered_truth = 0
    for _ in range(100):
        x, y = (quality + random.normal(size=(systems, items)) for _ in range(2))
        found = correlate(x, y, paired=False, draws=200)
        assert found.low is not None
        assert found.high is not None
        inside += found.low <= expected <= found.high
        covered_truth += found.high >= 1
    assert inside >= 92
    assert covered_truth <= 50
