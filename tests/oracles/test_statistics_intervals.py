"""Intervals, against scipy, arch, a plain BCa and their own coverage."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as scipy_stats

from tare._kernels import bootstrap_means
from tare.errors import MismatchError, OptionError
from tare.stats import interval, mean_intervals
from tests.reference import statistics as reference

SAMPLE = np.random.default_rng(3).gamma(1.5, size=40)


def test_t_against_scipy() -> None:
    theirs = scipy_stats.ttest_1samp(SAMPLE, 0).confidence_interval(0.9)
    assert mean_intervals(SAMPLE, method="t", confidence=0.9)[0] == pytest.approx(tuple(theirs))
    # The jackknife's standard error of a mean is the usual one.
    assert interval(SAMPLE, lambda x: float(x.mean()), method="t", confidence=0.9) == pytest.approx(
        tuple(theirs)
    )


@pytest.mark.parametrize(("method", "name"), [("percentile", "percentile"), ("bca", "BCa")])
def test_bootstrap_against_scipy(method: str, name: str) -> None:
    theirs = scipy_stats.bootstrap(
        (SAMPLE,), np.mean, method=name, n_resamples=40_000, rng=np.random.default_rng(0)
    ).confidence_interval
    ours = mean_intervals(SAMPLE, method=method, draws=40_000)[0]
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.02)
    any_statistic = interval(SAMPLE, lambda x: float(x.mean()), method=method, draws=20_000)
    assert any_statistic == pytest.approx((theirs.low, theirs.high), abs=0.02)


def test_bca_is_efrons_on_the_same_draws() -> None:
    drawn = bootstrap_means(SAMPLE[None, :], 5000, 9)[0]
    expected = reference.bca(SAMPLE, drawn, 0.95)
    assert mean_intervals(SAMPLE, method="bca", draws=5000, seed=9)[0] == pytest.approx(expected)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("method", "name"), [("bca", "bca"), ("studentised", "studentized")])
def test_bootstrap_against_arch(method: str, name: str) -> None:
    bootstrap = pytest.importorskip("arch.bootstrap", reason="arch is not installed")
    sampler = bootstrap.IIDBootstrap(SAMPLE, seed=np.random.default_rng(1))
    options = (
        {"std_err_func": lambda mu, x: np.atleast_2d(x.var(ddof=1) / len(x)) ** 0.5}
        if name == "studentized"
        else {}
    )
    theirs = sampler.conf_int(
        lambda x: np.atleast_1d(x.mean()), reps=10_000, method=name, **options
    ).ravel()
    ours = mean_intervals(SAMPLE, method=method, draws=40_000)[0]
    assert ours == pytest.approx(theirs, abs=0.03)


@pytest.mark.parametrize("method", ["t", "percentile", "bca", "studentised"])
def test_intervals_cover(method: str) -> None:
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(1500, 30))
    ends = mean_intervals(rows, method=method, draws=1000)
    covered = ((ends[:, 0] <= 0) & (ends[:, 1] >= 0)).mean()
    assert covered == pytest.approx(0.95, abs=0.025)


def test_studentised_covers_skewed_data_better_than_percentile() -> None:
    rng = np.random.default_rng(5)
    rows = rng.lognormal(sigma=1, size=(1500, 20))
    truth = np.exp(0.5)
    rates = {}
    for method in ("percentile", "studentised"):
        ends = mean_intervals(rows, method=method, draws=1000)
        rates[method] = ((ends[:, 0] <= truth) & (ends[:, 1] >= truth)).mean()
    assert rates["studentised"] > rates["percentile"] + 0.03


def test_missing_cells_and_no_spread() -> None:
    rows = np.array([[1.0, 2.0, np.nan, 4.0], [3.0, 3.0, 3.0, 3.0], [5.0, np.nan, np.nan, np.nan]])
    for method in ("t", "percentile", "bca", "studentised"):
        ends = mean_intervals(rows, method=method, draws=500)
        assert ends[0, 0] < 7 / 3 < ends[0, 1]
        assert ends[1].tolist() == [3.0, 3.0]
        assert np.isnan(ends[2]).all()
        same = mean_intervals(rows, method=method, draws=500, threads=3)
        assert np.array_equal(ends, same, equal_nan=True)


def test_any_statistic_and_bad_input() -> None:
    low, high = interval(SAMPLE, lambda x: float(np.median(x)), draws=2000)
    assert low <= np.median(SAMPLE) <= high
    low, high = interval(SAMPLE[:12], lambda x: float(x.mean()), method="studentised", draws=2000)
    assert low < SAMPLE[:12].mean() < high
    with pytest.raises(MismatchError, match="at least 2"):
        interval([1.0], np.mean)
    with pytest.raises(OptionError, match="confidence"):
        mean_intervals(SAMPLE, confidence=95)
