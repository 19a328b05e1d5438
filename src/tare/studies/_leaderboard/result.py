"""The result of a leaderboard."""

from __future__ import annotations

from dataclasses import dataclass

from tare._data.findings import Finding
from tare._result import Result, Row, Rows
from tare._signature import Signature
from tare._tables import Column, Table

__all__ = ["Leaderboard", "Place"]

MAX_LETTERED = 26  # systems
OVER = {
    "queries": "queries within data sets are resampled: the ranks are about these data sets",
    "datasets": "data sets are resampled: the ranks are about data sets like these",
    "both": "data sets and their queries are resampled: the ranks are about data sets like these",
}


@dataclass(frozen=True)
class Place:
    """One system of a leaderboard."""

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
    """

    places: tuple[Place, ...]
    datasets: tuple[str, ...]
    measure: str
    resample: str
    alpha: float
    draws: int
    seed: int
    findings: tuple[Finding, ...] = ()
    signatures: tuple[Signature, ...] = ()

    @property
    def tied_with_best(self) -> tuple[str, ...]:
        """The systems that are not significantly different from the first, without it."""
        return tuple(place.system for place in self.places[1:] if place.tied)

    def table(self) -> Table:
        """Return one row per system, best first."""
        columns = [
            Column("rank", 0),
            Column("ranks", align="left"),
            Column("system", align="left"),
            Column(self.measure),
            Column("low"),
            Column("high"),
            Column("tied with best", align="left"),
            Column("best in draws", 3),
            *([Column("letters", align="left")] if self._show_letters() else []),
        ]
        rows = [
            (
                place.rank,
                f"{place.low}" if place.low == place.high else f"{place.low}–{place.high}",
                place.system,
                place.mean,
                place.mean_low,
                place.mean_high,
                "yes" if place.tied else "no",
                place.best,
                *([place.letters] if self._show_letters() else []),
            )
            for place in self.places
        ]
        return Table.of(columns, rows, title="Leaderboard", notes=self.notes())

    def _show_letters(self) -> bool:
        """Return whether the letters are short enough for the table; `rows()` always has them."""
        return len(self.places) <= MAX_LETTERED

    def notes(self) -> list[str]:
        """Return what the ranks are about, and the findings."""
        tied = len(self.tied_with_best)
        first = self.places[0].system
        said = (
            f"{first} has the highest mean and is significantly better than all others."
            if tied == 0
            else f"{tied:,} systems are not significantly different from {first}, which has the highest mean."
        )
        return [
            f"Mean over {len(self.datasets):,} data sets; {OVER[self.resample]}. Ranks: with "
            f"{1 - self.alpha:.0%} confidence for all systems together ({self.draws:,} draws, seed "
            f"{self.seed}).",
            said,
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
                "mean": place.mean,
                "mean_low": place.mean_low,
                "mean_high": place.mean_high,
                "tied_with_best": place.tied,
                "bootstrap_share_best": place.best,
                "letters": place.letters,
                **{
                    f"on {name}": value
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
            "datasets": list(self.datasets),
            "findings": [str(finding) for finding in self.findings],
            "signatures": [str(signature) for signature in self.signatures],
        }
