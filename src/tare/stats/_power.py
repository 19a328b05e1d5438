"""Power curves: how often each test finds a difference between two groups of systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._measures.measure import Measure
from tare._measures.one_system import opened_engine
from tare._measures.scores import Scores
from tare._result import Result, Row, Rows
from tare._tables import Column, Table
from tare.errors import MismatchError, OptionError, choose
from tare.stats._draws import Drawing
from tare.stats._experiments import cutoff_of, distribution, document_effect, experiment_p_values
from tare.stats._pairs import matrix_of, rounded
from tare.stats._randomisation import check_simulations
from tare.stats._tests import TESTS

__all__ = [
    "PAIR_TESTS",
    "SIDES",
    "SIDE_WORDS",
    "STEPS",
    "PowerCurve",
    "document_effect",
    "power_curve",
]

PAIR_TESTS = tuple(name for name, test in TESTS.items() if not test.family_wise)
SIDE_WORDS = {
    "both": "two-sided",
    "above": "one-sided, the second group above the first",
    "below": "one-sided, the second group below the first",
}
STEPS = (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)
SIDES = tuple(SIDE_WORDS)
Floats = NDArray[np.float64]


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
    >>> import tare
    >>> data = tare.simulate(queries=20, seed=1)
    >>> scores = tare.evaluate(data.qrels, data.runs, "nDCG@10")
    >>> groups = ["random"], ["lexical"]
    >>> counts = {"simulations": 100, "null_simulations": 100}
    >>> found = power_curve(scores, *groups, tests=["t"], steps=[0.5, 1], **counts)
    >>> found.t.tolist(), found.items
    ([0.0, 0.5, 1.0], 20)
    >>> found.rates["t"].round(2).tolist()
    [0.05, 0.9, 1.0]
    """

    figure_module: ClassVar[str] = "tare.report._chapters.studies.power"

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
    scores: Scores,
    first: Sequence[str],
    second: Sequence[str],
    *,
    measure: str | Measure | None = None,
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
    engine: str | Drawing | None = None,
) -> PowerCurve:
    """Simulate the power of tests as one system moves from one group of systems to another.

    p_M and p_H are the distributions of all scores of the systems `first` and `second`. An experiment
    draws `items` pairs, x from p_M and y from p_t = (1 − t)p_M + t·p_H, and runs the tests. The cutoff of
    each test is the alpha quantile of its p-value at t = 0 (Rankel 2016, §3.7).

    Parameters
    ----------
    scores : Scores
        The scores.
    first, second : sequence of str
        The two groups of systems.
    measure : str or Measure, optional
        The measure, if the table has several.
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
    engine : str or engine, optional
        Where experiments are simulated: "local", "ray" or an engine of `tare.engines`. The numbers are
        the same.

    Returns
    -------
    PowerCurve
        Rejection rates per test and t.

    Raises
    ------
    OptionError
        If a test, a system or the measure is unknown, or an option is out of range.
    MismatchError
        If no item has scores of both groups although `documents` is true, or a score is infinite.

    Examples
    --------
    >>> import tare
    >>> data = tare.simulate(queries=20, seed=1)
    >>> scores = tare.evaluate(data.qrels, data.runs, "nDCG@10")
    >>> groups = ["random"], ["lexical"]
    >>> counts = {"simulations": 100, "null_simulations": 100}
    >>> found = power_curve(scores, *groups, tests=["t"], steps=[0.5, 1], **counts)
    >>> [(row["t"], round(row["power"], 2)) for row in found.rows()]
    [(0.0, 0.05), (0.5, 0.9), (1.0, 1.0)]
    """
    choose("side", side, SIDES)
    for test in tests:
        choose("tests", test, PAIR_TESTS)
    grid = np.unique(np.concatenate([[0.0], np.asarray(steps, dtype=np.float64)]))
    if grid[0] < 0 or grid[-1] > 1:
        raise OptionError("steps lie between 0 (the first group) and 1 (the second).")
    check_simulations(simulations)
    check_simulations(null_simulations)
    if not 0 < alpha < 1:
        raise OptionError(f"alpha={alpha} is out of range; it must lie between 0 and 1.")
    if null_simulations < 1 / alpha:
        raise OptionError(
            f"{null_simulations:,} experiments at t = 0 are too few: alpha={alpha:g} needs at least "
            f"{ceil(1 / alpha):,}. Raise the number of simulations (null_simulations=, --simulations)."
        )
    chosen = scores.select(systems=[*dict.fromkeys([*first, *second])])
    # Rounded together: float noise relative to the scores of one group can be more relative to others.
    whole = rounded(matrix_of(chosen, measure)[1])
    distinct = np.unique(whole[~np.isnan(whole)])
    p_m, p_h = (
        distribution(whole[[chosen.systems.index(name) for name in names]], distinct)
        for names in (first, second)
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
    with opened_engine(engine) as place:
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
                place,
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
