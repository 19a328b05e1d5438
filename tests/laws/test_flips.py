"""What flips must obey, whatever the scores."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tare.errors import MismatchError, OptionError
from tare.stats import certify, flip_test, loss_test, max_t, mean_interval, ratio_interval


def tables(rng, count):
    """Random tables with ties, shared rows, few differences and different scales."""
    for _ in range(count):
        n, k = rng.integers(2, 40), rng.integers(2, 6)
        made = rng.integers(0, rng.integers(2, 12), (n, k)) / 10
        if rng.random() < 0.3:
            made = made + rng.normal(0, 0.2, (n, 1))
        if rng.random() < 0.3:
            made[rng.random(n) < 0.6] = made[0]
        if rng.random() < 0.2:
            made[:, -1] = made[:, 0] + rng.integers(0, 2)
        yield made * 10.0 ** rng.integers(-3, 4)


def test_an_interval_excludes_0_exactly_if_p_is_at_most_alpha():
    rng = np.random.default_rng(0)
    intervals = 0
    for k, scores in enumerate(tables(rng, 3000)):
        found = max_t(scores, draws=300, seed=k, alpha=(0.05, 0.1)[k % 2])
        there = ~np.isnan(found.low)
        intervals += int(there.sum())
        excluded = (found.low > 0) | (found.high < 0)
        assert (excluded == found.significant)[there].all()
        assert (found.low <= found.high)[there].all()
    assert intervals > 3000


def every_pattern(scores):
    """p of all pairs by all sign patterns, written as simply as possible."""
    n, k = scores.shape
    pairs = list(itertools.combinations(range(k), 2))
    d = np.array([scores[:, a] - scores[:, b] for a, b in pairs])
    length = np.sqrt(n * (d * d).sum(axis=1))
    length[length == 0] = np.inf
    signs = np.array(list(itertools.product([1, -1], repeat=n)))
    u = np.abs(signs @ d.T) / length
    seen = np.abs(d.sum(axis=1)) / length
    return (u.max(axis=1)[:, None] >= seen - 1e-9).mean(axis=0), (u >= seen - 1e-9).mean(axis=0)


@pytest.mark.parametrize("seed", range(20))
def test_all_patterns_are_those_of_a_plain_loop(seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 6, (int(rng.integers(2, 10)), 4)) / 5
    found = max_t(scores)
    adjusted, alone = every_pattern(scores)
    assert found.p == pytest.approx(adjusted, abs=1e-12)
    assert found.alone == pytest.approx(alone, abs=1e-12)


@pytest.mark.parametrize("n", [9, 40])
def test_another_system_changes_no_unadjusted_p_and_lowers_no_adjusted_one(n):
    rng = np.random.default_rng(n)
    scores = np.round(rng.random((n, 5)), 2)
    few, many = max_t(scores[:, :4]), max_t(scores)
    place = {(a, b): k for k, (a, b) in enumerate(zip(many.first, many.second, strict=True))}
    at = [place[a, b] for a, b in zip(few.first, few.second, strict=True)]
    assert (many.alone[at] == few.alone).all()
    assert (many.p[at] >= few.p).all()


def test_drawn_flips_agree_with_all_patterns():
    scores = np.round(np.random.default_rng(3).random((13, 4)), 2)
    exact, drawn = max_t(scores), max_t(scores, draws=4000, seed=1)
    assert exact.exact
    assert not drawn.exact
    assert drawn.p == pytest.approx(exact.p, abs=0.04)
    assert drawn.critical == pytest.approx(exact.critical, abs=0.02)


def test_one_system_against_itself_is_never_significant():
    scores = np.random.default_rng(0).random(50)
    found = flip_test(scores, scores)
    assert (found.difference, found.pvalue) == (0, 1)
    assert loss_test(scores - scores).pvalue == 1
    noisy = flip_test(scores * 3 / 3, scores + 1e-16)
    assert (noisy.difference, noisy.pvalue, noisy.differing) == (0, 1, 0)


@settings(deadline=None)
@given(st.lists(st.integers(-5, 5), min_size=2, max_size=12), st.randoms())
def test_clusters_of_one_and_the_order_of_units_change_nothing(values, random):
    d = np.array(values) / 10
    ids = [f"c{k:02d}" for k in range(len(d))]
    assert loss_test(d, clusters=ids)[:5] == loss_test(d)[:5]
    shuffled = d.copy()
    random.shuffle(shuffled)
    assert loss_test(shuffled).pvalue == loss_test(d).pvalue
    zero = np.zeros(len(d))
    one, other = flip_test(d, zero), flip_test(d, zero, clusters=ids)
    assert other == pytest.approx(one, nan_ok=True)
    assert flip_test(shuffled, zero).pvalue == one.pvalue
    assert certify(d, 0.1, clusters=ids) == pytest.approx(certify(d, 0.1), abs=1e-9)


def test_drawn_losses_do_not_depend_on_the_order_of_units():
    rng = np.random.default_rng(1)
    d = rng.normal(-0.01, 0.1, 60)
    assert not loss_test(d).exact
    assert loss_test(d).pvalue == loss_test(rng.permutation(d)).pvalue


def test_threads_change_nothing():
    scores = np.random.default_rng(2).random((50, 6))
    one, many = max_t(scores, threads=1), max_t(scores, threads=7)
    assert (one.p == many.p).all()
    assert one.critical == many.critical


def test_bounded_intervals_stay_inside():
    rng = np.random.default_rng(0)
    for _ in range(500):
        values = rng.choice([0, 0.3, 1], size=rng.integers(2, 20), p=rng.dirichlet([0.4] * 3))
        found = mean_interval(values)
        assert 0 <= found.low <= found.mean <= found.high <= 1
        assert found.low < found.high


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: max_t([[0.1, np.nan]]), MismatchError, "1 of 2 values are missing"),
        (lambda: max_t([0.1, 0.2]), MismatchError, "units × systems"),
        (lambda: max_t([[0.1], [0.2]]), MismatchError, "at least two columns"),
        (lambda: max_t([[0.1, 0.2]], baseline=2), OptionError, "columns 0 to 1"),
        (lambda: max_t([[0.1, 0.2]], alpha=1), OptionError, "alpha"),
        (lambda: flip_test([0.1], [0.1, 0.2]), MismatchError, "not aligned"),
        (lambda: flip_test([0.1], [0.2], clusters=["a", "b"]), MismatchError, "one id per unit"),
        (lambda: certify([-2.0], 0.1), OptionError, "larger than the range 1"),
        (lambda: certify([0.0], 0), OptionError, "margin=0"),
        (lambda: certify([0.0], 0.1, range=-1), OptionError, "range=-1"),
        (lambda: mean_interval([1.5]), OptionError, "reach from 1.5"),
        (lambda: ratio_interval([1], [1]), MismatchError, "at least 2 units"),
    ],
)
def test_what_cannot_be_tested_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()
