"""Tests of two arrays, which return the difference and p."""

import numpy as np
import pytest
import scipy.stats

from tare.errors import MismatchError
from tare.stats import signed_ranks, signs, student, swap

RNG = np.random.default_rng(3)
A, B = RNG.random(25), RNG.random(25) + 0.1


def test_student_and_signed_ranks_are_those_of_scipy():
    assert student(A, B) == pytest.approx((np.mean(A - B), scipy.stats.ttest_rel(A, B).pvalue))
    assert signed_ranks(A, B)[1] == pytest.approx(scipy.stats.wilcoxon(A, B).pvalue)


def test_signs_are_binomial():
    wins = int((A > B).sum())
    assert signs(A, B).p == pytest.approx(scipy.stats.binomtest(wins, 25).pvalue)


def test_swap_enumerates_few_items():
    differences = np.round(A[:8] - B[:8], 9)
    signs_ = 1 - 2 * ((np.arange(256)[:, None] >> np.arange(8)) & 1)
    sums = np.abs((signs_ * differences).sum(axis=1))
    expected = np.mean(sums >= np.abs(differences.sum()) - 1e-9)
    assert swap(A[:8], B[:8]) == pytest.approx((np.mean(A[:8] - B[:8]), expected))


def test_swap_is_reproducible():
    assert swap(A, B, seed=4) == swap(A, B, seed=4)
    assert swap(A, A) == (0.0, 1.0)


def test_the_second_element_is_p():
    for test in (swap, student, signed_ranks, signs):
        assert test(A, B)[1] == test(A, B).p


def test_arrays_that_are_not_aligned():
    with pytest.raises(MismatchError, match="not aligned"):
        swap([1, 2], [1, 2, 3])
