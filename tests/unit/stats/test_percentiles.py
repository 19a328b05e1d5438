"""Percentiles of draws, against those of NumPy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tare.stats._draws import middle


@pytest.mark.parametrize("count", [1, 2, 3, 10, 199, 1000])
@pytest.mark.parametrize("confidence", [0.01, 0.5, 0.8, 0.95, 0.999])
def test_the_ends_have_the_bits_of_numpy(count: int, confidence: float) -> None:
    random = np.random.default_rng(count)
    for share in (0.0, 0.3):
        drawn = random.normal(size=count)
        drawn[random.random(count) < share] = np.nan
        if np.isnan(drawn).all():
            continue
        low, high, missing = middle(drawn, confidence)
        wanted = np.nanquantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2])
        assert [low, high] == wanted.tolist()
        assert missing == np.isnan(drawn).sum()


def test_draws_are_not_changed_and_may_all_be_missing() -> None:
    drawn = np.array([3.0, 1.0, 2.0])
    middle(drawn, 0.5)
    assert drawn.tolist() == [3.0, 1.0, 2.0]
    low, high, missing = middle(np.full(4, np.nan), 0.95)
    assert math.isnan(low)
    assert math.isnan(high)
    assert missing == 4
