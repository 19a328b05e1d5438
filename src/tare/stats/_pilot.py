"""The number of items from a pilot: its variances, and resampling of its differences."""

from __future__ import annotations

import numpy as np

from tare._data.simulation import check_seed
from tare._kernels.statistics import uniforms
from tare._measures.measure import Measure
from tare._measures.one_system import opened_engine
from tare._measures.scores import Scores
from tare.errors import MismatchError, OptionError, choose
from tare.stats._design import Design, check_design, smallest_number
from tare.stats._draws import Drawing
from tare.stats._pairs import Pairs
from tare.stats._power import PAIR_TESTS
from tare.stats._randomisation import check_simulations
from tare.stats._tests import TestOptions, run_test

__all__ = ["items_from_pilot", "pilot_variance"]

MOST_ITEMS = 100_000  # of an experiment that is simulated


def pilot_variance(scores: Scores, *, measure: str | Measure | None = None) -> dict[str, float]:
    """Estimate variances from a pilot: within systems, residual, and of differences.

    Parameters
    ----------
    scores : Scores
        The pilot.
    measure : str or Measure, optional
        The measure, if the table has several.

    Returns
    -------
    dict of str to float
        The variance within systems (one-way), the residual of systems + items (two-way), and the
        variance of the difference of two systems, which is twice the residual.

    Raises
    ------
    MismatchError
        If there are fewer than 2 systems, or fewer than 2 items with a score of each.
    OptionError
        If `measure` is not in the table.

    Examples
    --------
    >>> import tare
    >>> data = tare.simulate(queries=20, seed=1)
    >>> scores = tare.evaluate(data.qrels, data.runs, "nDCG@10")
    >>> {name: round(value, 4) for name, value in pilot_variance(scores).items()}
    {'within': 0.0601, 'residual': 0.0292, 'difference': 0.0584}
    """
    pairs = Pairs.of(scores, measure=measure)
    whole = pairs.scores[:, pairs.complete]
    m, n = whole.shape
    if n < 2:
        raise MismatchError(
            f"only {n} item(s) have a score of every system; a variance needs at least 2."
        )
    within = float(whole.var(axis=1, ddof=1).mean())
    residuals = whole - whole.mean(1, keepdims=True) - whole.mean(0, keepdims=True) + whole.mean()
    residual = float((residuals**2).sum()) / ((m - 1) * (n - 1))
    return {"within": within, "residual": residual, "difference": 2 * residual}


def items_from_pilot(
    scores: Scores,
    system: str,
    against: str,
    *,
    measure: str | Measure | None = None,
    difference: float | None = None,
    test: str = "t",
    alpha: float = 0.05,
    power: float = 0.8,
    simulations: int = 2000,
    draws: int = 999,
    most: int = 5000,
    seed: int = 0,
    threads: int = 0,
    engine: str | Drawing | None = None,
) -> Design:
    """Return the number of items for a test to find a difference, by resampling a pilot.

    Samples of n items are drawn with replacement from the pilot's differences, shifted to the mean
    `difference`. The result is the smallest n whose share of rejections reaches `power`. It keeps the
    skewness, ties and outliers of the pilot. The pilot is taken as if it were all items: its own sampling
    error is not counted, and more often than not a small pilot gives too few items. Ask for more power, or for
    a smaller difference.

    Parameters
    ----------
    scores : Scores
        The pilot.
    system, against : str
        The two systems.
    measure : str or Measure, optional
        The measure, if the table has several.
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
    engine : str or engine, optional
        Where random draws of tests are made: "local", "ray" or an engine of `tare.engines`. The numbers
        are the same.

    Returns
    -------
    Design
        The number of items, and the power it reaches.

    Raises
    ------
    OptionError
        If a system, the measure or the test is unknown, an option is out of range, the difference or its
        standard deviation is 0, or `most` items do not reach the power.
    MismatchError
        If the two systems have fewer than 5 items in common.

    Examples
    --------
    >>> import tare
    >>> data = tare.simulate(queries=20, seed=1)
    >>> scores = tare.evaluate(data.qrels, data.runs, "nDCG@10")
    >>> found = items_from_pilot(scores, "lexical", "random", difference=0.1, simulations=500)
    >>> found.items
    42
    """
    choose("test", test, PAIR_TESTS)
    check_simulations(simulations)
    check_seed(seed)
    if not 2 <= most <= MOST_ITEMS:
        raise OptionError(f"most={most}: 2 to {MOST_ITEMS:,} items can be simulated.")
    pairs = Pairs.of(scores.select(systems=[system, against]), measure=measure)
    observed = pairs.differences[0][~np.isnan(pairs.differences[0])]
    if len(observed) < 5:
        raise MismatchError(
            f"{system} and {against} have {len(observed)} common items; a pilot needs at least 5."
        )
    aim = float(observed.mean()) if difference is None else difference
    check_design(alpha, power, difference=abs(aim), deviation=float(observed.std(ddof=1)))
    shifted = observed - observed.mean() + aim
    with opened_engine(engine) as place:
        options = TestOptions(draws, seed, alpha, threads=threads, engine=place)
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
