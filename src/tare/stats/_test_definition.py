"""What a test is, and the options that tests take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tare.stats._draws import Drawing
from tare.stats._pair_tests import PairTest
from tare.stats._pairs import Pairs
from tare.stats._randomisation import DRAWS
from tare.stats._summed_pairs import SummedPairs

__all__ = ["Test", "TestOptions"]


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


@dataclass(frozen=True)
class Test:
    """A test: its name in words, its null hypothesis, its citation, and what it covers.

    A test that is not paired ignores that systems are scored on the same items: it is for groups.
    """

    __test__ = False

    name: str
    words: str
    null: str
    citation: str
    run: Callable[[Pairs, TestOptions], PairTest]
    family_wise: bool = False
    random: bool = False
    by_largest: bool = False
    paired: bool = True
    summed: Callable[[SummedPairs, TestOptions], PairTest] | None = None
