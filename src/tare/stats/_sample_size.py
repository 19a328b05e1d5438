"""How many items an evaluation needs, from assumptions or from a pilot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._kernels.random_numbers import check_seed
from tare._kernels.statistics import uniforms
from tare._result import Row, SingleRowResult
from tare._tables import Column, Table
from tare.errors import MismatchError, OptionError, check_share, choose
from tare.stats._draws import Drawing
from tare.stats._named_tests import TestOptions, run_test
from tare.stats._paired_differences import Pairs, finite_matrix
from tare.stats._power import PAIR_TESTS
from tare.stats._randomisation import check_simulations

__all__ = [
    "Design",
    "check_design",
    "items_for_anova",
    "items_for_interval",
    "items_for_t",
    "items_from_pilot",
    "pilot_variance",
    "power_of_anova",
    "power_of_t",
    "smallest_number",
    "width_of_interval",
]


# How many items an evaluation needs: for t-tests, analysis of variance, intervals, and by
# simulation.


MOST = 10_000_000
Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class Design(SingleRowResult):
    """The number of items, what it achieves, and what one item fewer would achieve.

    Attributes
    ----------
    method : str
        The test or interval that the items are for.
    items : int
        Number of items.
    reached, below : float
        The power or width with these items, and with one item fewer; `below` is None for 2 items.
    goal : {"power", "width"}
        What `reached` and `below` are.
    given : tuple of tuple of str and float
        What the number was computed from.
    note : str
        Remarks on the method.

    Examples
    --------
    >>> found = items_for_t(0.05, 0.15, power=0.9)
    >>> found.items, round(found.reached, 4), round(found.below, 4)
    (97, 0.9015, 0.8985)
    >>> found.row()["alpha"]
    0.05
    """

    method: str
    items: int
    reached: float
    below: float | None
    goal: str
    given: tuple[tuple[str, float], ...]
    note: str = ""

    def answer(self) -> str:
        """Return the number of items, and what they achieve."""
        return f"{self.items:,} items are needed; the {self.goal} is then {self.reached:.3f} ({self.method})."

    def table(self) -> Table:
        """One row."""
        names = [name for name, _ in self.given]
        columns = [Column("method", align="left"), *(Column(name) for name in names)]
        columns += [Column("items"), Column(self.goal), Column("with one fewer")]
        row = (self.method, *(v for _, v in self.given), self.items, self.reached, self.below)
        return Table.of(columns, [row], notes=[self.note] if self.note else [])

    def row(self) -> Row:
        """Return the fields, including what was given."""
        return {
            "method": self.method,
            **dict(self.given),
            "items": self.items,
            self.goal: self.reached,
            "with_one_fewer": self.below,
        }


def check_design(alpha: float, power: float | None = None, **positive: float) -> None:
    """Raise an error if a level, a power or a positive number given to plan an evaluation's size is out of range."""
    check_share("alpha", alpha)
    if power is not None and not alpha < power < 1:
        raise OptionError(f"power={power} is out of range; it must lie between alpha and 1.")
    for name, value in positive.items():
        if not value > 0 or not np.isfinite(value):
            raise OptionError(f"{name}={value} is not possible; it is a number above 0.")


def smallest_number(enough: Callable[[int], bool]) -> int:
    """The smallest number of items n ≥ 2 that is enough for an evaluation; more is always better."""
    high = 2
    while not enough(high):
        high *= 2
        if high > MOST:
            raise OptionError(
                f"more than {MOST:,} items would be needed. Ask for a larger difference or "
                "less power, or find a measure with less variance."
            )
    low = high // 2
    while high - low > 1 and high > 2:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def power_of_t(items: int, difference: float, deviation: float, *, alpha: float = 0.05) -> float:
    """The power of the two-sided paired t test: a noncentral t with δ = √n·difference/deviation.

    >>> round(power_of_t(50, 0.05, 0.15), 3)
    0.637
    """
    from scipy.special import nctdtr, stdtrit

    freedom = items - 1
    critical = stdtrit(freedom, 1 - alpha / 2)
    delta = np.sqrt(items) * abs(difference) / deviation
    return float(1 - nctdtr(freedom, delta, critical) + nctdtr(freedom, delta, -critical))


def items_for_t(
    difference: float, deviation: float, *, alpha: float = 0.05, power: float = 0.8
) -> Design:
    """Return the number of items for the paired t-test to find a mean difference with given power.

    Parameters
    ----------
    difference : float
        The mean difference to find.
    deviation : float
        Standard deviation of the differences, from a pilot or an earlier collection (see
        `pilot_variance`).
    alpha : float
        Significance level.
    power : float
        The power to reach.

    Returns
    -------
    Design
        The number of items, and the power it reaches.

    Raises
    ------
    OptionError
        If `difference` is 0, `deviation` is not above 0, `power` does not lie between `alpha` and 1,
        or more than 10,000,000 items would be needed.

    References
    ----------
    Sakai (2016). Topic set size design. Information Retrieval Journal 19.

    Examples
    --------
    >>> items_for_t(0.05, 0.15).items
    73
    """
    check_design(alpha, power, difference=abs(difference), deviation=deviation)
    n = smallest_number(lambda k: power_of_t(k, difference, deviation, alpha=alpha) >= power)
    given = (("difference", difference), ("deviation", deviation), ("alpha", alpha))
    below = power_of_t(n - 1, difference, deviation, alpha=alpha) if n > 2 else None
    reached = power_of_t(n, difference, deviation, alpha=alpha)
    return Design("paired t", n, reached, below, "power", given)


