"""The short versions of tests, certificates and intervals, against the printed values they must give.

The values were computed to ten digits from the definitions by another program.
"""

import math

import numpy as np
import pytest

from tests.reference import inference as obvious

LOSSES = (-0.3, -0.2, 0.1, 0.05, -0.1)
SYSTEMS = np.array(
    [
        [0.9, 0.8, 0.7, 0.6, 0.8, 0.9, 0.5, 0.7],
        [0.8, 0.8, 0.6, 0.5, 0.6, 0.9, 0.4, 0.5],
        [0.5, 0.6, 0.7, 0.3, 0.4, 0.5, 0.2, 0.6],
        [0.9, 0.8, 0.7, 0.6, 0.8, 0.8, 0.5, 0.7],
    ]
).T


def padded(differences, zeros):
    return np.r_[differences, np.zeros(zeros)]


def digits(places):
    return {"abs": 0.51 * 10**-places, "nan_ok": True}


@pytest.mark.parametrize(
    ("d", "p"),
    [
        (padded([-0.3, -0.2, -0.1, -0.4, -0.5], 15), 0.03125),
        (padded([-0.3, -0.2, 0.1, -0.4, -0.5, -0.25], 14), 0.03125),
        (padded([-0.5] * 4, 16), 0.0625),
        (np.zeros(20), 1.0),
        ([0.1, 0.2, -0.3, 0.4, -0.4], 0.5625),
        ([-0.4, -0.3, 0.1, 0.2, 0.4], 0.5625),
    ],
)
def test_losses(d, p):
    assert obvious.loss_p(d) == p


def test_detectable_losses():
    d = padded([-0.3, -0.2, 0.1, -0.4, -0.5, -0.25], 14)
    assert obvious.detectable(d) == pytest.approx(0.14327815, **digits(8))
    assert math.isnan(obvious.detectable(padded([-0.5] * 4, 16)))
    found = obvious.detectable(d, tolerance=0.3)
    z, v, size = 0.8416212335729143, np.mean((d - d.mean()) ** 2), 1.75 / 6
    assert found - 0.3 == pytest.approx(z * math.sqrt((v + size * found) / 20))


