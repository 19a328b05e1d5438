"""What a comparison by flips must obey, whatever the scores."""

import itertools

import numpy as np
import pytest

import tare
from tare._measures.aggregation import PARTS, Ratio
from tare._signature import Signature
from tare.stats._flips import permutation
from tare.stats._paired_differences import Pairs


def table(values, measure="rating"):
    """A score table of systems × items."""
    values = np.asarray(values, dtype=float)
    names = [
        tuple(f"{x}{k:03d}" for k in range(n)) for x, n in zip("sq", values.shape, strict=True)
    ]
    return tare.Scores(*names, (measure,), values[:, :, None], (Signature(measure, ()),))


def plain(values, clusters=None):
    """p of all pairs by all sign patterns, over the family and alone, written as simply as possible."""
    if clusters is not None:
        values = np.stack(
            [values[:, clusters == c].sum(axis=1) for c in np.unique(clusters)], axis=1
        )
    pairs = list(itertools.combinations(range(len(values)), 2))
    d = np.array([values[a] - values[b] for a, b in pairs])
    length = np.sqrt(values.shape[1] * (d * d).sum(axis=1))
    length[length == 0] = np.inf
    signs = np.array(list(itertools.product([1, -1], repeat=values.shape[1])))
    u = np.abs(signs @ d.T) / length
    seen = np.abs(d.sum(axis=1)) / length
    family = (u.max(axis=1)[:, None] >= seen - 1e-9).mean(axis=0)
    return family, (u >= seen - 1e-9).mean(axis=0)


def column(found, name):
    return np.array([row[name] for row in found.rows()], dtype=float)


