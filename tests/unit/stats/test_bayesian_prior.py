"""The weight of the prior of the Bayesian signed-rank test."""

from __future__ import annotations

import math

import pytest

from tare.errors import OptionError
from tare.stats import Pairs, bayesian_signed_rank

PAIR = Pairs.of_arrays([0.5, 0.7, 0.9, 0.8], [0.4, 0.5, 0.6, 0.6])


@pytest.mark.parametrize("prior", [-1.0, 1.1e9, math.inf, math.nan])
def test_weights_that_cannot_be_drawn_are_errors(prior: float) -> None:
    """An infinite weight was once drawn for ever."""
    with pytest.raises(OptionError, match=r"a weight from 0 to 1e\+09"):
        bayesian_signed_rank(PAIR, prior=prior, draws=100)


def test_a_heavy_prior_leaves_no_better_system() -> None:
    found = bayesian_signed_rank(PAIR, prior=1e9, draws=200, seed=1)
    assert found.better.tolist() == [0.0]
