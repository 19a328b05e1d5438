"""Power and size of tests, by simulation: how often each finds a difference that is there, or one that is not; and their efficiency."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._kernels.statistics import uniforms
from tare._result import Result, Row, Rows
from tare._tables import Column, Table
from tare.errors import MismatchError, OptionError, check_share, choose
from tare.stats._classical_tests import one_sided
from tare.stats._draws import Drawing
from tare.stats._named_tests import TESTS, TestOptions, run_test
from tare.stats._paired_differences import Pairs, finite_matrix, rounded
from tare.stats._randomisation import check_simulations

__all__ = [
    "LEAST",
    "PAIR_TESTS",
    "SIDES",
    "SIDE_WORDS",
    "STEPS",
    "PowerCurve",
    "Sizes",
    "cutoff_of",
    "distribution",
    "document_effect",
    "efficiency_of",
    "efficiency_words",
    "experiment_p_values",
    "power_curve",
    "relative_efficiency",
    "sizes_of_tests",
]


# Simulated experiments of power curves: draws from score distributions, and their p-values.


Floats = NDArray[np.float64]
BLOCK = 5000  # simulated experiments that are held at once


def document_effect(scores: ArrayLike, document: ArrayLike) -> Floats:
    """Return p_{M,d}(k) ∝ p_M(k)·p_d(k): a distribution of scores on one document.

    Parameters
    ----------
    scores : array_like
        The distribution of a system's scores.
    document : array_like
        The distribution of all scores on the document.

    Returns
    -------
    ndarray
        The normalised product.

    Examples
    --------
    >>> document_effect([.1, .3, .3, .2, .1], [0, 0, 0, .5, .5]).round(4).tolist()
    [0.0, 0.0, 0.0, 0.6667, 0.3333]
    """
    product = np.asarray(scores, dtype=np.float64) * np.asarray(document, dtype=np.float64)
    total = product.sum(axis=-1, keepdims=True)
    made: Floats = np.divide(product, total, out=np.zeros_like(product), where=total > 0)
    return made


def distribution(values: Floats, distinct: Floats) -> Floats:
    """Return the share of each distinct score among those that are present, to draw simulated experiments from."""
    present = values[~np.isnan(values)]
    if present.size == 0:
        return np.zeros(len(distinct))
    counts = np.bincount(np.searchsorted(distinct, present), minlength=len(distinct))
    return np.asarray(counts / counts.sum(), dtype=np.float64)


def cutoff_of(p: Floats, alpha: float) -> float:
    """The cutoff of a simulated test: the largest p that no more than a share alpha of the null experiments reach; −1 if none."""
    values, counts = np.unique(p, return_counts=True)
    allowed = np.cumsum(counts) <= alpha * len(p)
    return float(values[allowed][-1]) if allowed.any() else -1.0


def experiment_p_values(
    p_m: Floats,
    p_t: Floats,
    per_item: Floats | None,
    distinct: Floats,
    n: int,
    count: int,
    tests: Sequence[str],
    draws: int,
    seed: int,
    step: int,
    threads: int,
    side: str,
    engine: Drawing | None = None,
) -> dict[str, Floats]:
    """p of each test in `count` simulated experiments; the streams depend on the step and nothing else."""
    blocks = -(-count // BLOCK)
    given = (p_m, p_t, per_item, distinct, n, count, tests, draws, seed, step)
    if engine is None:
        made = [_p_values_of_blocks((*given, threads, side), 0, blocks)]
    else:
        shared = (*given, engine.threads_for(1), side)
        made = engine.map_blocks(_p_values_of_blocks, shared, blocks, what="blocks of experiments")
    return {test: np.concatenate([part[test] for part in made]) for test in tests}


def _p_values_of_blocks(shared: tuple[Any, ...], first: int, last: int) -> dict[str, Floats]:
    """p of each test in some blocks of simulated experiments on power; a task of engines."""
    p_m, p_t, per_item, distinct, n, count, tests, draws, seed, step, threads, side = shared
    found: dict[str, list[Floats]] = {test: [] for test in tests}
    for start in range(first * BLOCK, last * BLOCK, BLOCK):
        rows = min(BLOCK, count - start)
        stream = 1 + step * 1_000_003 + start
        u = uniforms(rows, 3 * n, seed=seed, substream=stream, threads=threads)
        if per_item is None:
            x = distinct[_draw(np.cumsum(p_m), u[:, :n])]
            y = distinct[_draw(np.cumsum(p_t), u[:, n : 2 * n])]
        else:
            item = (u[:, 2 * n :] * len(per_item)).astype(np.int64)
            x = distinct[_draw_by_item(document_effect(p_m, per_item), item, u[:, :n])]
            y = distinct[_draw_by_item(document_effect(p_t, per_item), item, u[:, n : 2 * n])]
        pairs = Pairs.of_rows(x, y)
        for test in tests:
            options = TestOptions(draws=draws, seed=seed + start, threads=threads)
            result = run_test(pairs, test, options)
            found[test].append(result.p if side == "both" else one_sided(result, side))
    return {test: np.concatenate(p) for test, p in found.items()}


def _draw(cumulative: Floats, u: Floats) -> NDArray[np.int64]:
    # The last sum may fall short of 1 by rounding.
    return np.minimum(np.searchsorted(cumulative, u, side="right"), len(cumulative) - 1)


def _draw_by_item(distributions: Floats, item: NDArray[np.int64], u: Floats) -> NDArray[np.int64]:
    made = np.empty(u.shape, dtype=np.int64)
    for d, distribution in enumerate(distributions):
        here = item == d
        # Values without probability at the end must not be reached by rounding.
        last = int(np.flatnonzero(distribution)[-1])
        made[here] = np.minimum(_draw(np.cumsum(distribution), u[here]), last)
    return made


# Power curves: how often each test finds a difference between two groups of systems.


PAIR_TESTS = tuple(name for name, test in TESTS.items() if not test.family_wise)
SIDE_WORDS = {
    "both": "two-sided",
    "above": "one-sided, the second group above the first",
    "below": "one-sided, the second group below the first",
}
STEPS = (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)
SIDES = tuple(SIDE_WORDS)


def most_powerful(test: str, power: float, t: float, items: int) -> str:
    """Say in words which test has the highest power at a mixture of two distributions.

    >>> most_powerful("t", 0.934, 1.0, 50)
    'At mixture 1 the test t has the highest power, 93.4 % on 50 items.'
    """
    return f"At mixture {t:g} the test {test} has the highest power, {100 * power:.1f} % on {items:,} items."


@dataclass(frozen=True, eq=False, repr=False)
class PowerCurve(Result):
    """Rejection rates of each test at each mixture t; at t = 0 there is no difference.

    Attributes
    ----------
    rates : dict
        Rates with cutoffs that reject a share alpha at t = 0, so that tests have the same size.
    nominal : dict
        Rates that reject where p ≤ alpha.
    t : ndarray
        The mixtures.
    cutoffs : dict of str to float
        The cutoff of each test.
    items : int
        Number of items of an experiment.
    alpha : float
        Significance level.
    documents : bool
        Whether experiments have document effects.
    simulations, null_simulations, seed : int
        Number of experiments at each t > 0 and at t = 0, and the seed.
    notes : tuple of str
        Remarks on the data.
    side : str
        The side of the tests.

    Examples
    --------
    >>> values = np.random.default_rng(1).random((2, 20)) ** [[2.0], [0.5]]
    >>> counts = {"simulations": 100, "null_simulations": 100}
    >>> found = power_curve(values, [0], [1], tests=["t"], steps=[0.5, 1], **counts)
    >>> found.t.tolist(), found.items
    ([0.0, 0.5, 1.0], 20)
    >>> found.rates["t"].round(2).tolist()
    [0.05, 0.64, 1.0]
    """

    t: Floats
    rates: dict[str, Floats]
    nominal: dict[str, Floats]
    cutoffs: dict[str, float]
    items: int
    alpha: float
    documents: bool
    simulations: int
    null_simulations: int
    seed: int
    notes: tuple[str, ...] = ()
    side: str = "both"

    def answer(self) -> str:
        """Return the test with the highest power at the largest mixture."""
        best = max(self.rates, key=lambda test: float(self.rates[test][-1]))
        return most_powerful(best, float(self.rates[best][-1]), float(self.t[-1]), self.items)

    def rows(self) -> Rows:
        """Return one dictionary per test and t."""
        made = []
        for test, rates in self.rates.items():
            for t, rate, nominal in zip(self.t, rates, self.nominal[test], strict=True):
                count = self.null_simulations if t == 0 else self.simulations
                made.append(
                    {
                        "test": test,
                        "t": float(t),
                        "power": float(rate),
                        "error": float(np.sqrt(rate * (1 - rate) / count)),
                        "nominal": float(nominal),
                    }
                )
        return made

    def table(self) -> Table:
        """Return one row per t and one column per test."""
        columns = [Column("mixture", digits=2), *(Column(test) for test in self.rates)]
        rows = [
            (float(t), *(float(rates[k]) for rates in self.rates.values()))
            for k, t in enumerate(self.t)
        ]
        effects = "with" if self.documents else "without"
        notes = [
            f"Share of experiments on {self.items} items, {effects} document effects, in which a "
            f"test rejects; cutoffs from {self.null_simulations:,} experiments at t = 0 (size "
            f"{self.alpha:g}), {self.simulations:,} at each other t; {SIDE_WORDS[self.side]}; "
            f"seed {self.seed}.",
            *self.notes,
        ]
        return Table.of(columns, rows, title="Power", notes=notes)

    def facts(self) -> Row:
        """Return the cutoffs and what the rows depend on."""
        return {
            "cutoffs": self.cutoffs,
            "items": self.items,
            "alpha": self.alpha,
            "document_effects": self.documents,
            "side": self.side,
            "seed": self.seed,
        }


def power_curve(
    values: ArrayLike,
    first: Sequence[int],
    second: Sequence[int],
    *,
    tests: Sequence[str] = ("t", "welch", "wilcoxon", "sign"),
    steps: ArrayLike = STEPS,
    items: int | None = None,
    documents: bool = False,
    alpha: float = 0.05,
    simulations: int = 10_000,
    null_simulations: int = 50_000,
    draws: int = 999,
    seed: int = 0,
    threads: int = 0,
    side: str = "both",
    engine: Drawing | None = None,
) -> PowerCurve:
    """Simulate the power of tests as one system moves from one group of systems to another.

    p_M and p_H are the distributions of all scores of the rows `first` and `second`. An experiment
    draws `items` pairs, x from p_M and y from p_t = (1 − t)p_M + t·p_H, and runs the tests. The cutoff of
    each test is the alpha quantile of its p-value at t = 0 (Rankel 2016, §3.7).

    Parameters
    ----------
    values : array_like
        The scores, systems × items; NaN where one is missing.
    first, second : sequence of int
        The rows of the two groups of systems.
    tests : sequence of str
        Names of `TESTS`.
    steps : array_like
        The values of t, between 0 and 1.
    items : int, optional
        Number of items per experiment; by default that of the scores.
    documents : bool
        Draw each pair from a random item d, with both distributions multiplied by that of all scores
        on d.
    alpha : float
        Significance level.
    simulations, null_simulations : int
        Number of experiments at each t > 0, and at t = 0.
    draws : int
        Number of random draws.
    seed : int
        Seed of the random draws.
    threads : int
        Number of threads; 0 uses all cores. The result does not depend on it.
    side : {"both", "above", "below"}
        Two-sided, or one-sided cutoffs that reject only if the moving system scores above or below
        the other.
    engine : engine, optional
        Where experiments are simulated: an engine of `tare.engines`. The numbers are the same.

    Returns
    -------
    PowerCurve
        Rejection rates per test and t.

    Raises
    ------
    OptionError
        If a test is unknown, there is no such row, or an option is out of range.
    MismatchError
        If no item has scores of both groups although `documents` is true, or a score is infinite.

    Examples
    --------
    >>> values = np.random.default_rng(1).random((2, 20)) ** [[2.0], [0.5]]
    >>> counts = {"simulations": 100, "null_simulations": 100}
    >>> found = power_curve(values, [0], [1], tests=["t"], steps=[0.5, 1], **counts)
    >>> [(row["t"], round(row["power"], 2)) for row in found.rows()]
    [(0.0, 0.05), (0.5, 0.64), (1.0, 1.0)]
    """
    choose("side", side, SIDES)
    for test in tests:
        choose("tests", test, PAIR_TESTS)
    grid = np.unique(np.concatenate([[0.0], np.asarray(steps, dtype=np.float64)]))
    if grid[0] < 0 or grid[-1] > 1:
        raise OptionError("steps lie between 0 (the first group) and 1 (the second).")
    check_simulations(simulations)
    check_simulations(null_simulations)
    check_share("alpha", alpha)
    if null_simulations < 1 / alpha:
        raise OptionError(
            f"{null_simulations:,} experiments at t = 0 are too few: alpha={alpha:g} needs at least "
            f"{ceil(1 / alpha):,}. Raise the number of simulations (null_simulations=, --simulations)."
        )
    given = finite_matrix(values)
    rows = [*dict.fromkeys([*first, *second])]
    if not first or not second or not all(0 <= row < len(given) for row in rows):
        raise OptionError(f"each group names rows of the matrix, from 0 to {len(given) - 1}.")
    # Rounded together: float noise relative to the scores of one group can be more relative to others.
    whole = rounded(given[rows])
    distinct = np.unique(whole[~np.isnan(whole)])
    p_m, p_h = (
        distribution(whole[[rows.index(row) for row in group]], distinct)
        for group in (first, second)
    )
    notes: list[str] = []
    per_item: Floats | None = None
    if documents:
        of_item = np.array([distribution(column, distinct) for column in whole.T])
        fits = ((p_m * of_item).sum(axis=1) > 0) & ((p_h * of_item).sum(axis=1) > 0)
        if not fits.any():
            raise MismatchError("no item has scores of both groups; leave out documents=True.")
        if not fits.all():
            notes.append(f"{int((~fits).sum())} items without scores of both groups were left out.")
        per_item = of_item[fits]
    n = whole.shape[1] if items is None else items
    if n < 2:
        raise OptionError(f"items={n} is too few; tests need at least 2.")
    rates: dict[str, list[float]] = {test: [] for test in tests}
    nominal: dict[str, list[float]] = {test: [] for test in tests}
    cutoffs: dict[str, float] = {}
    for k, t in enumerate(grid):
        count = null_simulations if t == 0 else simulations
        mixed = (1 - t) * p_m + t * p_h
        found = experiment_p_values(
            p_m,
            mixed,
            per_item,
            distinct,
            n,
            count,
            tests,
            draws,
            seed,
            k,
            threads,
            side,
            engine,
        )
        for test, p in found.items():
            if t == 0:
                cutoffs[test] = cutoff_of(p, alpha)
            rates[test].append(float((p <= cutoffs[test]).mean()))
            nominal[test].append(float((p <= alpha).mean()))
    return PowerCurve(
        grid,
        {test: np.array(r) for test, r in rates.items()},
        {test: np.array(r) for test, r in nominal.items()},
        cutoffs,
        n,
        alpha,
        documents,
        simulations,
        null_simulations,
        seed,
        tuple(notes),
        side,
    )


# The asymptotic relative efficiency of Wilcoxon's test compared with t, estimated from
# differences.


LEAST = 108 / 125  # no distribution has less; a parabola has it (Hodges and Lehmann 1956)
FEWEST = 10
DIRECT = 1500  # values whose pairs are all looked at; more are counted in bins
BINS = 8192
WIDTH = 0.6


def relative_efficiency(pairs: Pairs) -> float:
    """Estimate the asymptotic relative efficiency of Wilcoxon's test compared with the t-test.

    It is 12 σ² (∫ f²)² of the standardised differences of all pairs: 3/π = 0.955 for normal, 1 for
    uniform and 1.5 for Laplace differences. It is never below 0.864, although an estimate can be.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.

    Returns
    -------
    float
        The estimate; NaN for fewer than 10 values.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(size=5000)
    >>> round(relative_efficiency(Pairs.of_arrays(x, np.zeros(5000))), 2)
    0.96
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        z = (pairs.differences - pairs.means[:, None]) / pairs.deviations[:, None]
    return efficiency_of(z[np.isfinite(z)])


