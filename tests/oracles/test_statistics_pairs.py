"""Tests on pairs of systems, against scipy, enumeration and the goldens of the specification."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as scipy_stats

from tare._kernels.statistics import signed_ranks
from tare.stats import (
    Pairs,
    effects,
    paired_t,
    permutation,
    pooled_t,
    sign_test,
    welch_t,
    wilcoxon,
)
from tests.reference import statistics as reference

SEEDS = range(12)


def sample(seed: int, n: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Two columns with ties and zeros, and some missing cells."""
    rng = np.random.default_rng(seed)
    x = np.round(rng.random(n), 1 + seed % 3)
    y = np.round(np.where(rng.random(n) < 0.2, x, rng.random(n) * 0.9), 1 + seed % 3)
    x[rng.random(n) < 0.1] = np.nan
    y[rng.random(n) < 0.1] = np.nan
    return x, y


def common(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    keep = ~np.isnan(x) & ~np.isnan(y)
    return x[keep], y[keep]


@pytest.mark.parametrize("seed", SEEDS)
def test_student_against_scipy(seed: int) -> None:
    x, y = sample(seed)
    a, b = common(x, y)
    pairs = Pairs.of_arrays(x, y)
    for ours, theirs in (
        (paired_t(pairs), scipy_stats.ttest_rel(a, b)),
        (welch_t(pairs), scipy_stats.ttest_ind(a, b, equal_var=False)),
        (pooled_t(pairs), scipy_stats.ttest_ind(a, b)),
    ):
        assert ours.n[0] == len(a)
        assert ours.statistic[0] == pytest.approx(theirs.statistic, rel=1e-8, abs=1e-10)
        assert ours.p[0] == pytest.approx(theirs.pvalue, rel=1e-8)
        assert ours.freedom is not None
        assert ours.freedom[0] == pytest.approx(theirs.df)


@pytest.mark.parametrize("zeros", ["dropped", "pratt"])
@pytest.mark.parametrize("seed", SEEDS)
def test_wilcoxon_normal_against_scipy(seed: int, zeros: str) -> None:
    x, y = sample(seed)
    a, b = common(x, y)
    ours = wilcoxon(Pairs.of_arrays(x, y), zeros=zeros, exact=0)
    method = {"dropped": "wilcox", "pratt": "pratt"}[zeros]
    theirs = scipy_stats.wilcoxon(np.round(a - b, 9), zero_method=method, method="approx")
    assert ours.methods == ("normal",)
    assert ours.p[0] == pytest.approx(theirs.pvalue, rel=1e-9)


def test_wilcoxon_exact_against_scipy_without_ties() -> None:
    rng = np.random.default_rng(5)
    for n in (5, 12, 30, 50):
        x, y = rng.random(n), rng.random(n)
        ours = wilcoxon(Pairs.of_arrays(x, y))
        assert ours.methods == ("exact",)
        theirs = scipy_stats.wilcoxon(x - y, method="exact")
        assert ours.p[0] == pytest.approx(theirs.pvalue, rel=1e-10)


@pytest.mark.parametrize("zeros", ["dropped", "pratt"])
@pytest.mark.parametrize("seed", range(20))
def test_wilcoxon_exact_with_ties_against_enumeration(seed: int, zeros: str) -> None:
    rng = np.random.default_rng(seed)
    z = rng.integers(-4, 5, size=int(rng.integers(2, 13))).astype(float)
    ours = wilcoxon(Pairs.of_arrays(z, np.zeros_like(z)), zeros=zeros)
    plus, p = reference.signed_rank(z.tolist(), zeros)
    assert ours.statistic[0] == plus
    assert ours.p[0] == pytest.approx(p, abs=1e-12)


def test_putter_gives_zeros_random_signs_and_keeps_n() -> None:
    z = np.array([0.0, 0.0, 0.0, 1.0, 2.0, -3.0])
    found = {
        float(wilcoxon(Pairs.of_arrays(z, 0 * z), zeros="putter", seed=s).statistic[0])
        for s in range(40)
    }
    # The zeros share rank 2; of the others +1 and +2 have ranks 4 and 5.
    assert found == {9.0, 11.0, 13.0, 15.0}
    assert wilcoxon(Pairs.of_arrays(z, 0 * z), zeros="putter").n.tolist() == [6]


@pytest.mark.parametrize("seed", range(10))
def test_signed_rank_is_a_u_statistic(seed: int) -> None:
    z = np.random.default_rng(seed).integers(-5, 6, size=25).astype(float)
    z = z[z != 0]
    found = signed_ranks(z[None, :], zeros="dropped", most_exact=0, seed=0)
    assert found.plus[0] == reference.walsh_plus(z.tolist())


def test_goldens_of_ranks() -> None:
    sizes = [1, 2, 4, 4, 4, 4, 6, 7, 10, 13, 14]
    ranks = [1, 2, 4.5, 4.5, 4.5, 4.5, 7, 8, 9, 10, 11]
    for k in range(len(sizes)):  # one positive difference at a time shows its rank
        z = -np.array(sizes, dtype=float)
        z[k] *= -1
        found = signed_ranks(z[None, :], zeros="dropped", most_exact=0, seed=0)
        assert found.plus[0] == ranks[k]
    counts = [300, 776, 702, 366, 276]
    z = np.repeat(np.arange(1.0, 6.0), counts)
    for value, rank in zip(range(1, 6), [150.5, 688.5, 1427.5, 1961.5, 2282.5], strict=True):
        signed = -z
        signed[int(np.flatnonzero(z == value)[0])] *= -1
        found = signed_ranks(signed[None, :], zeros="dropped", most_exact=0, seed=0)
        assert found.plus[0] == rank


def test_variance_is_the_tie_corrected_one() -> None:
    z = np.repeat(np.arange(1.0, 6.0), [3, 7, 7, 3, 2])
    n, ties = len(z), np.array([3, 7, 7, 3, 2])
    found = signed_ranks(z[None, :], zeros="dropped", most_exact=0, seed=0)
    published = (n * (n + 1) * (2 * n + 1) - 0.5 * (ties * (ties - 1) * (ties + 1)).sum()) / 24
    assert found.variance[0] == pytest.approx(published)


@pytest.mark.parametrize("seed", SEEDS)
def test_sign_against_scipy(seed: int) -> None:
    x, y = sample(seed)
    a, b = common(x, y)
    wins, losses = int((a > b).sum()), int((a < b).sum())
    theirs = scipy_stats.binomtest(wins, wins + losses).pvalue
    assert sign_test(Pairs.of_arrays(x, y)).p[0] == pytest.approx(theirs)


@pytest.mark.parametrize("seed", range(8))
def test_all_swaps_against_enumeration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 5, 9) / 10, rng.integers(0, 5, 9) / 10
    ours = permutation(Pairs.of_arrays(x, y))
    differing = int((x != y).sum())  # units that do not differ take no part
    assert ours.methods == (f"all {2 ** (differing - 1)} sign patterns",)
    assert ours.p[0] == pytest.approx(reference.all_swaps((x - y).tolist()), abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_swaps_against_scipy(seed: int) -> None:
    x, y = sample(seed)
    a, b = common(x, y)
    ours = permutation(Pairs.of_arrays(x, y), draws=40_000)
    theirs = scipy_stats.permutation_test(
        (a, b),
        lambda u, v, axis: np.round((u - v).mean(axis=axis), 9),
        permutation_type="samples",
        vectorized=True,
        n_resamples=20_000,
        rng=np.random.default_rng(1),
    )
    assert ours.error is not None
    assert abs(ours.p[0] - theirs.pvalue) < 5 * (ours.error[0] ** 2 * 3) ** 0.5 + 1e-4


def test_effects_against_scipy_and_counting() -> None:
    for seed in SEEDS:
        x, y = sample(seed)
        a, b = common(x, y)
        found = effects(Pairs.of_arrays(x, y))
        d = np.round(a - b, 9)
        ranks = scipy_stats.rankdata(np.abs(d[d != 0]))
        signed = (ranks * np.sign(d[d != 0])).sum() / ranks.sum()
        u = scipy_stats.mannwhitneyu(a, b).statistic
        assert found.d_z[0] == pytest.approx(d.mean() / d.std(ddof=1))
        assert found.rank_biserial[0] == pytest.approx(signed)
        assert found.cliffs_delta[0] == pytest.approx(2 * u / len(a) ** 2 - 1)
        assert found.superiority[0] == pytest.approx(((d > 0) + 0.5 * (d == 0)).mean())
        assert found.wins[0] + found.ties[0] + found.losses[0] == len(a)
