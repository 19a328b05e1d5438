"""Options of power curves that cannot be used."""

import numpy as np
import pytest

from tare.errors import OptionError
from tare.stats import power_curve


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"alpha": 0.0}, "alpha=0.0 is out of range; it must lie between 0 and 1"),
        ({"alpha": 2.0}, "alpha=2.0 is out of range; it must lie between 0 and 1"),
        (
            {"alpha": 0.01, "null_simulations": 20},
            "20 experiments at t = 0 are too few: alpha=0.01 needs at least 100",
        ),
        ({"simulations": 0}, "simulations=0: between 1 and"),
        ({"first": [4]}, "each group names rows of the matrix, from 0 to 3"),
    ],
)
def test_a_value_that_is_refused_is_named(options, words):
    values = np.random.default_rng(1).random((4, 12))
    with pytest.raises(OptionError, match=words):
        power_curve(values, **{"first": [0, 1], "second": [2, 3]} | options)
