"""The size of tests on the user's own scores: how often each rejects when there is no difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tare._kernels.statistics import uniforms
from tare._measures.measure import Measure
from tare._measures.one_system import opened_engine
from tare._measures.scores import Scores
from tare._result import Result, Row, Rows
from tare._tables import Column, Table
from tare.errors import MismatchError, OptionError, choose
from tare.stats._draws import Drawing
from tare.stats._efficiency import efficiency_words, relative_efficiency
from tare.stats._pairs import Pairs
from tare.stats._power import PAIR_TESTS
from tare.stats._randomisation import check_simulations
from tare.stats._tests import TestOptions, run_test

if TYPE_CHECKING:
    pass

__all__ = ["Sizes", "sizes_of_tests"]


@dataclass(frozen=True, eq=False, repr=False)
class Sizes(Result):
    """The share of null experiments in which each test rejects, with its standard error.

    Attributes
    ----------
    rates, errors : dict of str to float
        The share of rejections of each test, and its standard error.
    alpha : float
        Significance level.
    simulations, pairs : int
        Number of experiments, and of pairs of systems.
    efficiency : float
        Asymptotic relative efficiency of Wilcoxon's test compared with the t-test.
    seed : int
        Seed of the random draws.

    Examples
    --------
    >>> import tare
    >>> data = tare.simulate(queries=20, seed=1)
    >>> scores = tare.evaluate(data.qrels, data.runs, "nDCG@10")
    >>> found = sizes_of_tests(scores, tests=["t", "sign"], simulations=200)
    >>> found.rates
    {'t': 0.06, 'sign': 0.035}
    >>> found.pairs, round(found.efficiency, 2)
    (10, 0.91)
    """

    rates: dict[str, float]
    errors: dict[str, float]
    alpha: float
    simulations: int
    pairs: int
    efficiency: float
    seed: int

    def table(self) -> Table:
        """Return one row per test."""
        rows = [(test, rate, self.errors[test]) for test, rate in self.rates.items()]
        columns = [Column("test", align="left"), Column("size"), Column("± size")]
        notes = [
            f"{self.simulations:,} experiments: the scores of {self.pairs:,} pairs of systems, "
            f"swapped at random; a test that is right rejects {self.alpha:g} of them. "
            f"Seed {self.seed}.",
            "Asymptotic relative efficiency of Wilcoxon's test to t on these differences: "
            f"{efficiency_words(self.efficiency)}.",
        ]
        return Table.of(columns, rows, title="Size", notes=notes)

    def rows(self) -> Rows:
        """Return one dictionary per test."""
        return [{"test": t, "size": r, "error": self.errors[t]} for t, r in self.rates.items()]

    def facts(self) -> Row:
        """Return the significance level, counts, efficiency and seed."""
        names = ("alpha", "simulations", "pairs", "efficiency", "seed")
        return {name: getattr(self, name) for name in names}

    def details(self) -> Row:
        """Return all fields."""
        return dict(vars(self))


def sizes_of_tests(
    scores: Scores,
    *,
    measure: str | Measure | None = None,
    tests: Sequence[str] = ("t", "welch", "wilcoxon", "sign", "permutation", "bootstrap"),
    alpha: float = 0.05,
    simulations: int = 2000,
    draws: int = 999,
    seed: int = 0,
    threads: int = 0,
    engine: str | Drawing | None = None,
) -> Sizes:
    """Simulate how often each test rejects on these scores when the null hypothesis holds.

    Parameters
    ----------
    scores : Scores
        The scores.
    measure : str or Measure, optional
        The measure, if the table has several.
    tests : sequence of str
        Names of `TESTS`.
    alpha : float
        Significance level.
    simulations : int
        Number of experiments. Each takes a pair of systems and swaps their scores on each item with
        probability ½.
    draws : int
        Number of random draws.
    seed : int
        Seed of the random draws.
    threads : int
        Number of threads; 0 uses all cores. The result does not depend on it.
    engine : str or engine, optional
        Where random draws of tests are made: "local", "ray" or an engine of `tare.engines`. The numbers
        are the same.

    Returns
    -------
    Sizes
        The share of experiments with p ≤ alpha; it should be alpha.

    Raises
    ------
    OptionError
        If a test is unknown, `measure` is not in the table, `alpha` does not lie between 0 and 1, or there
        are fewer than 100 or more than 1,000,000 simulations.
    MismatchError
        If no two systems have two items in common.

    Examples
    --------
    >>> import tare
    >>> data = tare.simulate(queries=20, seed=1)
    >>> scores = tare.evaluate(data.qrels, data.runs, "nDCG@10")
    >>> sizes_of_tests(scores, tests=["t", "wilcoxon"], simulations=200).rates
    {'t': 0.06, 'wilcoxon': 0.065}
    """
    for test in tests:
        choose("tests", test, PAIR_TESTS)
    check_simulations(simulations)
    if simulations < 100 or not 0 < alpha < 1:
        raise OptionError("a size needs alpha between 0 and 1 and at least 100 simulations.")
    pairs = Pairs.of(scores, measure=measure)
    pairs = pairs.take(pairs.n >= 2)
    if len(pairs) == 0:
        raise MismatchError("no two systems have two items in common; there is nothing to swap.")
    chosen = np.arange(simulations) % len(pairs)
    x, y = pairs.scores[pairs.first[chosen]], pairs.scores[pairs.second[chosen]]
    swap = uniforms(simulations, x.shape[1], seed=seed, substream=17, threads=threads) < 0.5
    null = Pairs.of_rows(np.where(swap, y, x), np.where(swap, x, y), digits=pairs.digits)
    with opened_engine(engine) as place:
        options = TestOptions(draws, seed, alpha, threads=threads, engine=place)
        rates = {test: float((run_test(null, test, options).p <= alpha).mean()) for test in tests}
    errors = {test: float(np.sqrt(r * (1 - r) / simulations)) for test, r in rates.items()}
    return Sizes(rates, errors, alpha, simulations, len(pairs), relative_efficiency(pairs), seed)
