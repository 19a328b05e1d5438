"""Bias-corrected bootstrap intervals: they contain their estimate, whatever the draws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from tare.stats import correlate
from tare.stats._intervals import bias_corrected
from tare.studies._people.correlations import correlation_rows
from tare.studies._people.data import SideBySide
from tests.unit.studies.tables import table


def test_the_levels_are_efrons() -> None:
    """Efron (1981): quantiles at Φ(2z₀ ± z), z₀ from the share of draws below the estimate."""
    drawn = np.arange(1000.0)
    for estimate in (200.5, 499.5, 800.5):
        bias = ndtri((drawn < estimate).mean())
        levels = ndtr(2 * bias + ndtri(np.array([0.025, 0.975])))
        assert bias_corrected(estimate, drawn, 0.95) == pytest.approx(np.quantile(drawn, levels))


def test_without_bias_it_is_the_percentile_interval() -> None:
    drawn = np.arange(-500.0, 501.0)
    assert bias_corrected(0.0, drawn, 0.9) == pytest.approx(np.quantile(drawn, [0.05, 0.95]))


@given(
    st.floats(-1, 1),
    st.lists(st.floats(-1, 1), min_size=1, max_size=60),
    st.sampled_from([0.5, 0.9, 0.95, 0.99]),
)
def test_it_contains_the_estimate(estimate: float, drawn: list[float], confidence: float) -> None:
    low, high = bias_corrected(estimate, np.array(drawn), confidence)
    assert low <= estimate <= high


def test_draws_without_a_value_are_left_out() -> None:
    drawn = np.array([0.1, np.nan, 0.3])
    assert bias_corrected(0.2, drawn, 0.95) == bias_corrected(0.2, drawn[[0, 2]], 0.95)


def test_intervals_of_tau_contain_their_estimate() -> None:
    """Means in the same order by a hair: every resample disorders them, and percentiles miss τ = 1."""
    random = np.random.default_rng(3)
    noise = random.normal(size=(2, 8, 30))
    noise -= noise.mean(axis=2, keepdims=True)
    x, y = (table(part + 1e-6 * np.arange(8)[:, None]) for part in noise)
    found = correlate(x, y, draws=500)
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
        for over in ("systems", "items", "both"):
            assert row[f"low_{over}"] <= row["value"] <= row[f"high_{over}"]


def test_coverage_of_a_correlation_is_near_nominal() -> None:
    """The interval of Pearson's r over systems covers the true r about as often as it says."""
    random = np.random.default_rng(1)
    true, inside = 0.6, 0
    for _ in range(300):
        x = random.normal(size=40)
        y = true * x + np.sqrt(1 - true**2) * random.normal(size=40)
        a, b = (table(np.stack([z, z], axis=1)) for z in (x, y))
        found = correlate(a, b, kind="pearson", over="systems", draws=400)
        inside += bool(found.low <= true <= found.high)  # type: ignore[operator]
    assert 0.90 <= inside / 300 <= 0.98
