"""Ranks held against PyKEEN 1.11: its adjusted indices, on the same ranks and numbers of candidates.

PyKEEN's `realistic` rank is the mean of the optimistic and the pessimistic one.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import tare
from tests.packages import need_package

need_package("pykeen", reason="PyKEEN is not installed")
need_package("torch", reason="no torch here, which PyKEEN needs")
EXACT = 1e-12


@pytest.fixture(scope="module")
def metrics() -> Any:
    """PyKEEN's metrics of ranks."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own dependencies warn on import
        from pykeen.metrics import ranking
    return ranking


def pairs(metrics: Any) -> dict[str, Any]:
    """What PyKEEN has for each of our measures."""
    return {
        "RR": metrics.InverseHarmonicMeanRank(),
        "Net(RR)": metrics.AdjustedInverseHarmonicMeanRank(),
        "Success@10": metrics.HitsAtK(10),
        "Net(Success@10)": metrics.AdjustedHitsAtK(k=10),
        "MeanRank": metrics.ArithmeticMeanRank(),
        "Net(MeanRank)": metrics.AdjustedArithmeticMeanRankIndex(),
        "GMR": metrics.GeometricMeanRank(),
        "Net(GMR)": metrics.AdjustedGeometricMeanRankIndex(),
    }


def expected(metrics: Any) -> dict[str, Any]:
    """The metrics whose expected values are held against ours."""
    return {
        "E(RR)": metrics.InverseHarmonicMeanRank(),
        "E(Success@10)": metrics.HitsAtK(10),
        "E(MeanRank)": metrics.ArithmeticMeanRank(),
        "E(GMR)": metrics.GeometricMeanRank(),
    }


def sample(seed: int, m: int, most: int) -> tuple[list[tuple[int, int]], np.ndarray]:
    """Tied places of items among candidates: mostly low ranks, a third of them tied."""
    random = np.random.default_rng(seed)
    candidates = random.integers(2, most, m)
    low = np.maximum(1, (candidates * random.random(m) ** 3).astype(int))
    width = random.integers(0, 6, m) * (random.random(m) < 1 / 3)
    high = np.minimum(low + width, candidates)
    return list(zip(low.tolist(), high.tolist(), strict=True)), candidates


@pytest.mark.parametrize(
    ("seed", "m", "most"), [(0, 1, 30), (1, 7, 12), (2, 300, 500), (3, 2000, 15_000)]
)
def test_indices_are_those_of_pykeen(metrics, seed, m, most):
    places, candidates = sample(seed, m, most)
    realistic = np.array(places).mean(axis=1)
    found = tare.ranks(
        places, candidates, ["RR", "Success@10", "MeanRank", "GMR"], ties="realistic"
    )
    means = found.means()["ranks"]
    for measure, theirs in pairs(metrics).items():
        assert means[measure] == pytest.approx(
            theirs(realistic, candidates), rel=EXACT, abs=EXACT
        ), measure
    for measure, theirs in expected(metrics).items():
        # PyKEEN adds j^{1/m}, all close to 1; for large m the last digits of its E(GMR) are lost.
        exact = EXACT if measure != "E(GMR)" or m < 1000 else 1e-11
        assert means[measure] == pytest.approx(theirs.expected_value(candidates), rel=exact), (
            measure
        )


def test_distance_from_chance_is_that_of_pykeen_for_one_query(metrics):
    """PyKEEN's z is that of a set; of one query it is ours."""
    theirs = metrics.ZArithmeticMeanRank()(np.array([3.0]), np.array([50]))
    ours = tare.ranks([3], 50, "Z(MeanRank)")["Z(MeanRank)"].mean
    assert abs(ours) == pytest.approx(abs(theirs), rel=EXACT)
    assert ours > 0
