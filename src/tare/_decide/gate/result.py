"""The result of a gate: one verdict per measure, and what it means for a build."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._decide.gate.sentences import about_all, about_one, changed_list, context, singular
from tare._result import Result, Row, Rows
from tare._signature import Signature
from tare._tables import Column, PColumn, Table

__all__ = ["Gate", "GateRow", "Outcome", "Verdict"]

Floats = NDArray[np.float64]
Verdict = Literal[
    "nothing changed",
    "without evidence",
    "no loss shown",
    "within tolerance",
    "loss shown",
    "certified",
    "not certified",
]
Outcome = Literal["pass", "block", "certified", "not certified"]
EXIT_CODES: dict[Outcome, int] = {"pass": 0, "certified": 0, "block": 1, "not certified": 4}

ASSUMPTION = "Assumes that, if the systems do not differ, each {unit}'s difference is as likely to be +x as −x."
NORMAL = "Estimates are tested with Student's t and their own standard errors."


@dataclass(frozen=True, eq=False)
class GateRow:
    """One measure of a gate.

    Attributes
    ----------
    measure : str
        The measure.
    verdict : str
        "no loss shown", "loss shown", "within tolerance", "without evidence" (too few queries changed) or
        "nothing changed"; of a certification "certified", "loss shown" or "not certified".
    candidate, baseline, difference : float
        The two scores, and the mean of candidate − baseline over common items; positive is better.
    p, adjusted : float
        One-sided p of a loss, alone and adjusted over the measures by Holm's method.
    n, clusters : int
        The number of items, and of clusters (0 without).
    changed, lost, gained : int or None
        How many items, or clusters, changed, lost and gained; None for estimates.
    detectable : float
        The mean loss that is shown in about 80 % of such query sets; NaN if unknown.
    margin : float or None
        The loss that is tolerated or, with `certify`, ruled out.
    certificate_p, bound : float
        p and lower bound of the certificate; NaN without.
    needed : int or None
        The number of units from which a candidate without any change is certified.
    """

    measure: str
    verdict: Verdict
    candidate: float
    baseline: float
    difference: float
    p: float
    adjusted: float
    n: int
    clusters: int
    changed: int | None
    lost: int | None
    gained: int | None
    detectable: float
    margin: float | None
    certificate_p: float
    bound: float
    needed: int | None
    unit: str = "queries"
    items: tuple[str, ...] = field(default=(), repr=False)
    differences: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    scores: tuple[Floats, ...] = field(default=(), repr=False)

    @property
    def units(self) -> int:
        """The number of items, or of clusters."""
        return self.clusters or self.n

    @property
    def loss_shown(self) -> bool:
        """Whether a loss is shown, of whatever size."""
        return self.verdict in ("loss shown", "within tolerance")

    def changes(self) -> list[tuple[str, float]]:
        """Return the items that changed, those that lost most first."""
        order = np.argsort(self.differences, kind="stable")
        found = self.differences[order]
        return [
            (self.items[k], float(value))
            for k, value in zip(order.tolist(), found, strict=True)
            if value != 0
        ]


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Result):
    """Whether a build may pass: whether a candidate loses against its baseline.

    Attributes
    ----------
    measures : tuple of GateRow
        One row per measure.
    findings : tuple of Finding
        What changed in the data since the baseline was saved.
    system, baseline_system : str
        The systems that were compared.
    alpha : float
        Error rate.
    certify : bool
        Whether a certificate was asked for.
    signatures : tuple of Signature
        The signatures of the candidate's scores.

    Examples
    --------
    >>> import tare
    >>> qrels = {f"q{k}": {"a": 1, "b": 0} for k in range(8)}
    >>> good = {f"q{k}": {"a": 2.0, "b": 1.0} for k in range(8)}
    >>> scores = tare.evaluate(qrels, good, "RR")
    >>> found = tare.gate(scores, scores)
    >>> found.verdict, found.exit_code, found.answer()
    ('pass', 0, 'Nothing changed on 8 queries.')
    >>> [(row.measure, row.candidate, row.baseline) for row in found.measures]
    [('RR', 1.0, 1.0)]
    """

    figure_module: ClassVar[str] = "tare.report._chapters.studies.gate"

    measures: tuple[GateRow, ...]
    findings: tuple[Finding, ...]
    system: str
    baseline_system: str
    alpha: float
    certify: bool
    signatures: tuple[Signature, ...]

    @property
    def verdict(self) -> Outcome:
        """The outcome over all measures: "pass" or "block"; of a certification also "certified", "not certified"."""
        verdicts = {row.verdict for row in self.measures}
        if "loss shown" in verdicts:
            return "block"
        if not self.certify:
            return "pass"
        return "certified" if verdicts == {"certified"} else "not certified"

    @property
    def exit_code(self) -> int:
        """0 pass or certified, 1 block, 4 not certified."""
        return EXIT_CODES[self.verdict]

    @property
    def may_update(self) -> bool:
        """Whether the candidate may replace the baseline: no loss is shown, or it is certified."""
        if self.certify:
            return self.verdict == "certified"
        return not any(row.loss_shown for row in self.measures)

    def answer(self) -> str:
        """Return the verdict as a sentence or two."""
        return about_all(self)

    def headlines(self) -> list[str]:
        """Return the verdict and, of several measures, the sentence of each, for the report."""
        if len(self.measures) == 1:
            return [self.answer()]
        return [self.answer(), *(f"{row.measure}: {about_one(row, self)}" for row in self.measures)]

    def text(self) -> str:
        """Return the verdict, the scores and the queries that lost most, as the command prints them."""
        lines = [self.answer()]
        several = len(self.measures) > 1
        indent = "  " if several else ""
        for row in self.measures:
            lines += ["", f"{row.measure}: {about_one(row, self)}"] if several else []
            about = context(row, self) if several else f"{row.measure}: {context(row, self)}"
            lines += [f"{indent}{line}" for line in (about, changed_list(row)) if line]
        return "\n".join(lines)

    def message(self) -> str:
        """Return the text and the findings, for an assertion."""
        findings = "\n".join(map(str, self.findings))
        return f"{self.text()}\n\n{findings}" if findings else self.text()

    def table(self) -> Table:
        """Return one row per measure."""
        columns = [
            Column("measure", align="left"),
            Column("verdict", align="left"),
            Column("candidate"),
            Column("baseline"),
            Column("difference"),
            Column("n", 0),
            Column("lost", 0),
            Column("gained", 0),
            PColumn("p"),
            PColumn("adjusted p"),
            Column("detectable"),
            Column("margin"),
        ]
        columns += [PColumn("certificate p"), Column("lower bound")] if self.certify else []
        rows = [
            (
                row.measure,
                row.verdict,
                row.candidate,
                row.baseline,
                row.difference,
                row.n,
                row.lost,
                row.gained,
                row.p,
                row.adjusted,
                row.detectable,
                row.margin,
                *((row.certificate_p, row.bound) if self.certify else ()),
            )
            for row in self.measures
        ]
        return Table.of(columns, rows, title="Gate", notes=self.notes())

    def notes(self) -> list[str]:
        """Return the answer, the settings and the findings as sentences."""
        unit = self.measures[0].unit
        kind = NORMAL if self.measures[0].lost is None else ASSUMPTION.format(unit=singular(unit))
        settings = (
            f"{self.system} against {self.baseline_system}; positive differences are improvements. p is "
            f"one-sided, adjusted by Holm's method over the measures; a loss is shown if it is at most "
            f"{self.alpha:g}. {kind}"
        )
        return [self.answer(), settings, *(str(finding) for finding in self.findings)]

    def long_table(self) -> Table:
        """Return the rows as a table of plain numbers and texts, for programs."""
        rows = self.rows()
        return Table.of(list(rows[0]), [tuple(row.values()) for row in rows])

    def rows(self) -> Rows:
        """Return one dictionary per measure."""
        return [
            {
                "measure": row.measure,
                "verdict": row.verdict,
                "candidate": row.candidate,
                "baseline": row.baseline,
                "difference": row.difference,
                "p": row.p,
                "p_adjusted": row.adjusted,
                "alpha": self.alpha,
                "n": row.n,
                "clusters": row.clusters or None,
                "changed": row.changed,
                "lost": row.lost,
                "gained": row.gained,
                "detectable": row.detectable,
                "margin": row.margin,
                "certificate_p": row.certificate_p,
                "bound": row.bound,
                "needed": row.needed,
            }
            for row in self.measures
        ]

    def facts(self) -> Row:
        """Return the verdict, the settings, the findings and the items that lost most."""
        return {
            "answer": self.answer(),
            "sentences": {row.measure: about_one(row, self) for row in self.measures},
            "verdict": self.verdict,
            "exit_code": self.exit_code,
            "system": self.system,
            "baseline_system": self.baseline_system,
            "alpha": self.alpha,
            "certify": self.certify,
            "losses": {
                row.measure: dict(one for one in row.changes()[:5] if one[1] < 0)
                for row in self.measures
            },
            "findings": [str(finding) for finding in self.findings],
            "signatures": [str(signature) for signature in self.signatures],
        }
