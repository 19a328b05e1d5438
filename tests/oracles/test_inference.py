"""Flips, certification and intervals, against values that a second program computed.

The values were computed to ten digits from the formulas alone, without this code: exact enumeration
for flips, quadrature for the certificate, closed forms for the intervals.
"""

import numpy as np
import pytest

from tare.stats import (
    certify,
    exchange_test,
    flip_test,
    loss_test,
    max_t,
    mean_interval,
    queries_to_certify,
    ratio_interval,
    win_test,
)

SYSTEMS = np.array(
    [
        [0.9, 0.8, 0.7, 0.6, 0.8, 0.9, 0.5, 0.7],
        [0.8, 0.8, 0.6, 0.5, 0.6, 0.9, 0.4, 0.5],
        [0.5, 0.6, 0.7, 0.3, 0.4, 0.5, 0.2, 0.6],
        [0.9, 0.8, 0.7, 0.6, 0.8, 0.8, 0.5, 0.7],
    ]
).T
LOSSES = (-0.3, -0.2, 0.1, 0.05, -0.1)


def padded(differences, zeros):
    return np.r_[differences, np.zeros(zeros)]


def expanded(sums, sizes):
    """Rows of clusters with these totals and sizes."""
    rows = np.concatenate([np.full(n, s / n) for s, n in zip(sums, sizes, strict=True)])
    return rows, np.repeat(np.arange(len(sizes)), sizes)


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        (padded([-0.3, -0.2, -0.1, -0.4, -0.5], 15), 0.03125),
        (padded([-0.3, -0.2, 0.1, -0.4, -0.5, -0.25], 14), 0.03125),
        (padded([-0.5] * 4, 16), 0.0625),
        (np.zeros(20), 1.0),
        ([0.1, 0.2, -0.3, 0.4, -0.4], 0.5625),
        ([-0.4, -0.3, 0.1, 0.2, 0.4], 0.5625),
        ([0.4, -0.4, 0.2, 0.1, -0.3], 0.5625),
    ],
)
def test_loss(differences, p):
    assert loss_test(differences).pvalue == p


def test_detectable_loss():
    found = loss_test(padded([-0.3, -0.2, 0.1, -0.4, -0.5, -0.25], 14))
    assert found.detectable == pytest.approx(0.14327815, abs=5e-9)
    assert np.isnan(loss_test(padded([-0.5] * 4, 16)).detectable)


@pytest.mark.parametrize(
    ("differences", "margin", "p"),
    [
        (np.zeros(50), 0.02, 0.3641696801),
        (np.zeros(59), 0.05, 0.0484945252),
        (np.zeros(58), 0.05, 0.0510468687),
        (padded([-1, -1], 98), 0.1, 0.0019448847),
        (padded(LOSSES, 95), 0.05, 0.0101706186),
        (padded(LOSSES, 95), 0.02, 0.226585506),
        (LOSSES, 0.3, 0.2887205387),
    ],
)
def test_certificate(differences, margin, p):
    found = certify(differences, margin)
    assert found.pvalue == pytest.approx(p, abs=5e-11)
    assert found.certified == (p <= 0.05)


def test_bound_of_the_certificate():
    assert certify(padded(LOSSES, 95), 0.05).bound == pytest.approx(-0.0347488894, abs=5e-11)
    assert [queries_to_certify(m) for m in (0.01, 0.02, 0.05, 0.1)] == [299, 149, 59, 29]


@pytest.mark.parametrize("k", [0, 1, 2, 5])
@pytest.mark.parametrize("n", [10, 40, 200])
def test_certificate_of_two_values_is_the_binomial_test(n, k):
    from scipy.stats import binom

    for margin in (0.05, 0.1, 0.3):
        found = certify(padded([-1.0] * k, n - k), margin)
        assert found.pvalue == pytest.approx(binom.cdf(k, n, margin), abs=1e-10)


def test_all_pairs():
    found = max_t(SYSTEMS)
    assert (found.p * 128).tolist() == [6, 5, 128, 12, 20, 3]
    assert found.exact
    assert found.critical == pytest.approx(0.8087457990, abs=5e-11)
    assert found.critical_t == pytest.approx(3.63803438, abs=5e-9)
    nan = float("nan")
    ends = [
        (0.00276944, 0.19723056),
        (0.06879999, 0.45620001),
        (nan, nan),
        (-0.06487715, 0.38987715),
        (-0.21497034, 0.03997034),
        (-0.43190172, -0.06809828),
    ]
    shown = np.stack([found.low, found.high], axis=1)
    assert shown == pytest.approx(np.array(ends), abs=5e-9, nan_ok=True)
    few = max_t(SYSTEMS[:5])
    assert few.p.min() == 0.125
    assert np.isnan(few.low).all()


