"""The result of the audit of judges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tare._data.findings import Finding
from tare._result import MultiTableResult, Row, Rows
from tare._tables import Table
from tare.studies._judges import system_tables, tables

__all__ = ["JudgeStudy"]


@dataclass(frozen=True, eq=False, repr=False)
class JudgeStudy(MultiTableResult):
    """Labels by judges next to labels by people: agreement, systems and conclusions.

    Attributes
    ----------
    rows_by_name : dict of str to list of dict
        The rows of all tables and charts; `all_rows()` returns those that are not empty.
    judges, people : tuple of str
        The names of the label sets.
    rel : float
        The lowest relevant grade.
    measures : tuple of str
        The measures of systems; none without runs.
    test, correction : str
        How differences between systems are tested.
    alpha : float
        Significance level.
    draws, splits : int
        Number of resamples of queries, and of random halves.
    confidence : float
        Confidence level of the intervals.
    seed : int
        Seed of random draws.
    findings : tuple of Finding
        Properties of the labels that readers should know, such as labels that could not be read.
    kind : str
        What the labels are: "grades", "ratings", "preferences" or "units".

    Examples
    --------
    >>> import tare
    >>> human = {f"q{q}": {f"d{d}": (q + d) % 3 for d in range(6)} for q in range(8)}
    >>> judge = {q: {d: min(2, g + (d == "d1")) for d, g in docs.items()} for q, docs in human.items()}
    >>> found = tare.studies.judges(human, {"llm": judge}, draws=200)
    >>> found.judges, found.people
    (('llm',), ('labels',))
    >>> round(found.rows()[0]["kappa"], 3)
    0.844
    """

    figure_module: ClassVar[str] = "tare.report._chapters.studies.judges"

    rows_by_name: dict[str, Rows]
    judges: tuple[str, ...]
    people: tuple[str, ...]
    kind: str
    rel: float
    measures: tuple[str, ...]
    test: str
    correction: str
    alpha: float
    draws: int
    splits: int
    confidence: float
    seed: int
    findings: tuple[Finding, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """The findings as sentences."""
        return tuple(str(f) for f in self.findings)

    def conclusion(self, judge: str | None = None) -> str:
        """Return the paragraph about one judge.

        Parameters
        ----------
        judge : str, optional
            By default the first one.

        Returns
        -------
        str
            What may be concluded, with the numbers.
        """
        rows = self.rows_by_name["paragraphs"]
        return str(next(r["text"] for r in rows if judge in (None, r["judge"])))

    def all_rows(self) -> dict[str, Rows]:
        """Return the rows of all tables and charts by name."""
        return {name: rows for name, rows in self.rows_by_name.items() if rows}

    def facts(self) -> Row:
        """Return the label sets, the options and the findings."""
        names = (
            "judges",
            "people",
            "kind",
            "rel",
            "measures",
            "test",
            "correction",
            "alpha",
            "draws",
            "splits",
            "confidence",
            "seed",
        )
        return {name: getattr(self, name) for name in names} | {"notes": list(self.notes)}

    def tables(self) -> dict[str, Table]:
        """Return the tables: agreement, ranks, binary, leniency, people, systems and conclusions."""
        made = {
            "agreement": tables.agreement(self),
            "ranks": tables.ranks(self),
            "binary": tables.binary(self),
            "leniency": tables.leniency(self),
            "base_rates": tables.base_rates(self),
            "confusion": tables.confusion(self),
            "ceiling": tables.ceiling(self),
            "queries": tables.queries(self),
            "correlations": system_tables.correlations(self),
            "systems": system_tables.systems(self),
            "groups": system_tables.groups(self),
            "conclusions": system_tables.conclusions(self),
            "flips": system_tables.flips(self),
        }
        return {name: table for name, table in made.items() if table is not None and table.rows}
