"""The result of a gate: one verdict per measure, and what it means for a build."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tare._data.findings import Finding
from tare._result import Result, Row, Rows
from tare._signature import Signature
from tare._tables import Column, Table
from tare.stats._non_inferiority import NonInferiority, Verdict

__all__ = ["EXIT_CODES", "Gate", "GateRow"]

EXIT_CODES: dict[Verdict, int] = {"not worse": 0, "worse": 1, "cannot tell": 4}
GRAVITY: tuple[Verdict, ...] = ("not worse", "cannot tell", "worse")


@dataclass(frozen=True)
class GateRow:
    """One measure of a gate."""

    measure: str
    candidate: float
    baseline: float
    test: NonInferiority
    verdict: Verdict
    losses: tuple[tuple[str, float], ...]  # the items that lost most, with their differences

    def needed(self) -> str:
        """Say how many queries a decision takes, if there is none."""
        if self.verdict != "cannot tell":
            return ""
        count = self.test.items_needed
        return "no number would do" if count is None else f"{count:,}"

    def sentence(self) -> str:
        """Say the verdict with its numbers."""
        one = self.test
        start = (
            f"{self.measure}: {self.candidate:.4f} against {self.baseline:.4f}, difference "
            f"{one.difference:+.4f} (bounds {one.low:+.4f} to {one.high:+.4f}, n = {one.n:,}), margin "
            f"{one.margin:g}: {self.verdict}."
        )
        if self.verdict != "cannot tell":
            return start
        if one.items_needed is None:
            return (
                f"{start} The observed loss is not below the margin; no number of queries would do."
            )
        return f"{start} If nothing changed, about {one.items_needed:,} queries would pass in 80 % of cases."


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Result):
    """Whether a candidate is not worse than its baseline.

    Attributes
    ----------
    measures : tuple of GateRow
        One row per measure.
    findings : tuple of Finding
        What changed in the data since the baseline was saved.
    system, baseline_system : str
        The systems that were compared.
    alpha : float
        Error rate over all looks.
    on_unclear : {"report", "pass", "fail"}
        What "cannot tell" means for the exit code.
    look : int or None
        The number of this look at the same queries.
    signatures : tuple of Signature
        The signatures of the candidate's scores.

    Examples
    --------
    >>> import tare
    >>> qrels = {f"q{k}": {"a": 1, "b": 0} for k in range(8)}
    >>> good = {f"q{k}": {"a": 2.0, "b": 1.0} for k in range(8)}
    >>> scores = tare.evaluate(qrels, good, "RR")
    >>> found = tare.gate(scores, scores, {"RR": 0.05})
    >>> found.verdict, found.exit_code
    ('not worse', 0)
    >>> [(row.measure, row.candidate, row.baseline) for row in found.measures]
    [('RR', 1.0, 1.0)]
    """

    figure_module: ClassVar[str] = "tare.report._chapters.studies.gate"

    measures: tuple[GateRow, ...]
    findings: tuple[Finding, ...]
    system: str
    baseline_system: str
    alpha: float
    on_unclear: str
    look: int | None
    signatures: tuple[Signature, ...]

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all measures."""
        return max((row.verdict for row in self.measures), key=GRAVITY.index)

    @property
    def exit_code(self) -> int:
        """0 not worse, 1 worse, 4 cannot tell; `on_unclear` replaces 4."""
        if self.verdict == "cannot tell" and self.on_unclear != "report":
            return 0 if self.on_unclear == "pass" else 1
        return EXIT_CODES[self.verdict]

    @property
    def improved(self) -> bool:
        """Whether no measure is below its baseline."""
        return all(row.test.difference >= 0 for row in self.measures)

    def table(self) -> Table:
        """Return one row per measure."""
        columns = [
            Column("measure", align="left"),
            Column("candidate"),
            Column("baseline"),
            Column("difference"),
            Column("low"),
            Column("high"),
            Column("margin"),
            Column("n", 0),
            Column("verdict", align="left"),
            Column("queries needed", align="left"),
        ]
        rows = [
            (
                row.measure,
                row.candidate,
                row.baseline,
                row.test.difference,
                row.test.low,
                row.test.high,
                row.test.margin,
                row.test.n,
                row.verdict,
                row.needed(),
            )
            for row in self.measures
        ]
        return Table.of(columns, rows, title="Gate", notes=self.notes())

    def notes(self) -> list[str]:
        """Return the settings and the findings as sentences."""
        level = self.measures[0].test.alpha
        looked = "" if self.look is None else f" in look {self.look:,}"
        settings = (
            f"{self.system} against {self.baseline_system}. Bounds are one-sided with confidence "
            f"{1 - level:.4g}{looked}; positive differences are improvements."
        )
        return [settings, *(str(finding) for finding in self.findings)]

    def long_table(self) -> Table:
        """Return the rows as a table of plain numbers and texts, for programs."""
        rows = self.rows()
        return Table.of(list(rows[0]), [tuple(row.values()) for row in rows])

    def rows(self) -> Rows:
        """Return one dictionary per measure."""
        return [
            {
                "measure": row.measure,
                "candidate": row.candidate,
                "baseline": row.baseline,
                "difference": row.test.difference,
                "deviation": row.test.deviation,
                "low": row.test.low,
                "high": row.test.high,
                "margin": row.test.margin,
                "p": row.test.p,
                "alpha": row.test.alpha,
                "n": row.test.n,
                "verdict": row.verdict,
                "queries_needed": row.test.items_needed if row.verdict == "cannot tell" else None,
            }
            for row in self.measures
        ]

    def facts(self) -> Row:
        """Return the verdict, the settings, the findings and the items that lost most."""
        return {
            "verdict": self.verdict,
            "exit_code": self.exit_code,
            "system": self.system,
            "baseline_system": self.baseline_system,
            "alpha": self.alpha,
            "look": self.look,
            "losses": {row.measure: dict(row.losses) for row in self.measures},
            "findings": [str(finding) for finding in self.findings],
            "signatures": [str(signature) for signature in self.signatures],
        }

    def message(self) -> str:
        """Return verdicts, findings and the queries that lost most, for an assertion."""
        lines = [f"{self.system} against {self.baseline_system}: {self.verdict}"]
        for row in self.measures:
            lines.append(f"  {row.sentence()}")
            if row.losses and row.verdict != "not worse":
                lost = ", ".join(f"{item} {value:+.4f}" for item, value in row.losses)
                lines.append(f"    largest losses: {lost}")
        return "\n".join([*lines, *(f"  {finding}" for finding in self.findings)])
