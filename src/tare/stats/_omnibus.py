"""Omnibus tests: does any system differ from the others?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._measures.measure import Measure
from tare._measures.scores import Scores
from tare._result import Row, SingleRowResult
from tare._tables import Column, PColumn, Table
from tare.errors import MismatchError
from tare.stats._mean_ranks import mean_ranks
from tare.stats._pairs import DIGITS, matrix_of, rounded

if TYPE_CHECKING:
    pass

__all__ = ["Omnibus", "friedman", "friedman_statistic", "kruskal_statistic", "kruskal_wallis"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class Omnibus(SingleRowResult):
    """A statistic of all systems, its degrees of freedom, and p from the χ² distribution.

    Attributes
    ----------
    test : str
        The name of the test.
    statistic, p : float
        The statistic, and its p-value.
    freedom : int
        Degrees of freedom.
    systems, items : int
        Number of systems and of items.
    note : str
        Remarks on the data, such as items that were left out.

    Examples
    --------
    >>> import polars as pl
    >>> import tare
    >>> values = {"a": [5, 6, 7], "b": [4, 4, 5], "c": [1, 2, 2]}
    >>> rows = [(s, k, x) for s, xs in values.items() for k, x in enumerate(xs)]
    >>> scores = tare.Scores.load(pl.DataFrame(rows, schema=["system", "item", "AP"], orient="row"))
    >>> found = friedman(scores)
    >>> found.statistic, found.freedom, round(found.p, 4)
    (6.0, 2, 0.0498)
    """

    test: str
    statistic: float
    freedom: int
    p: float
    systems: int
    items: int
    note: str = ""

    def table(self) -> Table:
        """One row."""
        row = (self.test, self.statistic, self.freedom, self.p, self.systems, self.items)
        columns = [
            Column("test", align="left"),
            Column("χ²"),
            Column("df"),
            PColumn("p"),
            Column("systems"),
            Column("n"),
        ]
        return Table.of(columns, [row], notes=[self.note] if self.note else [])

    def row(self) -> Row:
        """Return the fields."""
        return asdict(self)


def kruskal_statistic(groups: Sequence[Floats]) -> tuple[float, float]:
    """H of groups of values, corrected for ties, and its p."""
    from scipy.special import chdtrc

    flat = np.concatenate(groups)
    sizes = np.array([len(g) for g in groups])
    total = float(len(flat))
    _, counts = np.unique(flat, return_counts=True)
    correction = 1 - float((counts.astype(np.float64) ** 3 - counts).sum()) / (total**3 - total)
    if correction <= 0:
        return 0.0, 1.0
    sums = np.array([r.sum() for r in np.split(mean_ranks(flat), np.cumsum(sizes)[:-1])])
    h = 12 / (total * (total + 1)) * float((sums**2 / sizes).sum()) - 3 * (total + 1)
    return h / correction, float(chdtrc(len(groups) - 1, h / correction))


def friedman_statistic(whole: Floats) -> tuple[float, float]:
    """Q of the rows of a full matrix, ranked within its columns, corrected for ties, and its p."""
    from scipy.special import chdtrc

    m, n = whole.shape
    ranks = mean_ranks(whole.T).T
    spread = float((ranks**2).sum()) - n * m * (m + 1) ** 2 / 4
    if spread <= 0:
        return 0.0, 1.0
    sums = ranks.sum(axis=1) - n * (m + 1) / 2
    statistic = (m - 1) * float((sums**2).sum()) / spread
    return statistic, float(chdtrc(m - 1, statistic))


def kruskal_wallis(
    scores: Scores, *, measure: str | Measure | None = None, digits: int = DIGITS
) -> Omnibus:
    """Run the Kruskal–Wallis test on the ranks of all scores together, corrected for ties.

    It treats the scores of different systems as independent samples; `friedman` ranks within items.

    Parameters
    ----------
    scores : Scores
        The scores.
    measure : str or Measure, optional
        The measure, if the table has several.
    digits : int
        Scores are rounded to this many digits of the largest before they are ranked.

    Returns
    -------
    Omnibus
        H = [12/(N(N+1)) Σ R_s²/n_s − 3(N+1)] / [1 − Σ(t³ − t)/(N³ − N)] and its p-value.

    Raises
    ------
    MismatchError
        If there are fewer than 2 systems or 3 scores, a system has no score, or a score is infinite.
    OptionError
        If the table has several measures and none is chosen, or `measure` is not in it.

    References
    ----------
    Kruskal and Wallis (1952).

    Examples
    --------
    >>> import polars as pl
    >>> import tare
    >>> values = {"a": [5, 6, 7], "b": [4, 4, 5], "c": [1, 2, 2]}
    >>> rows = [(s, k, x) for s, xs in values.items() for k, x in enumerate(xs)]
    >>> scores = tare.Scores.load(pl.DataFrame(rows, schema=["system", "item", "AP"], orient="row"))
    >>> round(kruskal_wallis(scores).p, 4)
    0.0302
    """
    _, values = matrix_of(scores, measure)
    present = ~np.isnan(values)
    sizes = present.sum(axis=1)
    if len(values) < 2 or (sizes == 0).any() or present.sum() < 3:
        raise MismatchError("the Kruskal–Wallis test needs two systems with scores, three in all.")
    flat = rounded(values[present], digits)
    groups = np.split(flat, np.cumsum(sizes)[:-1])
    statistic, p = kruskal_statistic(groups)
    freedom = len(values) - 1
    note = "" if flat.min() < flat.max() else "all scores are the same"
    return Omnibus("Kruskal–Wallis", statistic, freedom, p, len(values), values.shape[1], note)


def friedman(
    scores: Scores, *, measure: str | Measure | None = None, digits: int = DIGITS
) -> Omnibus:
    """Run Friedman's test on the ranks of the systems within each item, corrected for ties.

    Parameters
    ----------
    scores : Scores
        The scores. Items that lack a system are left out.
    measure : str or Measure, optional
        The measure, if the table has several.
    digits : int
        Scores are rounded to this many digits of the largest before they are ranked.

    Returns
    -------
    Omnibus
        Q = (m−1) Σ_s (R_s − n(m+1)/2)² / [Σ r² − n·m(m+1)²/4] and its p-value.

    Raises
    ------
    MismatchError
        If there are fewer than 2 systems or 2 items with a score of each, or a score is infinite.
    OptionError
        If the table has several measures and none is chosen, or `measure` is not in it.

    References
    ----------
    Friedman (1937).

    Examples
    --------
    >>> import polars as pl
    >>> import tare
    >>> values = {"a": [5, 6, 7], "b": [4, 4, 5], "c": [1, 2, 2]}
    >>> rows = [(s, k, x) for s, xs in values.items() for k, x in enumerate(xs)]
    >>> scores = tare.Scores.load(pl.DataFrame(rows, schema=["system", "item", "AP"], orient="row"))
    >>> round(friedman(scores).p, 4)
    0.0498
    """
    _, values = matrix_of(scores, measure)
    whole = values[:, ~np.isnan(values).any(axis=0)]
    m, n = whole.shape
    if m < 2 or n < 2:
        raise MismatchError(
            f"Friedman's test needs at least 2 systems on 2 common items; found {m} on {n}."
        )
    statistic, p = friedman_statistic(rounded(whole, digits))
    left_out = values.shape[1] - n
    note = f"{left_out:,} items without a score of every system were left out" if left_out else ""
    return Omnibus("Friedman", statistic, m - 1, p, m, n, note)