@pytest.mark.parametrize(
    ("d", "margin", "p"),
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
def test_certificates(d, margin, p):
    assert obvious.certificate_p(d, margin) == pytest.approx(p, **digits(10))


def test_bound_and_fewest_queries_of_a_certificate():
    found = obvious.certificate_bound(padded(LOSSES, 95))
    assert found == pytest.approx(-0.0347488894, **digits(10))
    assert [obvious.queries_to_certify(m) for m in (0.01, 0.02, 0.05, 0.1)] == [299, 149, 59, 29]
    assert [obvious.fewest(alpha) for alpha in (0.05, 0.01)] == [6, 8]
    assert obvious.changed_to_block() == 5


def test_pairs():
    found = obvious.max_t(obvious.all_pairs(SYSTEMS))
    assert (found.p * 128).tolist() == [6, 5, 128, 12, 20, 3]
    assert found.critical == pytest.approx(0.8087457990, **digits(10))
    assert found.critical_t == pytest.approx(3.63803438, **digits(8))
    low = [0.00276944, 0.06879999, np.nan, -0.06487715, -0.21497034, -0.43190172]
    high = [0.19723056, 0.45620001, np.nan, 0.38987715, 0.03997034, -0.06809828]
    assert found.low == pytest.approx(low, **digits(8))
    assert found.high == pytest.approx(high, **digits(8))
    few = obvious.max_t(obvious.all_pairs(SYSTEMS[:5]))
    assert few.p.min() == 0.125
    assert np.isnan(few.low).all()


def test_ranks():
    assert obvious.over_data_sets(SYSTEMS) == [(1, 2), (2, 4), (3, 4), (1, 3)]
    assert obvious.over_data_sets(SYSTEMS[:5]) == [(1, 4)] * 4


X = np.array([0.3, 0.1, 0.5, 0.0, 0.2, 0.6, -0.1, 0.4])
Y = np.array([0.9, 0.8, 0.9, 0.2, 0.5, 0.9, 0.4, 0.6])


def test_net():
    expected = (0.3846153846, 0.0923400509, 0.5977301634)
    assert obvious.net_interval(X, Y) == pytest.approx(expected, **digits(10))
    expected = (0.25, 0.0452175328, 0.4547824672)
    assert obvious.net_interval(X, np.ones(8)) == pytest.approx(expected, **digits(10))
    few = np.array([0.3, 0.1, 0.2]), np.array([5, 0.1, 0.1])
    assert np.isnan(obvious.net_interval(*few)[1:]).all()
    assert np.isnan(obvious.net_interval(X, Y, gross=np.arange(8) > 2)[1:]).all()


def test_difference_of_two_nets():
    gap = np.array([0.1, -0.05, 0.1, 0.2, 0.1, 0.3, 0.15, 0.4])
    found = obvious.max_t(gap[:, None])
    assert found.p * 128 == 2
    assert found.critical == pytest.approx(0.6621221920, **digits(10))
    ends = (found.low[0], found.high[0])
    assert ends == pytest.approx((0.0482572265, 0.2767427735), **digits(10))
    expected = (0.25, 0.0687143255, 0.5200642675)
    assert obvious.fieller(gap, Y, found.critical) == pytest.approx(expected, **digits(10))


def test_clusters():
    sums = np.array([1.2, 0.4, 3, 0.9, 0, 2.5])
    sizes = np.array([3, 2, 5, 2, 1, 4.0])
    rows = np.repeat(sums / sizes, sizes.astype(int))
    found = obvious.mean_interval(rows, np.repeat(np.arange(6), sizes.astype(int)))
    expected = (0.4705882353, 0.27198251, 0.67896540, 0.0794139900, 3.89830508)
    for value, known, places in zip(found, expected, (10, 8, 8, 8, 8), strict=True):
        assert value == pytest.approx(known, **digits(places))
    sums = np.array([-0.4, -0.2, 0, -0.9, 0.1, -0.3, -0.6, -0.1])
    sizes = np.array([3, 2, 1, 5, 2, 2, 4, 1.0])
    two = obvious.max_t(sums[:, None], sizes=sizes)
    assert two.p[0] == 0.046875
    assert obvious.loss_p(sums) == 0.0234375
    assert two.critical == pytest.approx(0.639362013, **digits(9))
    assert sums.sum() / sizes.sum() == pytest.approx(-0.12)
    expected = (-0.1655949859, -0.0291329053)
    assert (two.low[0], two.high[0]) == pytest.approx(expected, **digits(10))


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        ([1] + [0] * 29, (0.00542811, 0.17889230)),
        ([0] * 10, (0, 0.33850862)),
        ([0.9, 0.8, 1, 0.7, 0.95, 1, 0.85, 1], (0.77095868, 0.96010213)),
    ],
)
def test_bounded_means(values, ends):
    assert obvious.mean_interval(values)[1:3] == pytest.approx(ends, **digits(8))


def table(text):
    return np.array([[float(v) for v in row.split()] for row in text.split("/")])


def test_two_measures_against_people():
    people = table(".9 .7 .8 .6/.6 .8 .5 .7/.5 .4 .6 .5/.3 .5 .4 .2/.2 .3 .1 .4")
    first = table(".8 .6 .9 .5/.7 .7 .6 .6/.4 .5 .5 .7/.3 .4 .2 .3/.1 .2 .3 .2")
    second = table(".5 .9 .4 .7/.8 .3 .7 .5/.6 .5 .9 .3/.2 .6 .1 .8/.4 .1 .5 .6")
    counts, p_counts, r, p_r = obvious.opposite(people, first, second)
    assert counts == (15, 4, 0)
    assert r == pytest.approx([0.9876364192, 0.9490707530], **digits(10))
    assert (p_counts, p_r) == (0.125, 0.6875)


def test_tau_interval():
    assert obvious.tau_interval(0.9, np.array([0.7, 0.8, 0.9])) == pytest.approx((0.704, 1.0))
