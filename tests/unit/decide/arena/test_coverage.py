"""Coverage of intervals of rating differences over many simulated worlds."""

from __future__ import annotations

import numpy as np
import pytest

from tare._decide.arena_model import fit_ratings, pair_flips, sandwich
from tests.unit.decide.arena.worlds import PAIRS, marginal_ratings, tied_world, world

TRUE = np.array([0.6, 0.2, -0.1, -0.7])


def coverage(kind, prompts, worlds, seed=1):
    """The share of 95 % intervals of the six differences that contain the true one."""
    rng = np.random.default_rng(seed)
    true = marginal_ratings(TRUE) if kind == "effects" else TRUE
    a, b = PAIRS.T
    gaps = true[a] - true[b]
    inside = 0
    for _ in range(worlds):
        fit = fit_ratings(world(kind, prompts, rng, TRUE))
        spread = sandwich(fit)
        error = spread.difference_errors(4)[a, b]
        inside += int(
            (np.abs(fit.ratings[a] - fit.ratings[b] - gaps) < spread.quantile * error).sum()
        )
    return inside / (6 * worlds)


@pytest.mark.slow
@pytest.mark.parametrize("prompts", [40, 100])
@pytest.mark.parametrize("kind", ["independent", "copies", "effects"])
def test_intervals_of_differences_cover(kind, prompts):
    assert 0.935 < coverage(kind, prompts, 10_000) < 0.965


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["independent", "copies", "effects"])
def test_thirteen_prompts_are_reported(kind, record_property):
    found = coverage(kind, 13, 10_000)
    record_property("coverage", found)
    assert 0.90 < found < 0.97


def test_intervals_cover_in_some_worlds():
    """A short version of the simulation."""
    assert 0.90 < coverage("effects", 40, 100) < 0.99


def joint_coverage(systems, prompts, per_prompt, worlds, seed=1):
    """The share of worlds of tied systems in which no pair is called different."""
    rng = np.random.default_rng(seed)
    covered = 0
    for number in range(worlds):
        fit = fit_ratings(tied_world(systems, prompts, per_prompt, rng))
        found = pair_flips(fit, sandwich(fit), draws=400, seed=number, alpha=0.05)
        covered += int((found.p > 0.05).all())
    return covered / worlds


@pytest.mark.parametrize(
    ("systems", "prompts", "per_prompt"), [(5, 8, 30), (5, 40, 10), (10, 13, 30), (10, 40, 10)]
)
def test_all_rank_intervals_together_cover_tied_systems(systems, prompts, per_prompt):
    assert joint_coverage(systems, prompts, per_prompt, 150) >= 0.90
