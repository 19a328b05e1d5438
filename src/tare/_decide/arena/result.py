"""The result of the study of battles."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._decide.arena import tables
from tare._result import MultiTableResult, Row, Rows
from tare._tables import Table
from tare.errors import MismatchError, OptionError, nearest

if TYPE_CHECKING:
    from tare._decide.arena.fit import Fit
    from tare._decide.arena.pair_flips import PairFlips
    from tare._decide.arena.spread import Spread

__all__ = ["Arena", "RatedSystem", "RatingDifference"]


@dataclass(frozen=True)
class RatedSystem:
    """One system: its rating with interval, its win rate and its ranks within its component.

    `p_best` is the adjusted p-value of the difference from the system with the highest rating.
    """

    system: str
    component: int
    rating: float
    low: float
    high: float
    unadjusted: float
    elo: float
    win_rate: float
    win_low: float
    win_high: float
    rank: int
    rank_low: int
    rank_high: int
    p_best: float
    letters: str
    battles: int
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True)
class RatingDifference:
    """The difference of two ratings, with the interval and the p-value of the test of all pairs."""

    difference: float
    low: float
    high: float
    p_value: float


@dataclass(frozen=True, eq=False, repr=False)
class Arena(MultiTableResult):
    """Ratings of systems from battles, and how far they can be trusted.

    Attributes
    ----------
    systems : tuple of RatedSystem
        The systems, best first, one component after the other.
    covariates : list of dict
        The effect of each covariate, with its test.
    pairs : list of dict
        One row per pair of systems with battles: outcomes, win rate and expected win rate.
    components : tuple of tuple of str
        Systems that are connected by battles. Ranks compare systems of one component only.
    ties : str
        The model of ties: davidson, rao-kupper or half.
    tie_parameter : float or None
        ν of Davidson, or exp(δ) of Rao and Kupper.
    cluster : str
        The unit: prompt, judge or battle.
    units, battles, both_bad : int
        Number of units, of battles, and of battles in which both answers were bad.
    prior : float or None
        Standard deviation of the prior of the ratings.
    alpha : float
        Error rate of the intervals.
    draws, seed : int
        Number of sign patterns that are drawn where there are more, and their seed.
    findings : tuple of Finding
        What a reader should know about the battles.
    fit : Fit
        The fitted model.
    spread : Spread
        The sandwich covariance of its parameters.
    flips : PairFlips
        The test of all pairs.

    Examples
    --------
    >>> import tare
    >>> rows = [(f"p{k}", "x", "y", "a" if k % 4 else "b") for k in range(40)]
    >>> found = tare.arena(rows, draws=200)
    >>> found["x"].rank, found["x"].wins, found.battles
    (1, 30, 40)
    >>> round(found.difference("x", "y").difference, 3)
    1.099
    """

    figure_module: ClassVar[str] = "tare.report._chapters.studies.arena"

    systems: tuple[RatedSystem, ...]
    covariates: Rows
    pairs: Rows
    components: tuple[tuple[str, ...], ...]
    ties: str
    tie_parameter: float | None
    cluster: str
    units: int
    battles: int
    both_bad: int
    prior: float | None
    alpha: float
    draws: int
    seed: int
    findings: tuple[Finding, ...] = ()
    fit: Fit = field(kw_only=True)
    spread: Spread = field(kw_only=True)
    flips: PairFlips = field(kw_only=True)

    def __getitem__(self, system: str) -> RatedSystem:
        for found in self.systems:
            if found.system == system:
                return found
        names = [s.system for s in self.systems]
        raise OptionError(
            f"there is no system {system!r}; there are {', '.join(names[:12])}.{nearest(system, names)}"
        )

    def difference(self, a: str, b: str) -> RatingDifference:
        """Return the rating of `a` minus that of `b`, with its simultaneous interval.

        Parameters
        ----------
        a, b : str
            Two systems of the same component.

        Returns
        -------
        RatingDifference
            The p-value is adjusted for all pairs of the component, and the interval (the sandwich's
            error times the critical value of the flips) excludes 0 exactly if p ≤ alpha; NaN where no
            pair can be significant.
        """
        if self[a].component != self[b].component:
            raise MismatchError(
                f"{a!r} and {b!r} are not connected by battles, so they cannot be compared."
            )
        i, j = (self.fit.design.systems.index(name) for name in (a, b))
        gap = float(self.fit.ratings[i] - self.fit.ratings[j])
        error = float(self.spread.difference_errors(self.fit.design.size)[i, j])
        half = float(self.flips.critical[self[a].component - 1]) * error
        p = float(self.flips.p[i, j])
        low, high = gap - half, gap + half
        if p > self.alpha * (1 + 1e-9):  # where rounding puts an end on the wrong side, p decides
            low, high = min(low, 0.0), max(high, 0.0)
        return RatingDifference(gap, low, high, p)

    @property
    def covariance(self) -> NDArray[np.float64]:
        """The sandwich covariance of the ratings, in the order of `fit.design.systems`."""
        size = self.fit.design.size
        return self.spread.covariance[:size, :size]

    def tables(self) -> dict[str, Table]:
        """Return the tables: ratings, covariates and pairs."""
        made = {
            "ratings": tables.ratings(self),
            "covariates": tables.covariates(self),
            "pairs": tables.pairs(self),
        }
        return {name: table for name, table in made.items() if table is not None}

    def all_rows(self) -> dict[str, Rows]:
        """Return the rows of all tables by name."""
        made = {
            "ratings": [vars(s) for s in self.systems],
            "covariates": self.covariates,
            "pairs": self.pairs,
        }
        return {name: rows for name, rows in made.items() if rows}

    def facts(self) -> Row:
        """Return the options, the components and the findings."""
        names = (
            "ties",
            "tie_parameter",
            "cluster",
            "units",
            "battles",
            "both_bad",
            "prior",
            "alpha",
            "draws",
            "seed",
        )
        return {name: getattr(self, name) for name in names} | {
            "components": [list(c) for c in self.components],
            "notes": list(self.notes),
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """The findings as sentences."""
        return tuple(str(finding) for finding in self.findings)