X = np.array([0.3, 0.1, 0.5, 0.0, 0.2, 0.6, -0.1, 0.4])
Y = np.array([0.9, 0.8, 0.9, 0.2, 0.5, 0.9, 0.4, 0.6])


def test_ratio_of_means():
    expected = (0.3846153846, 0.0923400509, 0.5977301634)
    assert ratio_interval(X, Y) == pytest.approx(expected, abs=5e-11)
    expected = (0.25, 0.0452175328, 0.4547824672)
    assert ratio_interval(X, np.ones(8)) == pytest.approx(expected, abs=5e-11)
    assert np.isnan(ratio_interval([0.3, 0.1, 0.2], [5, 0.1, 0.1])[1:]).all()


def test_difference_of_two_ratios():
    gap = np.array([0.1, -0.05, 0.1, 0.2, 0.1, 0.3, 0.15, 0.4])
    found = max_t(np.stack([gap, np.zeros(8)], axis=1))
    assert found.p * 128 == [2]
    assert found.critical == pytest.approx(0.6621221920, abs=5e-11)
    assert (found.low[0], found.high[0]) == pytest.approx((0.0482572265, 0.2767427735), abs=5e-11)
    from tare.stats._intervals import ratio_ends

    assert gap.sum() / Y.sum() == pytest.approx(0.25)
    ends = (0.0687143255, 0.5200642675)
    assert ratio_ends(gap, Y, found.critical) == pytest.approx(ends, abs=5e-11)


def test_clusters():
    rows, clusters = expanded([1.2, 0.4, 3, 0.9, 0, 2.5], [3, 2, 5, 2, 1, 4])
    found = mean_interval(rows, clusters=clusters)
    expected = (0.4705882353, 0.27198251, 0.67896540, 0.0794139900, 3.89830508)
    assert found == pytest.approx(expected, abs=5e-9)
    sums = [-0.4, -0.2, 0, -0.9, 0.1, -0.3, -0.6, -0.1]
    rows, clusters = expanded(sums, [3, 2, 1, 5, 2, 2, 4, 1])
    two = flip_test(rows, np.zeros(len(rows)), clusters=clusters)
    assert two.pvalue == 0.046875
    expected = (-0.12, -0.1655949859, -0.0291329053)
    assert (two.difference, two.low, two.high) == pytest.approx(expected, abs=5e-11)
    assert loss_test(rows, clusters=clusters).pvalue == 0.0234375


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        ([1] + [0] * 29, (0.00542811, 0.17889230)),
        ([0] * 10, (0, 0.33850862)),
        ([0.9, 0.8, 1, 0.7, 0.95, 1, 0.85, 1], (0.77095868, 0.96010213)),
    ],
)
def test_bounded_means(values, ends):
    found = mean_interval(values)
    assert (found.low, found.high) == pytest.approx(ends, abs=5e-9)


def test_a_single_unit_has_no_interval():
    assert np.isnan(mean_interval([0.5])[1:]).all()
    assert np.isnan(mean_interval([0.5, 0.7], clusters=["a", "a"])[1:]).all()


def test_thousands_of_units_that_differ():
    d = np.where(np.arange(2000) % 3 == 0, -0.1, 0.1)
    assert max_t(np.stack([d, np.zeros(2000)], axis=1)).p.tolist() == [1 / 10_001]
    assert loss_test(-d).pvalue == 1 / 10_001


# Two measures and people: rows are systems.
PEOPLE, FIRST, SECOND = (
    np.array([[float(v) for v in row.split()] for row in rows.split("/")])
    for rows in (
        ".9 .7 .8 .6/.6 .8 .5 .7/.5 .4 .6 .5/.3 .5 .4 .2/.2 .3 .1 .4",
        ".8 .6 .9 .5/.7 .7 .6 .6/.4 .5 .5 .7/.3 .4 .2 .3/.1 .2 .3 .2",
        ".5 .9 .4 .7/.8 .3 .7 .5/.6 .5 .9 .3/.2 .6 .1 .8/.4 .1 .5 .6",
    )
)


def test_wins_of_two_measures():
    found = win_test(FIRST, SECOND, PEOPLE)
    assert (found.wins, found.losses, found.ties, found.pairs) == (15, 4, 0, 40)
    assert (found.pvalue, found.exact) == (0.125, True)


def test_correlations_of_two_measures():
    found = exchange_test(FIRST, SECOND, PEOPLE)
    assert found.first == pytest.approx(0.9876364192, abs=5e-11)
    assert found.second == pytest.approx(0.9490707530, abs=5e-11)
    assert found.difference == pytest.approx(0.9876364192 - 0.9490707530, abs=1e-10)
    assert (found.pvalue, found.exact) == (0.6875, True)