@pytest.mark.parametrize("size", [1e-8, 1e-6, 1e-4, 1e-2, 1])
def test_p_counts_the_observed_pattern(size):
    """Small differences of long decimals: p is never 0, and equals a plain enumeration."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        first = rng.random(int(rng.integers(6, 10)))
        values = np.stack([first, *(first - size * rng.random((2, len(first))))])
        found = tare.compare(table(values))
        family, alone = plain(values)
        assert column(found, "p_adjusted") == pytest.approx(family, abs=1e-12)
        assert column(found, "p") == pytest.approx(alone, abs=1e-12)


def test_coarse_digits_make_ties():
    values = np.array([[0.501, 0.602, 0.7, 0.9, 0.4, 0.35], [0.5, 0.6, 0.5, 0.4, 0.3, 0.3]])
    found = tare.compare(table(values), digits=2)
    rounded = np.round(values[:1] - values[1:], 2)
    assert column(found, "p") == plain(np.vstack([rounded, np.zeros(6)]))[1]


def test_an_interval_excludes_0_exactly_if_p_is_at_most_alpha_on_10_000_tables():
    """Small tables with ties, zeros, shared rows and long decimals; a pair has either no interval or an honest one."""
    rng = np.random.default_rng(0)
    intervals = wrong = 0
    for k in range(10_000):
        n, systems = int(rng.integers(2, 15)), int(rng.integers(2, 5))
        values = rng.integers(0, rng.integers(2, 9), (systems, n)) / 10
        if k % 3 == 0:
            values = values + rng.normal(0, 0.2, n)
        if k % 5 == 0:
            values[:, rng.random(n) < 0.4] = 0.5
        if k % 7 == 0:
            values[-1] = values[0] + rng.integers(0, 2) / 10
        made = permutation(Pairs.of_matrix(values), largest=True, draws=200, seed=k)
        assert made.ends is not None
        assert made.adjusted is not None
        low, high = made.ends.T
        there = ~np.isnan(low)
        significant = np.maximum(made.adjusted, made.p) <= 0.05 * (1 + 1e-9)
        wrong += int((((low > 0) | (high < 0)) != significant)[there].sum())
        wrong += int((low >= high).sum())
        intervals += int(there.sum())
    assert wrong == 0
    assert intervals > 5000


ROWS = [
    [0.9, 0.8, 0.7, 0.6, 0.8, 0.9, 0.5, 0.7],
    [0.8, 0.8, 0.6, 0.5, 0.6, 0.9, 0.4, 0.5],
    [0.5, 0.6, 0.7, 0.3, 0.4, 0.5, 0.2, 0.6],
    [0.9, 0.8, 0.7, 0.6, 0.8, 0.8, 0.5, 0.7],
]


def test_four_systems_on_eight_items():
    """Values of a second program, from all 128 patterns."""
    found = tare.compare(table(ROWS))
    assert (column(found, "p_adjusted") * 128).tolist() == [6, 5, 128, 12, 20, 3]
    ends = [
        (0.00276944, 0.19723056),
        (0.06879999, 0.45620001),
        (np.nan, np.nan),
        (-0.06487715, 0.38987715),
        (-0.21497034, 0.03997034),
        (-0.43190172, -0.06809828),
    ]
    shown = np.stack([column(found, "low"), column(found, "high")], axis=1)
    assert shown == pytest.approx(np.array(ends), abs=5e-9, nan_ok=True)
    assert any("a pair" in str(f) or "differs on 1 item only" in str(f) for f in found.findings)
    few = tare.compare(table(np.array(ROWS)[:, :5]))
    assert column(few, "p_adjusted").min() == 0.125
    assert np.isnan(column(few, "low")).all()
    assert "with 5 items p cannot fall below 0.0625" in str(few.findings)


def test_another_system_changes_no_unadjusted_p_and_lowers_no_adjusted_one():
    rng = np.random.default_rng(2)
    for n in (9, 40):
        values = np.round(rng.random((5, n)), 2)
        few, many = (tare.compare(table(v)) for v in (values[:4], values))
        for row in few.rows():
            other = many.pair(row["system"], row["against"])
            assert other["p"] == row["p"]
            assert other["p_adjusted"] >= row["p_adjusted"]


def test_the_order_of_rows_changes_nothing():
    rng = np.random.default_rng(4)
    scores = table(np.round(rng.random((3, 40)), 2))
    turned = scores.select(items=list(rng.permutation(scores.items)))
    for one, other in zip(tare.compare(scores).rows(), tare.compare(turned).rows(), strict=True):
        assert (one["p"], one["p_adjusted"]) == (other["p"], other["p_adjusted"])


def test_one_system_against_itself_is_never_significant():
    rng = np.random.default_rng(5)
    for n in (1, 2, 7, 50):
        first = rng.random(n)
        (row,) = tare.compare(table([first, first * 3 / 3 + 1e-16])).rows()
        assert (row["p"], row["significant"]) == (1, False)
        assert np.isnan(row["low"])


def clustered(sums, sizes):
    """Two systems whose differences have these totals, and the clusters of the items."""
    d = np.repeat(np.array(sums) / sizes, sizes)
    scores = table([d, np.zeros(len(d))])
    return scores, dict(zip(scores.items, np.repeat(range(len(sums)), sizes).tolist(), strict=True))


def test_clusters():
    """Values of a second program, from all sign patterns of eight totals."""
    scores, cluster = clustered(
        [-0.4, -0.2, 0, -0.9, 0.1, -0.3, -0.6, -0.1], [3, 2, 1, 5, 2, 2, 4, 1]
    )
    found = tare.compare(scores, cluster=cluster)
    (row,) = found.rows()
    assert (row["difference"], row["p"]) == (pytest.approx(-0.12), 0.046875)
    expected = (-0.1655949859, -0.0291329053)
    assert (row["low"], row["high"]) == pytest.approx(expected, abs=5e-11)
    assert "20 items in 8 clusters (cluster)" in found.methods
    assert "Fieller 1954" in found.methods
    alone = tare.compare(scores, cluster={item: item for item in scores.items})
    for one, other in zip(alone.rows(), tare.compare(scores).rows(), strict=True):
        for name in ("p", "low", "high", "direction_risk", "difference"):
            assert one[name] == pytest.approx(other[name], abs=1e-12)


def test_clusters_of_many_systems_are_a_plain_enumeration():
    rng = np.random.default_rng(6)
    for _ in range(20):
        values = np.round(rng.random((3, 20)), 2)
        ids = np.sort(np.r_[range(8), rng.integers(0, 8, 12)])
        scores = table(values)
        found = tare.compare(scores, cluster=dict(zip(scores.items, ids.tolist(), strict=True)))
        family, alone = plain(values, ids)
        assert column(found, "p_adjusted") == pytest.approx(family, abs=1e-12)
        assert column(found, "p") == pytest.approx(alone, abs=1e-12)
        significant = column(found, "p_adjusted") <= 0.05
        low, high = column(found, "low"), column(found, "high")
        assert (((low > 0) | (high < 0)) == significant)[~np.isnan(low)].all()


def test_five_clusters_have_no_test():
    scores, cluster = clustered([-0.4, -0.2, -0.3, -0.9, -0.1], [3, 2, 1, 5, 2])
    found = tare.compare(scores, cluster=cluster)
    (row,) = found.rows()
    assert np.isnan([row["p"], row["low"], row["direction_risk"]]).all()
    assert "no test with 5 clusters; p can reach 0.05 from 6 clusters on" in str(found.findings)
    assert found["rating"].letters == {}
    assert "no pair was tested" in str(found.systems())
    assert tare.compare(scores, cluster=cluster, alpha=0.1).rows()[0]["p"] == 0.0625


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "t"}, "test='t' takes the items of one cluster as independent"),
        ({"interval": "bca"}, "interval='bca' takes the items"),
    ],
)
def test_what_ignores_clusters_is_refused(options, message):
    scores, cluster = clustered([-0.4, -0.2, -0.3], [3, 2, 1])
    with pytest.raises(tare.errors.OptionError, match=message):
        tare.compare(scores, cluster=cluster, **options)


def net(gross, tare_, ideal):
    """A table of one net score; each part is systems × items."""
    measure = tare.parse("Net(P@5, pool=judged)")
    parts = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (gross, tare_, ideal)))
    ratio = Ratio(*(x.copy() for x in parts))
    scores = table(ratio.values(), "x")
    signatures = (Signature(str(measure), ()),)
    return tare.Scores(
        scores.systems,
        scores.items,
        (measure,),
        scores.values,
        signatures,
        columns={measure: dict(zip(PARTS, ratio.parts, strict=True))},
    )


X = np.array([0.3, 0.1, 0.5, 0.0, 0.2, 0.6, -0.1, 0.4])
Y = np.array([0.9, 0.8, 0.9, 0.2, 0.5, 0.9, 0.4, 0.6])
GAP = np.array([0.1, -0.05, 0.1, 0.2, 0.1, 0.3, 0.15, 0.4])


def test_the_difference_of_two_net_scores():
    """Values of a second program: one ratio, flipped and inverted."""
    gross = np.stack([X + GAP, X]) + 1 - Y
    found = tare.compare(net(gross, 1 - Y, np.ones(8)))
    (row,) = found.rows()
    assert (row["difference"], row["p"]) == (pytest.approx(0.25), 2 / 128)
    assert (row["low"], row["high"]) == pytest.approx((0.0687143255, 0.5200642675), abs=5e-11)
    constant = tare.compare(net(np.stack([X + GAP, X]) + 1, np.ones(8), np.full(8, 2.0)))
    (row,) = constant.rows()
    expected = (GAP.mean(), 0.0482572265, 0.2767427735)
    assert (row["difference"], row["low"], row["high"]) == pytest.approx(expected, abs=5e-11)
    assert "Fieller" in found.methods


def test_net_scores_with_different_rooms_are_not_compared():
    gross = np.stack([X + GAP, X]) + 1 - Y
    scores = net(gross, np.stack([1 - Y, 0.9 - Y]), np.ones((2, 8)))
    found = tare.compare(scores)
    (row,) = found.rows()
    assert np.isnan([row["difference"], row["p"], row["low"]]).all()
    assert "no common denominator" in str(found.findings)
    assert "no common denominator" in found.methods
    shown = str(found.systems())
    for low, high in scores.intervals()[:, 0]:
        assert f"{low:.4f} … {high:.4f}" in shown
    assert "letters" not in shown
    assert found.to_latex()
    assert repr(found)


def test_replicates_k_times_change_nothing():
    rng = np.random.default_rng(8)
    values = rng.random((3, 30))
    once = table(values)
    often = tare.Scores(
        tuple(f"{s}.{k}" for s in once.systems for k in range(4)),
        once.items,
        once.measures,
        np.repeat(once.values, 4, axis=0),
        once.signatures,
    ).averaged()
    for one, other in zip(tare.compare(once).rows(), tare.compare(often).rows(), strict=True):
        for name in ("p", "p_adjusted", "difference", "low", "high"):
            assert other[name] == pytest.approx(one[name], abs=1e-12)
    assert "Scores are means of 4 runs of each system" in tare.compare(often).methods
