"""The result of a leaderboard: macro means and ranks of systems, systems left out, and its tables."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._decide.leaderboard_data import NO_NET
from tare._result import Result, Row, Rows
from tare._signature import Signature
from tare._tables import Column, PColumn, Table

__all__ = ["Leaderboard", "LeftOut", "Place"]


MAX_LETTERED = 26  # systems
KINDS = {"queries": "queries", "datasets": "data sets"}
UNITS = {
    "queries": "The queries are the unit: ranks are for these data sets only.",
    "datasets": "The data sets are the unit: ranks are for data sets like these.",
}


@dataclass(frozen=True)
class Place:
    """One system of a leaderboard.

    The mean is NaN if the system lacks scores. Without a test of differences rank, low, high, tied and
    p_best are None. `tied` says whether the system is not significantly different from the first, and
    `p_best` is the adjusted p-value of that difference. `missing` names the data sets without scores;
    if they were imputed, `by_dataset` has the imputed values.
    """

    system: str
    mean: float
    mean_low: float
    mean_high: float
    rank: int | None
    low: int | None
    high: int | None
    tied: bool | None
    p_best: float | None
    letters: str
    by_dataset: tuple[float, ...]
    missing: tuple[str, ...] = ()
    net: float | None = None
    net_by_dataset: tuple[float, ...] = ()

    @property
    def own_letters(self) -> list[str]:
        """The letters of the system, one by one."""
        return self.letters.split(",") if "," in self.letters else list(self.letters)

    @property
    def ranks(self) -> str:
        """The rank interval as a text."""
        if self.low is None:
            return "–"
        return f"{self.low}" if self.low == self.high else f"{self.low}–{self.high}"


@dataclass(frozen=True)
class LeftOut:
    """A system without a rank on the leaderboard, because it lacks scores."""

    system: str
    by_dataset: tuple[float, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(Result):
    """Systems in the order of their macro means, with rank intervals.

    Attributes
    ----------
    places : tuple of Place
        The systems, best first.
    datasets : tuple of str
        The data sets.
    measure : str
        The measure.
    over : str
        The unit: datasets or queries.
    alpha : float
        Error rate of all rank intervals together.
    incomplete : str
        What was done with systems that lack scores.
    left_out : tuple of LeftOut
        The systems without a rank.
    draws, seed : int
        Number of sign patterns that are drawn where there are more, and their seed.
    findings : tuple of Finding
        What a reader should know about the data.
    signatures : tuple of Signature
        The signatures of the scores.
    lower_is_better : bool
        Whether lower scores are better.
    could_have_net : bool
        Whether the measure has net scores.
    method : str
        How differences were tested; empty if they were not.
    unranked : str
        Why there are no ranks; empty if there are.
    limited : str
        Why all rank intervals are 1…K, however large the differences are; empty if they need not be.
    bounds : tuple
        The lowest and the highest possible score; None where there is none.
    by : str or None
        The attribute of the items that names their data set; None if each item is one.
    cells : tuple of ndarray
        The scores of queries, for the page: systems × queries of each data set; empty if the data sets
        are the unit, or if they are many.
    spread : tuple of ndarray
        Values with the means of `cells` and the spread of the scores; the same except for ratios of means.

    Examples
    --------
    >>> import polars as pl
    >>> import tare
    >>> rows = [(s, t, x + 0.01 * t) for s, x in (("a", 0.9), ("b", 0.5)) for t in range(8)]
    >>> frame = pl.DataFrame(rows, schema=["system", "item", "accuracy"], orient="row")
    >>> found = tare.leaderboard(tare.Scores.load(frame))
    >>> [(place.rank, place.system) for place in found.places]
    [(1, 'a'), (2, 'b')]
    >>> found.tied_with_best
    ()
    """

    places: tuple[Place, ...]
    datasets: tuple[str, ...]
    measure: str
    over: str
    alpha: float
    draws: int
    seed: int
    findings: tuple[Finding, ...] = ()
    signatures: tuple[Signature, ...] = ()
    incomplete: str = "refuse"
    left_out: tuple[LeftOut, ...] = ()
    lower_is_better: bool = False
    could_have_net: bool = False
    method: str = ""
    unranked: str = ""
    limited: str = ""
    bounds: tuple[float | None, float | None] = (None, None)
    by: str | None = None
    cells: tuple[NDArray[np.float64], ...] = ()
    spread: tuple[NDArray[np.float64], ...] = ()

    @property
    def has_net(self) -> bool:
        """Whether the net scores are known."""
        return any(place.net is not None for place in self.places)

    @property
    def missing(self) -> tuple[tuple[str, str], ...]:
        """All cells without scores, as pairs of system and data set."""
        rows: tuple[Place | LeftOut, ...] = (*self.places, *self.left_out)
        return tuple((row.system, name) for row in rows for name in row.missing)

    @property
    def tied_with_best(self) -> tuple[str, ...]:
        """The systems that are not significantly different from the first, without it."""
        return tuple(place.system for place in self.places[1:] if place.tied)

    def table(self) -> Table:
        """Return one row per system, best first."""
        lettered = len(self.places) <= MAX_LETTERED  # `rows()` always has the letters
        lacking = any(place.missing for place in self.places)
        columns = [
            Column("rank", 0),
            Column("ranks", align="left"),
            Column("system", align="left"),
            Column(self.measure, of="mean"),
            Column("low", of="mean_low"),
            Column("high", of="mean_high"),
            Column("net") if self.has_net else None,
            PColumn("p to best"),
            Column("tied with best", align="left"),
            Column("missing", 0) if lacking else None,
            Column("letters", align="left") if lettered else None,
        ]
        rows = [
            {
                **row,
                "ranks": place.ranks,
                "p_to_best": None if place is self.places[0] else place.p_best,
                "tied_with_best": None if place.tied is None else "yes" if place.tied else "no",
                "missing": len(place.missing),
            }
            for row, place in zip(self.rows(), self.places, strict=True)
        ]
        return Table.of_rows(columns, rows, title="Leaderboard", notes=self.notes())

    def answer(self) -> str:
        """Return who is first, and how many are not significantly different; without ranks, why."""
        return self.scope() if self.unranked else self._first()

    def headlines(self) -> list[str]:
        """Return who is first, and how many neighbours in the ranking differ significantly."""
        if self.unranked:
            return [self.scope()]
        pairs = list(zip(self.places, self.places[1:], strict=False))
        apart = sum(not set(a.own_letters) & set(b.own_letters) for a, b in pairs)
        return [
            self.answer(),
            f"{apart:,} of {len(pairs):,} {'pair' if len(pairs) == 1 else 'pairs'} of neighbours in the ranking "
            f"{'differs' if apart == 1 else 'differ'} significantly.",
            self.scope(),
        ]

    def scope(self) -> str:
        """Return what the means and the ranks are about."""
        count = len(self.datasets)
        sets = f"{count:,} data {'set' if count == 1 else 'sets'}"
        if self.by is None:
            sets = f"{count:,} {'item' if count == 1 else 'items'}, each taken as a data set"
        return f"Mean over {sets}. {self.unranked or UNITS[self.over]}"

    def notes(self) -> list[str]:
        """Return what the ranks are about, who is first, and the findings."""
        net = []
        if self.could_have_net and not self.has_net:
            net = [NO_NET.format(measure=self.measure, name=f"Net({self.measure})")]
        level = f"{100 * (1 - self.alpha):g} %"
        ends = f"Low and high: {level} interval of each mean alone, over the {KINDS[self.over]}."
        rest = [ends, *net, *map(str, self.findings)]
        if self.unranked:
            return [self.scope(), *rest]
        claim = self.limited or self._claim(level)
        return [
            f"{self.scope()} {claim}",
            self._first(),
            f"P-values: {self.method}.",
            *rest,
        ]

    def _claim(self, level: str) -> str:
        """Return what all rank intervals together claim."""
        whole = not any(place.missing for place in self.places)
        worlds = " (82–88 % in strongly skewed worlds)" if whole and self.alpha == 0.05 else ""
        what = "are normal" if self.method.startswith("t-tests") else "are symmetric"
        return f"All intervals together contain the true ranks in {level} of samples if differences {what}{worlds}."

    def _first(self) -> str:
        """Say who is first on the leaderboard, and how many are not significantly different."""
        first, tied = self.places[0], len(self.tied_with_best)
        end = "lowest" if self.lower_is_better else "highest"
        which = "is first" if first.missing else f"has the {end} mean"
        if first.high == 1:
            return f"{first.system} {which} and is significantly better than all others."
        return (
            f"{tied:,} {'system is' if tied == 1 else 'systems are'} not significantly different "
            f"from {first.system}, which {which}."
        )

    def long_table(self) -> Table:
        """Return the rows as a table of plain numbers and texts, for programs."""
        rows = self.rows()
        return Table.of(list(rows[0]), [tuple(row.values()) for row in rows])

    def rows(self) -> Rows:
        """Return one dictionary per system, with its mean on each data set."""
        return [
            {
                "rank": place.rank,
                "rank_low": place.low,
                "rank_high": place.high,
                "system": place.system,
                "mean": _known(place.mean),
                "mean_low": _known(place.mean_low),
                "mean_high": _known(place.mean_high),
                "net": _known(place.net),
                "p_to_best": place.p_best,
                "tied_with_best": place.tied,
                "letters": place.letters,
                "missing": ", ".join(place.missing),
                **{
                    f"on {name}": _known(value)
                    for name, value in zip(self.datasets, place.by_dataset, strict=True)
                },
            }
            for place in self.places
        ]

    def facts(self) -> Row:
        """Return the settings and findings."""
        return {
            "measure": self.measure,
            "over": self.over,
            "method": self.method or None,
            "alpha": self.alpha,
            "draws": self.draws,
            "seed": self.seed,
            "incomplete": self.incomplete,
            "datasets": list(self.datasets),
            "missing": [f"{system} on {name}" for system, name in self.missing],
            "left_out": [row.system for row in self.left_out],
            "findings": [str(finding) for finding in self.findings],
            "signatures": [str(signature) for signature in self.signatures],
        }


def _known(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value
