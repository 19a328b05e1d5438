"""Tests of two aligned arrays of scores, for programs that take a function of two arrays."""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import ArrayLike

from tare.stats._classical_tests import paired_t, sign_test, wilcoxon
from tare.stats._flips import permutation
from tare.stats._paired_differences import Pairs, PairTest
from tare.stats._randomisation import DRAWS

__all__ = ["DifferenceTest", "signed_ranks", "signs", "student", "swap"]


class DifferenceTest(NamedTuple):
    """The mean difference of two systems, and its two-sided p-value.

    Attributes
    ----------
    difference : float
        The mean of first − second.
    p : float
        The p-value.

    Examples
    --------
    >>> found = student([0.5, 0.6, 0.7, 0.9], [0.4, 0.4, 0.5, 0.6])
    >>> difference, p = found
    >>> round(difference, 3), round(p, 4)
    (0.2, 0.0163)
    """

    difference: float
    p: float


def swap(
    first: ArrayLike, second: ArrayLike, *, draws: int = DRAWS, seed: int = 0
) -> DifferenceTest:
    """Test whether two systems differ by swapping their scores (paired permutation test).

    The result is a pair whose second element is p, as `pt.Experiment(…, test=tare.stats.swap)` of
    PyTerrier expects.

    Parameters
    ----------
    first, second : array-like
        Scores of the two systems on the same items, in the same order.
    draws : int
        Number of random swaps, if there are too many to enumerate.
    seed : int
        Seed of the random swaps.

    Returns
    -------
    DifferenceTest
        The mean difference and p.

    Raises
    ------
    MismatchError
        If the arrays are empty or differ in length.
    OptionError
        If `draws` is below 100 or above 1,000,000,000, or `seed` is negative or above 2^64 − 1.

    Examples
    --------
    >>> swap([0.5, 0.6, 0.7, 0.9], [0.4, 0.4, 0.5, 0.6]).p
    0.125
    """
    return _only(permutation(Pairs.of_arrays(first, second), draws=draws, seed=seed))


def student(first: ArrayLike, second: ArrayLike) -> DifferenceTest:
    """Test whether two systems differ by the paired t-test.

    Parameters
    ----------
    first, second : array-like
        Scores of the two systems on the same items, in the same order.

    Returns
    -------
    DifferenceTest
        The mean difference and p.

    Raises
    ------
    MismatchError
        If the arrays are empty or differ in length.

    Examples
    --------
    >>> round(student([0.5, 0.6, 0.7, 0.9], [0.4, 0.4, 0.5, 0.6]).p, 4)
    0.0163
    """
    return _only(paired_t(Pairs.of_arrays(first, second)))


def signed_ranks(first: ArrayLike, second: ArrayLike, *, zeros: str = "dropped") -> DifferenceTest:
    """Test whether two systems differ by Wilcoxon's signed-rank test.

    Parameters
    ----------
    first, second : array-like
        Scores of the two systems on the same items, in the same order.
    zeros : {"dropped", "pratt", "putter"}
        How differences of 0 are treated.

    Returns
    -------
    DifferenceTest
        The mean difference and p.

    Raises
    ------
    MismatchError
        If the arrays are empty or differ in length.
    OptionError
        If `zeros` is unknown.

    Examples
    --------
    >>> signed_ranks([0.5, 0.6, 0.7, 0.9], [0.4, 0.4, 0.5, 0.6]).p
    0.125
    """
    return _only(wilcoxon(Pairs.of_arrays(first, second), zeros=zeros))


def signs(first: ArrayLike, second: ArrayLike) -> DifferenceTest:
    """Test whether two systems differ by the sign test.

    Parameters
    ----------
    first, second : array-like
        Scores of the two systems on the same items, in the same order.

    Returns
    -------
    DifferenceTest
        The mean difference and p.

    Raises
    ------
    MismatchError
        If the arrays are empty or differ in length.

    Examples
    --------
    >>> signs([0.5, 0.6, 0.7, 0.9], [0.4, 0.4, 0.5, 0.6]).p
    0.125
    """
    return _only(sign_test(Pairs.of_arrays(first, second)))


def _only(tested: PairTest) -> DifferenceTest:
    return DifferenceTest(float(tested.pairs.means[0]), float(tested.p[0]))
