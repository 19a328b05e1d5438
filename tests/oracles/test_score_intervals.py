"""Intervals of means, against values that a second program computed, and against scipy and statsmodels."""

import numpy as np
import pytest
import scipy.stats
from statsmodels.stats.proportion import proportion_confint

import tare
from tare._measures.aggregation import PARTS, Ratio
from tare._signature import Signature


def table(values, measure="AP", **more):
    """One system with these values."""
    values = np.asarray(values, dtype=float)
    items = tuple(f"q{k:03d}" for k in range(len(values)))
    return tare.Scores(
        ("a",), items, (measure,), values[None, :, None], (Signature(str(measure), ()),), **more
    )


def net(gross, tare_, ideal):
    """A table of one net score."""
    parts = [np.asarray([part], dtype=float) for part in (gross, tare_, ideal)]
    ratio = Ratio(*parts)
    measure = tare.parse("Net(P@5, pool=judged)")
    return table(
        ratio.values()[0], measure, columns={measure: dict(zip(PARTS, ratio.parts, strict=True))}
    )


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        ([1] + [0] * 29, (0.00542811, 0.17889230)),
        ([0] * 10, (0, 0.33850862)),
        ([0.9, 0.8, 1, 0.7, 0.95, 1, 0.85, 1], (0.77095868, 0.96010213)),
    ],
)
def test_bounded_means(values, ends):
    assert table(values).intervals()[0, 0] == pytest.approx(ends, abs=5e-9)
    # V2 lies between -1 and 1: the same interval on another scale.
    stretched = table(2 * np.array(values) - 1, "V2(AP, pool=judged)").intervals()[0, 0]
    assert stretched == pytest.approx(2 * np.array(ends) - 1, abs=2e-8)
    ratings = table(1 + 4 * np.array(values), "rating", range=(1, 5)).intervals()[0, 0]
    assert ratings == pytest.approx(1 + 4 * np.array(ends), abs=4e-8)


def test_the_interval_of_binary_values_is_wilson_s_with_t():
    values = [1] * 7 + [0] * 33
    p = 7 / 40
    t = scipy.stats.t.ppf(0.975, 39)
    # SE² = p(1 − p)/(n − 1): Wilson's interval for n − 1 with t in place of z
    level = 2 * scipy.stats.norm.cdf(t) - 1
    expected = proportion_confint(p * 39, 39, alpha=1 - level, method="wilson")
    assert table(values).intervals()[0, 0] == pytest.approx(expected, abs=1e-12)


def test_clusters_of_a_mean():
    sums, sizes = [1.2, 0.4, 3, 0.9, 0, 2.5], [3, 2, 5, 2, 1, 4]
    values = np.concatenate([np.full(n, s / n) for s, n in zip(sums, sizes, strict=True)])
    scores = table(values)
    session = dict(zip(scores.items, np.repeat(list("abcdef"), sizes), strict=True))
    found = scores.clustered(session)
    assert found.means()["a"]["AP"] == pytest.approx(0.4705882353, abs=5e-11)
    assert found.intervals()[0, 0] == pytest.approx((0.27198251, 0.67896540), abs=5e-9)
    assert "cluster:cluster" in str(found.signatures[0])


def test_net_has_fieller_s_interval():
    x = np.array([0.3, 0.1, 0.5, 0.0, 0.2, 0.6, -0.1, 0.4])
    y = np.array([0.9, 0.8, 0.9, 0.2, 0.5, 0.9, 0.4, 0.6])
    scores = net(x + 1 - y, 1 - y, np.ones(8))
    assert scores.means()["a"][scores.measure_names[0]] == pytest.approx(0.3846153846, abs=5e-11)
    ends = scores.intervals()[0, 0]
    assert ends == pytest.approx((0.0923400509, 0.5977301634), abs=5e-11)
    constant = net(x + 1, np.ones(8), np.full(8, 2.0)).intervals()[0, 0]
    student = scipy.stats.t.interval(0.95, 7, x.mean(), scipy.stats.sem(x))
    assert constant == pytest.approx((0.0452175328, 0.4547824672), abs=5e-11)
    assert constant == pytest.approx(student, abs=1e-12)


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        (([5.3, 0.2, 0.3] * 2, [5, 0.1, 0.1] * 2, [105, 0.2, 0.2] * 2), "a few queries carry most"),
        (([0.5, 0.5, 0.5, 0.5, 0.5, 0], [0.1] * 6, [1] * 6), "fewer than 6 queries with a score"),
        (([0.5], [0.1], [1]), "only 1 query"),
        (([1] * 8, [0.2] * 8, [1] * 8), "all values are alike"),
    ],
)
def test_where_net_has_no_interval_the_table_says_why(parts, reason):
    scores = net(*parts)
    if reason.startswith("a few"):
        # one query has nearly all the room
        scores = net([5.3, *[0.2] * 7], [0, *[0.1] * 7], [50, *[0.2] * 7])
    assert np.isnan(scores.intervals()).all()
    assert f"no interval for a: {reason}" in str(scores.table())
    assert "–" in str(scores.table())


