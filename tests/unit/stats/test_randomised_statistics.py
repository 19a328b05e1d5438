"""Swap and hybrid tests of t and W, against every outcome counted out and against scipy."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from tare import compare
from tare._kernels.threads_and_blocks import Seams, cut
from tare.errors import MismatchError
from tare.stats import hybrid_t, hybrid_w, permutation, permutation_t, permutation_w
from tare.stats._paired_differences import Pairs
from tare.stats._tests_of_all_systems import tukey, tukey_kramer
from tests.unit.studies.tables import table

DRAWS = 20_000


def _pairs(items: int = 12, seed: int = 3) -> Pairs:
    random = np.random.default_rng(seed)
    values = np.round(random.random((4, items)) + 0.15 * np.arange(4)[:, None], 1)  # with ties
    return Pairs.of_matrix(values)


def test_the_swap_test_of_t_is_that_of_the_mean() -> None:
    pairs = _pairs()
    one, other = (f(pairs, draws=DRAWS, seed=1) for f in (permutation, permutation_t))
    assert one.p.tolist() == other.p.tolist()
    assert other.statistic.tolist() == pairs.t.tolist()


def test_the_swap_test_of_w_approaches_wilcoxons_exact_p() -> None:
    pairs = _pairs()
    exact = compare(table(pairs.scores), test="wilcoxon", correction="none").families[0].result.p
    found = permutation_w(pairs, draws=DRAWS, seed=1)
    assert found.error is not None
    assert np.abs(found.p - exact).max() < 5 * found.error.max() + 2 / DRAWS
    again = compare(table(pairs.scores), test="permutation-w", correction="none", draws=DRAWS)
    w = compare(table(pairs.scores), test="wilcoxon").families[0].result.statistic
    assert again.families[0].result.statistic.tolist() == w.tolist()


def _w(d: np.ndarray) -> float:
    d = d[d != 0]
    return abs(float((stats.rankdata(np.abs(d)) * np.sign(d)).sum()))


def _t(d: np.ndarray) -> float:
    spread = d.std(ddof=1)
    if spread < 1e-12:
        return np.inf if abs(d.mean()) > 0 else 0.0
    return abs(float(d.mean() / (spread / np.sqrt(len(d)))))


@pytest.mark.parametrize(("test", "statistic"), [(hybrid_t, _t), (hybrid_w, _w)])
def test_the_hybrid_approaches_all_resamples_and_swaps(test, statistic) -> None:
    x, y = np.array([0.9, 0.4, 0.7, 0.5]), np.array([0.2, 0.6, 0.4, 0.5])
    d = np.round(x - y, 10)
    observed = statistic(d)
    reached = [
        statistic(d[list(items)] * signs) >= observed - 1e-9
        for items in product(range(4), repeat=4)
        for signs in product((-1.0, 1.0), repeat=4)
    ]
    found = test(Pairs.of_arrays(x, y), draws=DRAWS, seed=2)
    assert found.p[0] == pytest.approx(np.mean(reached), abs=5 * found.error[0])


@pytest.mark.parametrize("test", [hybrid_t, hybrid_w, permutation_w])
def test_neither_other_pairs_nor_blocks_change_a_p(test) -> None:
    pairs = _pairs()
    whole = test(pairs, draws=500, seed=4).p
    only = test(pairs.take(np.arange(len(pairs)) == 2), draws=500, seed=4).p
    assert only.tolist() == [whole[2]]
    with cut(Seams(resampled_cells=200)):
        assert test(pairs, draws=500, seed=4).p.tolist() == whole.tolist()


def test_nothing_but_zeros_is_p_1() -> None:
    pairs = Pairs.of_arrays([1.0, 2, 3], [1.0, 2, 3])
    for test in (hybrid_t, hybrid_w, permutation_w):
        assert test(pairs, draws=200).p.tolist() == [1.0]


def test_the_size_of_the_hybrid_tests_is_near_alpha() -> None:
    random = np.random.default_rng(8)
    x, y = random.normal(size=(2, 400, 20))
    for test in (hybrid_t, hybrid_w, permutation_w):
        share = (test(Pairs.of_rows(x, y), draws=500, seed=1).p <= 0.1).mean()
        assert 0.05 <= share <= 0.16, (test.__name__, share)


def test_wilcoxon_by_the_normal_distribution_is_scipys() -> None:
    pairs = _pairs()
    made = compare(table(pairs.scores), test="wilcoxon-normal", correction="none")
    assert set(made.families[0].result.methods) == {"normal"}
    for row, d in zip(made.rows(), pairs.differences, strict=True):
        own = stats.wilcoxon(d[d != 0], correction=False, mode="approx").pvalue
        assert row["p"] == pytest.approx(own, rel=1e-9)
    assert "p is normal" in made.methods


def _incomplete(seed: int = 1, m: int = 5, n: int = 14) -> np.ndarray:
    random = np.random.default_rng(seed)
    values = random.normal(size=(m, n)) + random.normal(size=n) * 2 + np.arange(m)[:, None] / 3
    values[random.random((m, n)) < 0.25] = np.nan
    return values


def test_tukey_kramer_is_least_squares_with_each_pairs_own_error() -> None:
    values = _incomplete()
    m, n = values.shape
    s, i = np.nonzero(~np.isnan(values))
    design = np.zeros((len(s), m + n - 1))
    design[np.arange(len(s)), s] = 1
    later = i > 0  # the first item is what the systems are measured on
    design[np.flatnonzero(later), m + i[later] - 1] = 1
    y = values[s, i]
    solution, squares, rank, _ = np.linalg.lstsq(design, y, rcond=None)
    freedom = len(y) - rank
    covariance = np.linalg.inv(design.T @ design) * squares[0] / freedom
    pairs = Pairs.of_matrix(values)
    found = tukey_kramer(pairs)
    assert found.centre is not None
    assert found.half_width is not None
    for k, (a, b) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        error = np.sqrt(covariance[a, a] + covariance[b, b] - 2 * covariance[a, b])
        q = abs(solution[a] - solution[b]) / error * np.sqrt(2)
        assert found.centre[k] == pytest.approx(solution[a] - solution[b], abs=1e-9)
        assert found.statistic[k] == pytest.approx(q, rel=1e-9)
        assert found.p[k] == pytest.approx(stats.studentized_range.sf(q, m, freedom), abs=1e-6)
        quantile = stats.studentized_range.ppf(0.95, m, freedom)
        assert found.half_width[k] == pytest.approx(quantile * error / np.sqrt(2), rel=1e-5)


def test_tukey_kramer_on_a_full_table_is_tukey() -> None:
    values = np.nan_to_num(_incomplete())
    one, other = tukey(Pairs.of_matrix(values)), tukey_kramer(Pairs.of_matrix(values))
    assert other.p == pytest.approx(one.p, abs=1e-12)
    assert other.half_width == pytest.approx(one.half_width, rel=1e-9)
    assert other.centre == pytest.approx(one.pairs.means, abs=1e-8)


def test_tukey_kramer_uses_every_item_and_shows_adjusted_differences() -> None:
    values = _incomplete()
    made = compare(table(values), test="tukey-kramer")
    assert not made.findings  # no item was left out
    for row in made.rows():
        assert row["low"] < row["difference"] < row["high"]
        assert row["significant"] == (not row["low"] <= 0 <= row["high"])
    apart = np.full((4, 6), np.nan)
    apart[:2, :3] = apart[2:, 3:] = np.arange(3)
    with pytest.raises(MismatchError, match="share no item"):
        tukey_kramer(Pairs.of_matrix(apart).take(np.array([True, *[False] * 4, True])))