def efficiency_of(values: Floats) -> float:
    """The same of one sample.

    ∫ f² is the density at 0 of the difference of two values: the mean over pairs i ≠ j of a kernel
    of order 4, whose bias falls with the fourth power of its width. Squaring and dividing by the
    deviation bring a bias of order 1/n, which the jackknife removes.

    Hodges and Lehmann (1956); Quenouille (1956).
    """
    n = len(values)
    if n < FEWEST:
        return math.nan
    spread = float(values.std(ddof=1))
    if spread == 0:
        return math.nan
    middle = float(np.subtract(*np.quantile(values, [0.75, 0.25]))) / 1.34
    width = WIDTH * min(spread, middle if middle > 0 else spread) * n ** (-1 / 9)
    z = (values - values.mean()) / width
    rows = _direct(z) if n <= DIRECT else _binned(z)
    total = float(rows.sum())
    squares = float((z * z).sum())
    whole = 12 * squares / (n - 1) * (total / (n * (n - 1))) ** 2
    parts = (total - 2 * rows) / ((n - 1) * (n - 2))
    variances = (squares - z * z * n / (n - 1)) / (n - 2)
    without = 12 * variances * parts**2
    return float(n * whole - (n - 1) * without.mean())


def _kernel(u: Floats) -> Floats:
    """A kernel of order 4: ½(3 − u²)φ(u)."""
    made: Floats = 0.5 * (3 - u * u) * np.exp(-u * u / 2) / math.sqrt(2 * math.pi)
    return made