def power_of_anova(
    items: int, systems: int, difference: float, deviation: float, *, alpha: float = 0.05
) -> float:
    """The power of one-way analysis of variance if the best and worst of m systems differ by D.

    λ is at least n·D²/(2σ²), with the other systems halfway; F has m−1 and m(n−1) degrees of freedom.
    """
    from scipy.special import fdtri, ncfdtr

    between, within = systems - 1, systems * (items - 1)
    critical = fdtri(between, within, 1 - alpha)
    noncentrality = items * difference**2 / (2 * deviation**2)
    return float(1 - ncfdtr(between, within, noncentrality, critical))


def items_for_anova(
    systems: int, difference: float, deviation: float, *, alpha: float = 0.05, power: float = 0.8
) -> Design:
    """Return the number of items for one-way analysis of variance to find a difference between systems.

    Parameters
    ----------
    systems : int
        Number of systems.
    difference : float
        Difference between the best and the worst system.
    deviation : float
        Standard deviation of the scores within a system.
    alpha : float
        Significance level.
    power : float
        The power to reach.

    Returns
    -------
    Design
        The number of items, and the power it reaches.

    Raises
    ------
    OptionError
        If `systems` is below 2, `difference` is 0, `deviation` is not above 0, `power` does not lie between
        `alpha` and 1, or more than 10,000,000 items would be needed.

    References
    ----------
    Sakai (2016). Topic set size design. Information Retrieval Journal 19.

    Examples
    --------
    >>> items_for_anova(5, 0.1, 0.2).items
    97
    """
    check_design(alpha, power, difference=abs(difference), deviation=deviation)
    if systems < 2:
        raise OptionError(f"systems={systems} is too few; at least 2.")

    def reach(n: int) -> float:
        return power_of_anova(n, systems, difference, deviation, alpha=alpha)

    n = smallest_number(lambda k: reach(k) >= power)
    given = (
        ("systems", float(systems)),
        ("difference", difference),
        ("deviation", deviation),
        ("alpha", alpha),
    )
    below = reach(n - 1) if n > 2 else None
    return Design("one-way ANOVA", n, reach(n), below, "power", given)


def width_of_interval(items: int, deviation: float, *, alpha: float = 0.05) -> float:
    """The expected width of Student's interval: 2·t·E[s]/√n, E[s] = σ√(2/f)·Γ((f+1)/2)/Γ(f/2)."""
    from scipy.special import gammaln, stdtrit

    f = items - 1
    expected = deviation * np.sqrt(2 / f) * np.exp(gammaln((f + 1) / 2) - gammaln(f / 2))
    return float(2 * stdtrit(f, 1 - alpha / 2) * expected / np.sqrt(items))


def items_for_interval(width: float, deviation: float, *, alpha: float = 0.05) -> Design:
    """Return the number of items for an interval of a mean difference with given expected width.

    Parameters
    ----------
    width : float
        The largest expected width of the interval.
    deviation : float
        Standard deviation of the differences.
    alpha : float
        Significance level.

    Returns
    -------
    Design
        The number of items, and the width it reaches.

    Raises
    ------
    OptionError
        If `width` is not above 0, `deviation` is not above 0, `alpha` does not lie between 0 and 1,
        or more than 10,000,000 items would be needed.

    References
    ----------
    Sakai (2016). Topic set size design. Information Retrieval Journal 19.

    Examples
    --------
    >>> items_for_interval(0.1, 0.15).items
    37
    """
    check_design(alpha, None, width=width, deviation=deviation)
    n = smallest_number(lambda k: width_of_interval(k, deviation, alpha=alpha) <= width)
    below = width_of_interval(n - 1, deviation, alpha=alpha) if n > 2 else None
    given = (("width asked", width), ("deviation", deviation), ("alpha", alpha))
    reached = width_of_interval(n, deviation, alpha=alpha)
    return Design("interval width", n, reached, below, "width", given)


# The number of items from a pilot: its variances, and resampling of its differences.


MOST_ITEMS = 100_000  # of an experiment that is simulated


