"""Rogan and Gladen's estimate of shares."""

from __future__ import annotations

import numpy as np
import pytest

from tare._decide.ppi.rogan_gladen import LabelCounts, fit_shares
from tare.errors import MismatchError


def world(rng, queries=120, labelled=60, sensitivity=0.9, specificity=0.8, ranks=10):
    """Two systems with true shares of .5 and .3, and a judge with known errors."""
    truth = rng.random((2, queries, ranks)) < np.array([0.5, 0.3])[:, None, None]
    says = np.where(
        truth, rng.random(truth.shape) < sensitivity, rng.random(truth.shape) >= specificity
    )
    seen = np.arange(queries) < labelled
    both, mine = (truth & says).sum(axis=(0, 2)) * seen, truth.sum(axis=(0, 2)) * seen
    neither, rest = (~truth & ~says).sum(axis=(0, 2)) * seen, (~truth).sum(axis=(0, 2)) * seen
    full = np.ones((2, queries))
    return LabelCounts(both * 1.0, mine * 1.0, neither * 1.0, rest * 1.0, says.mean(axis=2), full)


def test_the_formula():
    counts = world(np.random.default_rng(0))
    se, sp = counts.sensitivity, counts.specificity
    expected = (counts.yes.mean(axis=1) + sp - 1) / (se + sp - 1)
    np.testing.assert_allclose(fit_shares(counts, "P@10").value, expected)


def test_the_jackknife_by_a_loop():
    counts = world(np.random.default_rng(1), queries=30, labelled=20)
    left = []
    for i in range(30):
        rest = LabelCounts(*(np.delete(x, i, -1) for x in vars(counts).values()))
        left.append(fit_shares(rest, "P").value)
    expected = np.sqrt(29 / 30 * ((left - np.mean(left, axis=0)) ** 2).sum(axis=0))
    np.testing.assert_allclose(fit_shares(counts, "P").systems().error, expected, atol=1e-12)


def test_coverage():
    inside, worlds = 0, 400
    for seed in range(worlds):
        low, high = fit_shares(world(np.random.default_rng(seed)), "P").systems().ends(0.95)
        inside += int(low[0] <= 0.5 <= high[0])
    assert 0.92 <= inside / worlds <= 0.98


def test_a_judge_without_skill_is_refused():
    counts = world(np.random.default_rng(0), sensitivity=0.3, specificity=0.4)
    with pytest.raises(MismatchError, match="needs a sum above 1"):
        fit_shares(counts, "P@10")


def test_one_class_is_refused():
    counts = world(np.random.default_rng(0))
    none = np.zeros_like(counts.found)
    with pytest.raises(MismatchError, match="no relevant documents"):
        fit_shares(
            LabelCounts(none, none, counts.rejected, counts.other, counts.yes, counts.ranks), "P"
        )
