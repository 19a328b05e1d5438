"""The available tests by name, with their null hypothesis and citation, and the smallest p-value that each can give."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tare.errors import OptionError, choose
from tare.stats._classical_tests import MOST_EXACT, paired_t, pooled_t, sign_test, welch_t, wilcoxon
from tare.stats._corrections import adjust
from tare.stats._draws import Drawing
from tare.stats._flips import permutation
from tare.stats._paired_differences import Pairs, PairTest, SummedPairs
from tare.stats._randomisation import (
    DRAWS,
    bootstrap_t,
    centred_bootstrap,
    hybrid,
    summed_bootstrap,
    summed_permutation,
)
from tare.stats._randomised_statistics import hybrid_t, hybrid_w, permutation_t, permutation_w
from tare.stats._tests_of_all_systems import tukey, tukey_kramer, tukey_randomised

__all__ = [
    "PAIRED_TESTS",
    "TESTS",
    "Test",
    "TestOptions",
    "pairs_needed",
    "run_test",
    "smallest_p",
]


# What a test is, and the options that tests take.


Keywords: TypeAlias = dict[str, Any]
"""Keyword arguments of the function of a test."""


@dataclass(frozen=True)
class TestOptions:
    """Options that some of the tests take.

    Attributes
    ----------
    draws, seed : int
        Number of random draws, and their seed.
    alpha : float
        Significance level of simultaneous intervals.
    zeros : str
        How Wilcoxon's test treats differences of 0.
    largest : bool
        Compute the p-values of the largest |t| of the family.
    threads : int
        Number of threads.
    engine : engine, optional
        Where random draws are made.

    Examples
    --------
    >>> from tare.stats import run_test
    >>> pairs = Pairs.of_arrays([0.5, 0.6, 0.7, 0.9], [0.4, 0.4, 0.5, 0.6])
    >>> run_test(pairs, "hybrid", TestOptions(draws=999, seed=1)).p.round(2).tolist()
    [0.07]
    """

    __test__ = False  # not a test case, whatever a test runner thinks of the name

    draws: int = DRAWS
    seed: int = 0
    alpha: float = 0.05
    zeros: str = "dropped"
    largest: bool = False
    threads: int = 0
    engine: Drawing | None = field(default=None, compare=False, repr=False)  # where draws are made

    def only(self, names: Iterable[str]) -> Keywords:
        """Return some of the options, as keyword arguments."""
        return {name: getattr(self, name) for name in names}


DRAWN = ("draws", "seed", "threads", "engine")  # options of every test with random draws


@dataclass(frozen=True)
class Test:
    """A test that users choose by name: its title, null hypothesis, citation, function, and the options it takes.

    A test that is not paired ignores that systems are scored on the same items: it is for groups. `summed`
    is its function for measures made of summed statistics.
    """

    __test__ = False

    name: str
    words: str
    null: str
    citation: str
    function: Callable[..., PairTest]
    takes: tuple[str, ...] = ()
    family_wise: bool = False
    paired: bool = True
    summed: Callable[..., PairTest] | None = None

    @property
    def random(self) -> bool:
        """Whether the test makes random draws."""
        return "draws" in self.takes

    @property
    def by_largest(self) -> bool:
        """Whether the named test has p-values of the largest |t| of the family."""
        return "largest" in self.takes

    def run(self, pairs: Pairs, options: TestOptions) -> PairTest:
        """Test pairs by this named test, with those of the options that it takes."""
        return self.function(pairs, **options.only(self.takes))


# The available tests by name, with their null hypothesis and citation.


TESTS = {
    test.name: test
    for test in (
        Test(
            "t",
            "the paired t-test",
            "the mean difference is 0",
            "Student 1908",
            paired_t,
        ),
        Test(
            "welch",
            "Welch's unpaired t-test",
            "the means are equal, items ignored",
            "Welch 1947",
            welch_t,
            paired=False,
        ),
        Test(
            "pooled",
            "the unpaired t-test with pooled variance",
            "the means are equal, items ignored, with equal variances",
            "Student 1908",
            pooled_t,
            paired=False,
        ),
        Test(
            "wilcoxon",
            "Wilcoxon's signed-rank test",
            "the differences are symmetric about 0",
            "Wilcoxon 1945",
            wilcoxon,
            (
                "zeros",
                "seed",
            ),
        ),
        Test(
            "wilcoxon-normal",
            "Wilcoxon's signed-rank test by the normal distribution",
            "the differences are symmetric about 0",
            "Wilcoxon 1945",
            partial(wilcoxon, exact=0),
            (
                "zeros",
                "seed",
            ),
        ),
        Test(
            "sign",
            "the sign test",
            "either system wins an item with the same probability",
            "Arbuthnot 1710",
            sign_test,
        ),
        Test(
            "permutation",
            "the paired permutation test of the mean difference",
            "the difference of an item is as likely to be +x as −x",
            "Smucker, Allan and Carterette 2007",
            permutation,
            (*DRAWN, "largest", "alpha"),
            summed=summed_permutation,
        ),
        Test(
            "permutation-t",
            "the paired permutation test of t",
            "the two scores of an item are exchangeable",
            "Smucker, Allan and Carterette 2007",
            permutation_t,
            DRAWN,
        ),
        Test(
            "permutation-w",
            "the paired permutation test of Wilcoxon's W",
            "the two scores of an item are exchangeable",
            "Rankel 2016",
            permutation_w,
            DRAWN,
        ),
        Test(
            "hybrid",
            "the hybrid of bootstrap and permutation test",
            "the two scores of an item are exchangeable",
            "Rankel 2016",
            hybrid,
            DRAWN,
        ),
        Test(
            "hybrid-t",
            "the hybrid of bootstrap and permutation test of t",
            "the two scores of an item are exchangeable",
            "Rankel 2016",
            hybrid_t,
            DRAWN,
        ),
        Test(
            "hybrid-w",
            "the hybrid of bootstrap and permutation test of Wilcoxon's W",
            "the two scores of an item are exchangeable",
            "Rankel 2016",
            hybrid_w,
            DRAWN,
        ),
        Test(
            "bootstrap",
            "the studentised paired bootstrap test",
            "the mean difference is 0",
            "Sakai 2006",
            bootstrap_t,
            (*DRAWN, "largest"),
            summed=summed_bootstrap,
        ),
        Test(
            "bootstrap-sacrebleu",
            "the paired bootstrap test as sacrebleu defines it",
            "the mean difference is 0, one-sided in effect",
            "Koehn 2004; Post 2018",
            centred_bootstrap,
            DRAWN,
            summed=centred_bootstrap,
        ),
        Test(
            "tukey",
            "Tukey's HSD with the error term of the layout systems + items",
            "the means of all systems are equal",
            "Tukey 1953; Carterette 2012",
            tukey,
            ("alpha",),
            family_wise=True,
        ),
        Test(
            "tukey-kramer",
            "Tukey and Kramer's test on the adjusted means of the layout systems + items",
            "the adjusted means of all systems are equal",
            "Tukey 1953; Kramer 1956",
            tukey_kramer,
            ("alpha",),
            family_wise=True,
        ),
        Test(
            "tukey-randomised",
            "randomised Tukey HSD",
            "the scores of an item are exchangeable between systems",
            "Carterette 2012",
            tukey_randomised,
            (*DRAWN, "alpha"),
            family_wise=True,
        ),
    )
}
PAIRED_TESTS = tuple(name for name, test in TESTS.items() if test.paired)


def run_test(pairs: Pairs, test: str, options: TestOptions | None = None) -> PairTest:
    """Run one of `TESTS` on pairs of systems.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.
    test : str
        The name of the test.
    options : TestOptions, optional
        Draws, seed and other options.

    Returns
    -------
    PairTest
        Statistic and p-value of each pair.

    Raises
    ------
    OptionError
        If the test is unknown, an option is out of range, or the test does not suit the measure.
    MismatchError
        If there are too few items for a test of all systems.

    Examples
    --------
    >>> run_test(Pairs.of_arrays([0.5, 0.7, 0.9], [0.4, 0.5, 0.6]), "t").p.round(4).tolist()
    [0.0742]
    """
    choose("test", test, tuple(TESTS))
    options = options or TestOptions()
    if isinstance(pairs, SummedPairs):
        return _run_summed(pairs, test, options)
    return TESTS[test].run(pairs, options)


def _run_summed(pairs: SummedPairs, test: str, options: TestOptions) -> PairTest:
    """Run the named test for measures of summed statistics, such as corpus BLEU, if there is one."""
    run, measure, items = TESTS[test].summed, pairs.summed.measure, pairs.by_item
    if run is None:
        able = " or ".join(repr(name) for name, one in TESTS.items() if one.summed is not None)
        raise OptionError(
            f"{measure} is computed from the summed statistics of all items, and test={test!r} needs a value "
            f"per item. Use test={able}, or compare the means of the items' values: {items}."
        )
    if options.largest:
        raise OptionError(
            f"correction='max-t' is not available for {measure}, which is computed from summed statistics. "
            f"Use correction='holm', or compare the means of the items' values: {items}."
        )
    return run(pairs, **options.only(DRAWN))


# The smallest p-value that a test can give, and whether a corrected one can be significant.
#
# A simulated p-value is at least 1/(B + 1), and an exact p-value of signs at least 2^(1 − n). Multiplied
# by the number of pairs, that can exceed α: then no result can be significant, whatever the data.


SIGNS = ("wilcoxon", "sign")  # exact for few items


def smallest_p(
    test: str, pairs: Pairs, draws: int, units: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """The smallest p-value that a named test can give each pair, by its number of units and the draws."""
    n = pairs.n if units is None else units
    signs = 2.0 ** (1.0 - n)  # one sign pattern of 2^n, and its mirror image
    if test in ("permutation", "permutation-t"):
        most = math.log2(draws) + (0 if isinstance(pairs, SummedPairs) else 1)
        return np.where(n <= most, signs, 1 / (draws + 1))
    if TESTS[test].random:
        return np.full(len(pairs), 1 / (draws + 1))
    if test in SIGNS:
        return np.where((pairs.n <= MOST_EXACT) | (test == "sign"), signs, 0.0)
    return np.zeros(len(pairs))


def pairs_needed(
    test: str,
    correction: str,
    pairs: Pairs,
    *,
    draws: int,
    alpha: float,
    units: NDArray[np.int64] | None = None,
) -> int | None:
    """How many pairs must reach their test's smallest p-value before any is significant; None if none can be.

    It is 1 if a single clear difference can be found.
    """
    least = np.sort(smallest_p(test, pairs, draws, units))
    if correction in ("none", "max-t"):
        return 1 if least.min(initial=1.0) <= alpha else None
    low, high = 1, len(least) + 1  # the first count that suffices; len + 1 for none
    while low < high:
        count = (low + high) // 2
        p = np.where(np.arange(len(least)) < count, least, 1.0)
        if adjust(p, correction).min(initial=1.0) <= alpha:
            high = count
        else:
            low = count + 1
    return low if low <= len(least) else None