def pilot_variance(values: ArrayLike) -> dict[str, float]:
    """Estimate variances from a pilot: within systems, residual, and of differences.

    Parameters
    ----------
    values : array_like
        The scores of the pilot, systems × items; NaN where one is missing. Items that lack a system are left out.

    Returns
    -------
    dict of str to float
        The variance within systems (one-way), the residual of systems + items (two-way), and the
        variance of the difference of two systems, which is twice the residual.

    Raises
    ------
    MismatchError
        If there are fewer than 2 systems, or fewer than 2 items with a score of each.

    Examples
    --------
    >>> found = pilot_variance([[0.5, 0.7, 0.9], [0.4, 0.5, 0.6]])
    >>> {name: round(value, 4) for name, value in found.items()}
    {'within': 0.025, 'residual': 0.005, 'difference': 0.01}
    """
    given = finite_matrix(values)
    whole = given[:, ~np.isnan(given).any(axis=0)]
    m, n = whole.shape
    if m < 2:
        raise MismatchError(f"found {m} system; the variance of a difference needs at least 2.")
    if n < 2:
        raise MismatchError(
            f"only {n} item(s) have a score of every system; a variance needs at least 2."
        )
    within = float(whole.var(axis=1, ddof=1).mean())
    residuals = whole - whole.mean(1, keepdims=True) - whole.mean(0, keepdims=True) + whole.mean()
    residual = float((residuals**2).sum()) / ((m - 1) * (n - 1))
    return {"within": within, "residual": residual, "difference": 2 * residual}


def items_from_pilot(
    differences: ArrayLike,
    *,
    difference: float | None = None,
    test: str = "t",
    alpha: float = 0.05,
    power: float = 0.8,
    simulations: int = 2000,
    draws: int = 999,
    most: int = 5000,
    seed: int = 0,
    threads: int = 0,
    engine: Drawing | None = None,
) -> Design:
    """Return the number of items for a test to find a difference, by resampling a pilot.

    Samples of n items are drawn with replacement from the pilot's differences, shifted to the mean
    `difference`. The result is the smallest n whose share of rejections reaches `power`. It keeps the
    skewness, ties and outliers of the pilot. The pilot is taken as if it were all items: its own sampling
    error is not counted, and more often than not a small pilot gives too few items. Ask for more power, or for
    a smaller difference.

    Parameters
    ----------
    differences : array_like
        The differences of two systems, one per item of the pilot; NaN where one is missing.
    difference : float, optional
        The mean difference to find; by default that of the pilot, which is often too large.
    test : str
        One of `TESTS`.
    alpha : float
        Significance level.
    power : float
        The power to reach.
    simulations : int
        Number of simulated experiments.
    draws : int
        Number of random draws.
    most : int
        The largest number of items to try.
    seed : int
        Seed of the random draws.
    threads : int
        Number of threads; 0 uses all cores. The result does not depend on it.
    engine : engine, optional
        Where random draws of tests are made: an engine of `tare.engines`. The numbers are the same.

    Returns
    -------
    Design
        The number of items, and the power it reaches.

    Raises
    ------
    OptionError
        If the test is unknown, an option is out of range, the difference or its standard deviation is 0, or
        `most` items do not reach the power.
    MismatchError
        If there are fewer than 5 differences.

    Examples
    --------
    >>> pilot = [0.3, 0.1, -0.2, 0.4, 0.0, 0.2, -0.1, 0.3]
    >>> items_from_pilot(pilot, difference=0.1, simulations=500).items
    35
    """
    choose("test", test, PAIR_TESTS)
    check_simulations(simulations)
    check_seed(seed)
    if not 2 <= most <= MOST_ITEMS:
        raise OptionError(f"most={most}: 2 to {MOST_ITEMS:,} items can be simulated.")
    given = finite_matrix(differences)[0]
    observed = given[~np.isnan(given)]
    if len(observed) < 5:
        raise MismatchError(f"the pilot has {len(observed)} differences; it needs at least 5.")
    aim = float(observed.mean()) if difference is None else difference
    check_design(alpha, power, difference=abs(aim), deviation=float(observed.std(ddof=1)))
    shifted = observed - observed.mean() + aim
    options = TestOptions(draws, seed, alpha, threads=threads, engine=engine)
    known: dict[int, float] = {}

    def reach(n: int) -> float:
        if n not in known:
            u = uniforms(simulations, n, seed=seed, substream=23, threads=threads)
            rows = shifted[(u * len(shifted)).astype(np.int64)]
            found = run_test(Pairs.of_rows(rows, np.zeros_like(rows)), test, options)
            known[n] = float((found.p <= alpha).mean())
        return known[n]

    def enough(n: int) -> bool:
        found = reach(min(n, most)) >= power
        if not found and n >= most:
            raise OptionError(
                f"{most:,} items reach a power of only {reach(most):.2f}. Ask for a larger "
                "difference, less power, or more items (most=, --most)."
            )
        return found

    n = smallest_number(enough)
    reached = reach(min(n, most))
    below = reach(n - 1) if n > 2 else None
    given = (("difference", aim), ("deviation", float(observed.std(ddof=1))), ("alpha", alpha))
    note = (
        f"{simulations:,} experiments drawn from {len(observed)} pilot items, test {test}, "
        f"seed {seed}; simulation error of the power {np.sqrt(power * (1 - power) / simulations):.3f}. "
        f"{'The deviation' if difference is not None else 'The difference and the deviation'} of the pilot "
        f"{'is' if difference is not None else 'are'} taken as true: its own sampling error is not counted, "
        "and more often than not a small pilot gives too few items."
    )
    return Design(f"pilot, {test}", min(n, most), reached, below, "power", given, note)