def _direct(z: Floats) -> Floats:
    """The kernel estimate of density for the relative efficiency: Σ_{j ≠ i} of the kernel, for each i."""
    made: Floats = _kernel(z[:, None] - z[None, :]).sum(axis=1) - _kernel(np.zeros(1))[0]
    return made


def _binned(z: Floats) -> Floats:
    """The kernel sums for the relative efficiency from counts in narrow bins, by a convolution."""
    low, high = float(z.min()), float(z.max())
    step = (high - low) / (BINS - 1)
    place = np.rint((z - low) / step).astype(np.int64)
    counts = np.bincount(place, minlength=BINS).astype(np.float64)
    kernel = _kernel(np.arange(-BINS + 1, BINS, dtype=np.float64) * step)
    size = 4 * BINS
    smooth = np.fft.irfft(np.fft.rfft(counts, size) * np.fft.rfft(kernel, size), size)
    made: Floats = smooth[BINS - 1 : 2 * BINS - 1][place] - _kernel(np.zeros(1))[0]
    return made


def efficiency_words(value: float) -> str:
    """The relative efficiency of Wilcoxon's test in words: none below what is possible."""
    if math.isnan(value):
        return "not known from so few differences"
    if value < LEAST:
        return f"{LEAST:.3f} (the smallest possible value; the estimate, {value:.3f}, is below it)"
    return f"{value:.3f}"