def test_other_means_have_student_s_interval_inside_their_range():
    values = [0.5, 1, 7, 3, 0.1, 2]
    expected = scipy.stats.t.interval(0.95, 5, np.mean(values), scipy.stats.sem(values))
    low, high = table(values, "DCG@5").intervals()[0, 0]
    assert (low, high) == pytest.approx((max(expected[0], 0), expected[1]), rel=1e-12)
    assert table(values, "rating").intervals()[0, 0] == pytest.approx(expected, rel=1e-12)
    logs = np.log([0.5, 0.2, 0.9, 0.4, 0.3])
    low, high = table(np.exp(logs), "GMAP").intervals()[0, 0]
    assert 1e-5 < low < np.exp(logs.mean()) < high < 1


def test_clusters_of_a_mean_without_a_range():
    sums = np.array([-0.4, -0.2, 0, -0.9, 0.1, -0.3, -0.6, -0.1])
    sizes = np.array([3, 2, 1, 5, 2, 2, 4, 1])
    values = np.repeat(sums / sizes, sizes)
    scores = table(values, "rating")
    ids = dict(zip(scores.items, np.repeat(range(8), sizes).tolist(), strict=True))
    low, high = scores.clustered(ids).intervals()[0, 0]
    t = scipy.stats.t.ppf(0.975, 7)
    for end in (low, high):  # every end is just rejected: |t| of S − θn is the quantile
        rest = sums - end * sizes
        assert abs(scipy.stats.ttest_1samp(rest, 0).statistic) == pytest.approx(t, rel=1e-9)


@pytest.mark.parametrize("measure", ["AP", "rating", "DCG@5", "GMAP", "NumRelRet"])
def test_no_interval_of_one_item_of_equal_values_or_of_none(measure):
    for values in ([0.3], [np.nan, 0.3], [np.nan] * 3):
        scores = table(values, measure)
        assert np.isnan(scores.intervals()).all()
        str(scores)
    ends = table([0.7] * 10, measure).intervals()[0, 0]
    assert np.isnan(ends).all() or ends[1] - ends[0] > 0.1


def test_clusters_of_one_item_change_nothing():
    rng = np.random.default_rng(1)
    names = ("AP", "rating", "DCG@5", "GMAP")
    values = rng.random((2, 12, 4))
    values[0, 3] = np.nan
    items = tuple(f"q{k:02d}" for k in range(12))
    scores = tare.Scores(("a", "b"), items, names, values, tuple(Signature(n, ()) for n in names))
    alone = scores.clustered({item: item for item in items})
    np.testing.assert_allclose(alone.intervals(), scores.intervals(), rtol=0, atol=1e-12)
    one = scores.clustered(dict.fromkeys(items, "all"))
    assert np.isnan(one.intervals()).all()
    assert "only 1 cluster" in str(one["AP"].table())


def test_values_outside_the_range_have_no_interval():
    scores = table([45.2, 60.1, 12.0])
    assert np.isnan(scores.intervals()).all()
    assert "values outside 0 to 1" in str(scores.table())


@pytest.mark.parametrize(
    ("draw", "truth", "n"),
    [
        (lambda g, n: (g.random(n) < 0.05).astype(float), 0.05, 30),
        (lambda g, n: np.where(g.random(n) < 0.8, 0, g.beta(2, 2, n)), 0.1, 20),
        (lambda g, n: g.beta(0.5, 3, n), 1 / 7, 20),
    ],
    ids=["binary", "zeros", "AP-like"],
)
def test_coverage_of_bounded_means(draw, truth, n):
    rng = np.random.default_rng(5)
    values = np.stack([draw(rng, n) for _ in range(3000)])
    names = tuple(f"s{k}" for k in range(3000))
    items = tuple(f"q{k:02d}" for k in range(n))
    scores = tare.Scores(names, items, ("AP",), values[:, :, None], (Signature("AP", ()),))
    low, high = scores.intervals()[:, 0].T
    assert 0.92 <= ((low <= truth) & (truth <= high)).mean() <= 0.985
