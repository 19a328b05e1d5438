"""Bias-corrected bootstrap intervals: they contain their estimate, whatever the draws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from tare.stats._intervals import bias_corrected


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
