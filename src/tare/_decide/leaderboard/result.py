"""The result of a leaderboard."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._decide.leaderboard.net import NO_NET
from tare._result import Result, Row, Rows
from tare._signature import Signature
from tare._tables import Column, Table

__all__ = ["Leaderboard", "LeftOut", "Place"]

MAX_LETTERED = 26  # systems
OVER = {
    "queries": "queries within data sets are resampled: the ranks are about these data sets",
    "datasets": "data sets are resampled: the ranks are about data sets like these",
    "both": "data sets and their queries are resampled: the ranks are about data sets like these",
}


@dataclass(frozen=True)
class Place:
    """One system of a leaderboard.

    The mean is NaN if the system lacks scores. `missing` names the data sets without scores; if they
    were imputed, `by_dataset` has the imputed values.
    """

    system: str
    mean: float
    mean_low: float
    mean_high: float
    rank: int
    low: int
    high: int
    tied: bool  # not significantly different from the first
    best: float
    letters: str
    by_dataset: tuple[float, ...]
    missing: tuple[str, ...] = ()
    net: float | None = None
    net_by_dataset: tuple[float, ...] = ()


@dataclass(frozen=True)
class LeftOut:
    """A system without a rank, because it lacks scores."""

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
    resample : str
        What was resampled: queries, datasets or both.
    alpha : float
        Error rate of all rank intervals together.
    incomplete : str
        What was done with systems that lack scores.
    left_out : tuple of LeftOut
        The systems without a rank.
    draws, seed : int
        Number of bootstrap draws, and their seed.
    findings : tuple of Finding
        What a reader should know about the data.
    signatures : tuple of Signature
        The signatures of the scores.
    lower_is_better : bool
        Whether lower scores are better.
    could_have_net : bool
        Whether the measure has net scores.
    spread : tuple of ndarray
        The covariances within each data set.
    sizes : tuple of int
        The number of items of each data set.

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

    figure_module: ClassVar[str] = "tare.report._chapters.studies.leaderboard"

    places: tuple[Place, ...]
    datasets: tuple[str, ...]
    measure: str
    resample: str
    alpha: float
    draws: int
    seed: int
    findings: tuple[Finding, ...] = ()
    signatures: tuple[Signature, ...] = ()
    incomplete: str = "refuse"
    left_out: tuple[LeftOut, ...] = ()
    lower_is_better: bool = False
    could_have_net: bool = False
    spread: tuple[NDArray[np.float64], ...] = ()  # covariances within data sets, for the page
    sizes: tuple[int, ...] = ()  # items of each data set

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
            Column(self.measure),
            Column("low"),
            Column("high"),
            *([Column("net")] if self.has_net else []),
            Column("tied with best", align="left"),
            Column("best in draws", 3),
            *([Column("missing", 0)] if lacking else []),
            *([Column("letters", align="left")] if lettered else []),
        ]
        rows = [
            (
                place.rank,
                f"{place.low}" if place.low == place.high else f"{place.low}–{place.high}",
                place.system,
                *(_known(x) for x in (place.mean, place.mean_low, place.mean_high)),
                *([_known(place.net)] if self.has_net else []),
                "yes" if place.tied else "no",
                place.best,
                *([len(place.missing)] if lacking else []),
                *([place.letters] if lettered else []),
            )
            for place in self.places
        ]
        return Table.of(columns, rows, title="Leaderboard", notes=self.notes())

    def notes(self) -> list[str]:
        """Return what the ranks are about, and the findings."""
        tied = len(self.tied_with_best)
        first, sets = self.places[0].system, len(self.datasets)
        end = "lowest" if self.lower_is_better else "highest"
        which = "is first" if self.places[0].missing else f"has the {end} mean"
        said = (
            f"{first} {which} and is significantly better than all others."
            if tied == 0
            else f"{tied:,} {'system is' if tied == 1 else 'systems are'} not significantly different "
            f"from {first}, which {which}."
        )
        net = []
        if self.could_have_net and not self.has_net:
            net = [NO_NET.format(measure=self.measure, name=f"Net({self.measure})")]
        return [
            f"Mean over {sets:,} data {'set' if sets == 1 else 'sets'}; {OVER[self.resample]}. Ranks: with "
            f"{1 - self.alpha:.0%} confidence for all systems together ({self.draws:,} draws, seed "
            f"{self.seed}).",
            said,
            *net,
            *(str(finding) for finding in self.findings),
        ]

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
                "tied_with_best": place.tied,
                "bootstrap_share_best": place.best,
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
            "resample": self.resample,
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
