"""Correlations of rankings, against scipy, ircor's published examples and enumeration of ties."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as scipy_stats

from tare.errors import MismatchError, OptionError
from tare.stats import correlate, correlation, rbo
from tests.reference import statistics as reference

# The examples in the tests of the R package ircor (MIT), by the authors of τ_AP with ties.
FIRST = {
    "x": [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
    "y": [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
}
SECOND = {
    "x": [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
    "y": [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
}
THIRD = {
    "x": [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
    "y": [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
}


def named(values: list[float] | np.ndarray) -> dict[str, float]:
    return {f"s{k:02d}": float(v) for k, v in enumerate(values)}


def tied(values: list[float]) -> list[float]:
    return [round(v, 1) for v in values]


@pytest.mark.parametrize(
    ("data", "tau_ap", "tau_ap_ties", "tau_ap_b", "tau_ap_b_ties", "tau_b_ties"),
    [
        (FIRST, 0.8519, 0.7454, 0.8333, 0.7321, 0.9398),
        (SECOND, 0.2504, 0.2692, 0.2880, 0.297, 0.3765),
        (THIRD, -0.6971, -0.5558, -0.668, -0.7047, -0.6510),
    ],
)
def test_ircor_examples(  # type: ignore[no-untyped-def]
    data, tau_ap, tau_ap_ties, tau_ap_b, tau_ap_b_ties, tau_b_ties
) -> None:
    x, y = data["x"], data["y"]
    assert correlation(named(x), named(y), kind="tau_ap") == pytest.approx(tau_ap, abs=5e-5)
    assert correlation(named(x), named(tied(y)), kind="tau_ap") == pytest.approx(
        tau_ap_ties, abs=5e-5
    )
    assert correlation(named(x), named(y), kind="tau_ap_b") == pytest.approx(tau_ap_b, abs=5e-5)
    both = named(tied(x)), named(tied(y))
    assert correlation(*both, kind="tau_ap_b") == pytest.approx(tau_ap_b_ties, abs=5e-5)
    assert correlation(*both, kind="tau_b") == pytest.approx(tau_b_ties, abs=5e-5)


@pytest.mark.parametrize("seed", range(8))
def test_against_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 200))
    x = np.round(rng.random(n), 1 + seed % 3)
    y = np.round(x + rng.random(n) * 2, 1 + seed % 2)
    a, b = named(x), named(y)
    assert correlation(a, b, kind="pearson") == pytest.approx(scipy_stats.pearsonr(x, y).statistic)
    assert correlation(a, b, kind="spearman") == pytest.approx(
        scipy_stats.spearmanr(x, y).statistic
    )
    assert correlation(a, b, kind="tau_b") == pytest.approx(scipy_stats.kendalltau(x, y).statistic)
    pairs = n * (n - 1) / 2
    concordance = sum(
        np.sign(x[i] - x[j]) * np.sign(y[i] - y[j]) for i in range(n) for j in range(i)
    )
    assert correlation(a, b, kind="tau_a") == pytest.approx(concordance / pairs)


def test_goldens_of_eight_systems() -> None:
    x = list(range(8))
    one = [1, 0, 2, 3, 4, 5, 6, 7]
    three = [1, 0, 3, 2, 5, 4, 6, 7]
    assert correlation(named(x), named(one)) == pytest.approx(0.9286, abs=5e-5)
    assert correlation(named(x), named(three)) == pytest.approx(0.7857, abs=5e-5)


@pytest.mark.parametrize("seed", range(6))
def test_tau_ap_is_the_mean_over_orders_of_ties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.permutation(7).astype(float), rng.integers(0, 4, 7).astype(float)
    expected = reference.tau_ap_over_ties(x.tolist(), y.tolist())
    assert correlation(named(x), named(y), kind="tau_ap") == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(6))
def test_rbo_is_the_mean_over_orders_of_ties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 4, 6).astype(float), rng.integers(0, 4, 6).astype(float)
    for p in (0.5, 0.9):
        expected = reference.rbo_over_ties(x.tolist(), y.tolist(), p)
        assert rbo(named(x), named(y), p=p).ext == pytest.approx(expected)


def test_rbo_properties() -> None:
    x = named([5, 4, 3, 2, 1])
    same = rbo(x, x, p=0.8)
    assert same.ext == pytest.approx(1)
    assert same.min + same.res == pytest.approx(1)
    ties = named([3, 3, 2, 1, 1])
    assert rbo(ties, ties, p=0.8, ties="b").ext == pytest.approx(1)
    assert rbo(ties, ties, p=0.8, ties="w").ext == pytest.approx(1)
    assert rbo(ties, ties, p=0.8, ties="a").ext < 1
    apart = rbo({"a": 2.0, "b": 1.0}, {"c": 2.0, "d": 1.0}, p=0.9)
    assert apart.ext == apart.min == 0
    # The bounds hold for lists that go on: a longer pair lies between them.
    long_x, long_y = named([9, 8, 7, 6, 5, 4, 3]), named([8, 9, 6, 7, 5, 3, 4])
    short_x = {k: v for k, v in long_x.items() if v > 5}
    short_y = {k: v for k, v in long_y.items() if v > 5}
    seen = rbo(short_x, short_y, p=0.9)
    assert seen.min <= rbo(long_x, long_y, p=0.9).ext <= seen.min + seen.res + 1e-12
    uneven = rbo(short_x, long_y, p=0.9)
    assert uneven.min <= uneven.ext <= uneven.min + uneven.res + 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_rbo_bounds_are_reached_by_lists_that_go_on(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k, p, far = 6, 0.8, 400
    items = [f"d{j}" for j in range(9)]
    first = {items[j]: float(-r) for r, j in enumerate(rng.permutation(9)[:k])}
    second = {items[j]: float(-r) for r, j in enumerate(rng.permutation(9)[:k])}
    a, b = list(first), list(second)
    overlap = [len(set(a[:d]) & set(b[:d])) for d in range(1, k + 1)]
    least, most = list(overlap), list(overlap)
    for d in range(k + 1, far):
        least.append(overlap[-1])  # nothing new in common
        most.append(min(d, most[-1] + 2))  # each new item is one that the other list has
    depth = np.arange(1, far)
    weights = (1 - p) * p ** (depth - 1) / depth
    made = rbo(first, second, p=p)
    assert made.min == pytest.approx(float((weights * least).sum()))
    assert made.min + made.res == pytest.approx(float((weights * most).sum()))


@pytest.mark.parametrize("over", ["systems", "items", "both"])
@pytest.mark.parametrize("kind", ["pearson", "spearman", "tau_a", "tau_b", "tau_ap", "tau_ap_b"])
def test_intervals_hold_the_value_and_do_not_depend_on_threads(kind: str, over: str) -> None:
    rng = np.random.default_rng(1)
    truth = np.linspace(0, 1, 12)[:, None]
    x = truth + rng.normal(size=(12, 40)) * 0.5
    y = truth + rng.normal(size=(12, 40)) * 0.5
    made = [correlate(x, y, kind=kind, over=over, draws=500, threads=k) for k in (1, 3)]
    assert made[0] == made[1]
    assert made[0].low is not None
    assert made[0].high is not None
    assert made[0].low <= made[0].value <= made[0].high


def test_bootstrap_over_systems_against_a_loop_over_scipy() -> None:
    rng = np.random.default_rng(2)
    x = np.linspace(0, 1, 20)[:, None] + rng.normal(size=(20, 10))
    y = np.linspace(0, 1, 20)[:, None] + rng.normal(size=(20, 10))
    ours = correlate(x, y, over="systems", draws=4000)
    a, b = x.mean(axis=1), y.mean(axis=1)
    drawn = [
        scipy_stats.kendalltau(a[k], b[k]).statistic for k in rng.integers(0, 20, size=(2000, 20))
    ]
    assert (ours.low, ours.high) == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.04)


def test_what_cannot_be_correlated() -> None:
    x = named([1, 2, 3])
    with pytest.raises(MismatchError, match="in one ranking only"):
        correlation(x, {"s00": 1.0})
    assert np.isnan(correlation(x, named([1, 1, 1]), kind="tau_b"))
    made = correlate(np.random.default_rng(0).random((3, 5)), np.ones((3, 5)))
    assert "all systems tied" in made.note
    assert made.low is None
    with pytest.raises(OptionError, match="more than once"):
        correlate(np.ones((3, 5)), np.ones((3, 5)), kind="rbo", over="systems")
    with pytest.raises(MismatchError, match="not aligned"):
        correlate(np.ones((3, 5)), np.ones((1, 5)))
    with pytest.raises(MismatchError, match="at least 2"):
        correlate(np.ones((1, 5)), np.ones((1, 5)))