# The size of tests on the user's own scores: how often each rejects when there is no difference.


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
    >>> pairs = Pairs.of_matrix(np.random.default_rng(1).random((3, 20)))
    >>> found = sizes_of_tests(pairs, tests=["t", "sign"], simulations=200)
    >>> found.rates
    {'t': 0.055, 'sign': 0.04}
    >>> found.pairs, round(found.efficiency, 2)
    (3, 0.81)
    """

    rates: dict[str, float]
    errors: dict[str, float]
    alpha: float
    simulations: int
    pairs: int
    efficiency: float
    seed: int

    def answer(self) -> str:
        """Return the smallest and the largest size."""
        ordered = sorted(self.rates, key=lambda test: self.rates[test])
        ends = dict.fromkeys((ordered[0], ordered[-1]))
        found = " and ".join(f"{100 * self.rates[test]:.1f} % ({test})" for test in ends)
        return (
            f"Tests reject {found} of {self.simulations:,} experiments without a difference; a test that is right "
            f"rejects {100 * self.alpha:g} %."
        )

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
    pairs: Pairs,
    *,
    tests: Sequence[str] = ("t", "welch", "wilcoxon", "sign", "permutation", "bootstrap"),
    alpha: float = 0.05,
    simulations: int = 2000,
    draws: int = 999,
    seed: int = 0,
    threads: int = 0,
    engine: Drawing | None = None,
) -> Sizes:
    """Simulate how often each test rejects on these scores when the null hypothesis holds.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.
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
    engine : engine, optional
        Where random draws of tests are made: an engine of `tare.engines`. The numbers are the same.

    Returns
    -------
    Sizes
        The share of experiments with p ≤ alpha; it should be alpha.

    Raises
    ------
    OptionError
        If a test is unknown, `alpha` does not lie between 0 and 1, or there
        are fewer than 100 or more than 1,000,000 simulations.
    MismatchError
        If no two systems have two items in common.

    Examples
    --------
    >>> pairs = Pairs.of_matrix(np.random.default_rng(1).random((3, 20)))
    >>> sizes_of_tests(pairs, tests=["t", "wilcoxon"], simulations=200).rates
    {'t': 0.055, 'wilcoxon': 0.04}
    """
    for test in tests:
        choose("tests", test, PAIR_TESTS)
    check_simulations(simulations)
    if simulations < 100 or not 0 < alpha < 1:
        raise OptionError("a size needs alpha between 0 and 1 and at least 100 simulations.")
    pairs = pairs.take(pairs.n >= 2)
    if len(pairs) == 0:
        raise MismatchError("no two systems have two items in common; there is nothing to swap.")
    chosen = np.arange(simulations) % len(pairs)
    x, y = pairs.scores[pairs.first[chosen]], pairs.scores[pairs.second[chosen]]
    swap = uniforms(simulations, x.shape[1], seed=seed, substream=17, threads=threads) < 0.5
    null = Pairs.of_rows(np.where(swap, y, x), np.where(swap, x, y), digits=pairs.digits)
    options = TestOptions(draws, seed, alpha, threads=threads, engine=engine)
    rates = {test: float((run_test(null, test, options).p <= alpha).mean()) for test in tests}
    errors = {test: float(np.sqrt(r * (1 - r) / simulations)) for test, r in rates.items()}
    return Sizes(rates, errors, alpha, simulations, len(pairs), relative_efficiency(pairs), seed)
