"""Non-inferiority: bounds and p-values against scipy, verdicts, and error rates by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as oracle

from tare._decide.gate.gate import level_of_look
from tare.errors import MismatchError, OptionError
from tare.stats._non_inferiority import non_inferiority, verdicts


@pytest.mark.parametrize("n", [2, 3, 20, 1000])
def test_bounds_and_p_are_those_of_the_one_sided_t_test(n):
    d = np.random.default_rng(n).normal(-0.01, 0.1, n)
    found = non_inferiority(d, 0.02, alpha=0.05)
    expected = oracle.ttest_1samp(d, 0, alternative="less")
    assert found.p == pytest.approx(expected.pvalue, abs=1e-12)
    assert found.high == pytest.approx(expected.confidence_interval(0.95).high, abs=1e-12)
    other = oracle.ttest_1samp(d, 0, alternative="greater")
    assert found.low == pytest.approx(other.confidence_interval(0.95).low, abs=1e-12)


def test_verdicts_by_bounds_and_margin():
    same = non_inferiority([0.001, -0.001] * 50, 0.02)
    worse = non_inferiority([-0.11, -0.09] * 50, 0.02)
    unclear = non_inferiority([0.3, -0.3] * 5, 0.02)
    assert verdicts([same, worse, unclear]) == ["not worse", "worse", "cannot tell"]


def test_a_small_significant_loss_within_the_margin_passes():
    found = non_inferiority([-0.006, -0.004] * 50, 0.02)
    assert found.high < 0
    assert verdicts([found]) == ["not worse"]


def test_worse_is_corrected_over_measures_and_not_worse_is_not():
    d = np.array([-0.1, -0.1, 0.02, -0.1, 0.03, -0.03, -0.05, 0.01])
    one = non_inferiority(d, 0.005)
    assert 0.025 < one.p < 0.05
    assert verdicts([one]) == ["worse"]
    assert verdicts([one, non_inferiority([0.3, -0.3] * 4, 0.005)])[0] == "cannot tell"


def test_the_number_of_queries_that_would_do():
    d = np.array([0.1, -0.1, 0.08, -0.08, 0.0])
    found = non_inferiority(d, 0.02)
    z = oracle.norm.ppf(0.95) + oracle.norm.ppf(0.8)
    assert found.items_needed == math.ceil((z * d.std(ddof=1) / 0.02) ** 2)
    assert non_inferiority(d - 0.05, 0.02).items_needed is None


def test_equal_differences_have_no_spread():
    assert non_inferiority([0.0] * 5, 0.01).low == 0
    found = non_inferiority([-0.05] * 6, 0.01)
    assert (found.low, found.high, found.p) == pytest.approx((-0.05, -0.05, 0.5**6))


def test_what_is_refused():
    with pytest.raises(OptionError, match="not positive"):
        non_inferiority([0.1, 0.2], 0.0)
    with pytest.raises(OptionError, match="alpha"):
        non_inferiority([0.1, 0.2], 0.1, alpha=0.7)
    with pytest.raises(MismatchError, match="at least 2"):
        non_inferiority([0.1, float("nan")], 0.1)


def _rates(n: int, worlds: int, shift: float, margin: float, alpha: float, seed: int):
    """Return the shares of "worse" and of "not worse" over simulated experiments."""
    rng = np.random.default_rng(seed)
    # Symmetric differences with many zeros, as those of two similar rankings.
    d = (
        rng.normal(shift, 0.15, (worlds, n))
        if shift
        else (rng.normal(0, 0.15, (worlds, n)) * (rng.random((worlds, n)) < 0.6))
    )
    found = [verdicts([non_inferiority(row, margin, alpha=alpha)])[0] for row in d]
    return found.count("worse") / worlds, found.count("not worse") / worlds


@pytest.mark.parametrize("n", [20, 50, 200])
def test_error_rates(n):
    worlds, alpha = 1000, 0.05
    limit = alpha + 3 * math.sqrt(alpha * (1 - alpha) / worlds)
    assert _rates(n, worlds, 0.0, 0.02, alpha, 2 * n)[0] <= limit
    assert _rates(n, worlds, -0.02, 0.02, alpha, n + 1)[1] <= limit


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 50, 200, 1000])
def test_error_rates_in_many_worlds(n):
    worlds, alpha = 10_000, 0.05
    limit = alpha + 3 * math.sqrt(alpha * (1 - alpha) / worlds)
    false_worse = _rates(n, worlds, 0.0, 0.02, alpha, n)[0]
    false_pass = _rates(n, worlds, -0.02, 0.02, alpha, n + 1)[1]
    print(f"n = {n}: false worse {false_worse:.4f}, false not worse {false_pass:.4f}")
    assert false_worse <= limit
    assert false_pass <= limit


def test_power_is_what_the_number_of_queries_promises():
    pilot = non_inferiority(np.random.default_rng(0).normal(0, 0.15, 60), 0.03)
    n = pilot.items_needed
    assert n is not None
    rng = np.random.default_rng(1)
    rows = rng.normal(0, pilot.deviation, (1000, n))
    passed = sum(verdicts([non_inferiority(row, 0.03)]) == ["not worse"] for row in rows) / 1000
    assert passed == pytest.approx(0.8, abs=0.04)


@pytest.mark.parametrize("looks", [None, 100])
def test_levels_of_many_looks_add_up_to_alpha(looks):
    levels = [level_of_look(0.05, look, looks) for look in range(1, 101)]
    assert sum(levels) <= 0.05 + 1e-12


def _alarms(worlds: int, n: int, looks: int | None, seed: int) -> float:
    """Return the share of histories of 100 unchanged candidates with a false alarm."""
    rng = np.random.default_rng(seed)
    alarms = 0
    for _ in range(worlds):
        d = rng.normal(0, 0.15, (100, n))
        t = d.mean(axis=1) / (d.std(axis=1, ddof=1) / math.sqrt(n))
        for look in np.flatnonzero(t < -1.5):  # others are far from every level
            level = level_of_look(0.05, int(look) + 1, looks)
            if verdicts([non_inferiority(d[look], 0.001, alpha=level)]) == ["worse"]:
                alarms += 1
                break
    return alarms / worlds


@pytest.mark.parametrize("looks", [None, 100])
def test_a_hundred_looks_keep_alpha(looks):
    worlds = 200
    assert _alarms(worlds, 50, looks, 5) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / worlds)


@pytest.mark.slow
@pytest.mark.parametrize("looks", [None, 100])
def test_a_hundred_looks_keep_alpha_in_many_worlds(looks):
    worlds = 10_000
    found = _alarms(worlds, 50, looks, 6)
    print(f"100 looks, planned {looks}: false alarms {found:.4f}")
    assert found <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / worlds)
