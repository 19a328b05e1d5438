"""The result of an arena, battles between systems: ratings, effects of covariates, pairs; and its tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._result import MultiTableResult, Row, RowsByName
from tare._tables import Column, PColumn, Table, interval_column, p_stated
from tare.errors import MismatchError, OptionError, nearest

if TYPE_CHECKING:
    from tare._decide.arena_model import Fit, PairFlips, Spread

__all__ = ["Arena", "RatedSystem", "RatingDifference", "covariates", "pairs", "ratings"]


# The tables of the study of battles.


MAX_LETTERED = 26
SHOWN = 20
RULES = {
    "davidson": "Bradley–Terry with ties by Davidson",
    "rao-kupper": "Bradley–Terry with ties by Rao and Kupper",
    "half": "Bradley–Terry, a tie is half a win for each",
}
UNITS = {"prompt": "prompts", "judge": "judges", "battle": "battles"}


def ratings(study: Arena) -> Table:
    """Return one row per system, best first."""
    lettered = len(study.systems) <= MAX_LETTERED
    several = len(study.components) > 1
    adjusted = bool(study.covariates)
    columns = [
        Column("component", 0) if several else None,
        Column("rank", 0),
        Column("ranks", parts=("low", "high"), between="–", of=("rank_low", "rank_high")),
        Column("system", align="left"),
        Column("rating", 3),
        interval_column("interval", digits=3),
        Column("unadjusted", 3) if adjusted else None,
        Column("Elo scale", 0, of="elo"),
        Column("win rate", 3),
        PColumn("p to best", of="p_best"),
        Column("letters", align="left") if lettered else None,
        Column("battles", 0),
    ]
    rows = [{**vars(s), "p_best": None if s.rank == 1 else s.p_best} for s in study.systems]
    level = f"{100 * (1 - study.alpha):g} %"
    notes = [
        f"{RULES[study.ties]}, {study.battles:,} battles; intervals by the sandwich over "
        f"{study.units:,} {UNITS[study.cluster]} ({level}, each rating alone).",
        f"Ranks: all intervals of a component together contain the true ranks in about {level} of "
        f"samples; {_patterns(study)} of {UNITS[study.cluster]}, adjusted by the largest |t| "
        "of all pairs.",
        "Rating: logit of winning, mean 0. Win rate: expected against the other systems; 0.5 is the mean.",
        *study.notes,
    ]
    return Table.of_rows(columns, rows, title="Ratings", notes=notes)


def _patterns(study: Arena) -> str:
    if study.flips.exact:
        return f"all {study.flips.patterns:,} sign patterns"
    return f"{study.flips.patterns:,} drawn sign patterns (seed {study.seed})"


def covariates(study: Arena) -> Table | None:
    """Return the effect of each covariate."""
    if not study.covariates:
        return None
    columns: list[Column | str] = [
        "covariate",
        Column("effect"),
        interval_column("interval", of=("effect_low", "effect_high")),
        Column("per unit", 6),
        PColumn("p", of="p_value"),
    ]
    note = (
        "Effect on the logit of winning: of being shown first (position), or of one standard deviation of the "
        "difference between the two answers. The ratings hold for equal covariates."
    )
    return Table.of_rows(columns, study.covariates, title="Covariates", notes=[note])


def pairs(study: Arena) -> Table:
    """Return the win rates of the pairs with the most battles."""
    rows = sorted(study.pairs, key=lambda r: (-r["battles"], r["a"], r["b"]))
    columns = [
        Column("system", align="left", of="a"),
        Column("against", align="left", of="b"),
        Column("battles", 0),
        Column("wins", 0),
        Column("ties", 0),
        Column("losses", 0),
        Column("win rate", 3),
        Column("expected", 3, of="expected_win_rate"),
    ]
    notes = ["Win rate: a tie counts half. Expected: by the ratings and covariates."]
    if len(rows) > SHOWN:
        notes.append(f"The {SHOWN} pairs with the most battles, of {len(rows):,}.")
    return Table.of_rows(columns, rows[:SHOWN], title="Pairs of systems", notes=notes)


# The result of the study of battles.


@dataclass(frozen=True)
class RatedSystem:
    """One system of an arena: its rating with interval, its win rate and its ranks within its component.

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
    """The difference of two ratings of an arena, with the interval and the p-value of the test of all pairs."""

    difference: float
    low: float
    high: float
    p_value: float


class CovariateEffect(TypedDict):
    """The effect of a covariate on the logit of winning a battle: by a standard deviation, and by one unit."""

    covariate: str
    effect: float
    effect_low: float
    effect_high: float
    per_unit: float
    p_value: float


class PairOfSystems(TypedDict):
    """The battles of two systems: outcomes of the first, its win rate, and the rate that the model expects."""

    a: str
    b: str
    battles: int
    wins: int
    ties: int
    losses: int
    win_rate: float
    expected_win_rate: float


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

    systems: tuple[RatedSystem, ...]
    covariates: list[CovariateEffect]
    pairs: list[PairOfSystems]
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
            "ratings": ratings(self),
            "covariates": covariates(self),
            "pairs": pairs(self),
        }
        return {name: table for name, table in made.items() if table is not None}

    def all_rows(self) -> RowsByName:
        """Return the rows of all tables by name."""
        made: RowsByName = {
            "ratings": [vars(s) for s in self.systems],
            "covariates": self.covariates,
            "pairs": self.pairs,
        }
        return {name: rows for name, rows in made.items() if rows}

    def headlines(self) -> list[str]:
        """Return who is best in each component, and what covariates do."""
        made = []
        several = len(self.components) > 1
        for number in range(1, len(self.components) + 1):
            own = [s for s in self.systems if s.component == number]
            rest = [s for s in own[1:] if s.rank_low == 1]
            where = f" of group {number}" if several else ""
            made.append(
                f"{own[0].system} has the highest rating{where} and is significantly better than all others."
                if not rest
                else f"{own[0].system} has the highest rating{where}; {len(rest):,} of {len(own) - 1:,} other "
                "systems are not significantly worse than any system."
            )
        for row in self.covariates:
            what = (
                "Being shown first"
                if row["covariate"] == "position"
                else f"More {row['covariate']}"
            )
            p = p_stated(row["p_value"])
            if row["p_value"] < self.alpha:
                way = "raises" if row["effect"] > 0 else "lowers"
                made.append(f"{what} {way} the chance of winning ({p}); the ratings are net of it.")
            else:
                made.append(f"{what} has no significant effect ({p}).")
        return made

    def answer(self) -> str:
        """Return who is best; of several components, in the first two."""
        return " ".join(self.headlines()[: min(2, len(self.components))])

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
