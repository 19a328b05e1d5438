"""Estimates held against ppi_py 0.2.3: intervals of means in z mode for a given λ."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from tare._decide.judge_corrected import Estimator, QuerySample

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    ppi_py = pytest.importorskip("ppi_py", reason="ppi-python is not installed")

EXACT = 1e-9


def sample(seed: int, systems: int = 3, n: int = 40, others: int = 170) -> QuerySample:
    rng = np.random.default_rng(seed)
    human = rng.random((systems, n))
    judge = 0.6 * human + 0.5 * rng.random((systems, n))
    return QuerySample(human, judge, 0.3 + 0.7 * rng.random((systems, others)))


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_z_intervals_of_means_and_differences(weight, confidence):
    given = sample(1)
    made = Estimator("m", given, method="z", weight=weight)
    low, high = made.fit.systems().ends(confidence)
    for s in range(3):
        arrays = given.human[s], given.judge[s], given.others[s]
        expected = ppi_py.ppi_mean_ci(*arrays, alpha=1 - confidence, lam=weight)
        assert abs(low[s] - expected[0]) < EXACT
        assert abs(high[s] - expected[1]) < EXACT
    first, second = np.triu_indices(3, 1)
    low, high = made.fit.differences(first, second).ends(confidence)
    for k, (a, b) in enumerate(zip(first, second, strict=True)):
        arrays = tuple(x[a] - x[b] for x in (given.human, given.judge, given.others))
        expected = ppi_py.ppi_mean_ci(*arrays, alpha=1 - confidence, lam=weight)
        assert abs(low[k] - expected[0]) < EXACT
        assert abs(high[k] - expected[1]) < EXACT


def test_point_estimates():
    given = sample(2, systems=1)
    made = Estimator("m", given, method="z")
    weight = float(made.fit.weight)
    assert 0 < weight < 1
    arrays = given.human[0], given.judge[0], given.others[0]
    expected = ppi_py.ppi_mean_pointestimate(*arrays, lam=weight)
    assert abs(made.fit.value[0] - float(np.squeeze(expected))) < EXACT
    low, high = made.fit.systems().ends(0.95)
    expected = ppi_py.ppi_mean_ci(*arrays, alpha=0.05, lam=weight)
    assert abs(low[0] - expected[0]) < EXACT
    assert abs(high[0] - expected[1]) < EXACT
