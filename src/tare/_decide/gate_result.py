"""The result of a gate: one verdict per measure, its sentences, and summaries for pull requests and build servers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._plain_text import plain
from tare._result import Result, Row, Rows
from tare._signature import Signature
from tare._tables import Column, PColumn, Table, p_stated
from tare.stats._losses import least_changed

__all__ = [
    "Gate",
    "GateRow",
    "Outcome",
    "Verdict",
    "about_all",
    "about_one",
    "changed_list",
    "context",
    "junit",
    "markdown",
    "number",
    "signed",
    "singular",
]


# Numbers in the sentences of a gate, rounded so that they never contradict the verdict.


MOST_DIGITS = 8  # digits after the decimal point


def number(value: float, digits: int | None = None, limit: float | None = None) -> str:
    """Return a number of a gate's verdict with two or three digits, and more if it would seem to reach a limit.

    >>> number(0.0437), number(0.512), number(0.05001, 2, 0.05), number(0.0)
    ('0.044', '0.512', '0.05001', '0')
    """
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "–"
    size = float(f"{abs(value):.3g}")  # 0.0999… is 0.1
    wanted = digits or (2 if size < 0.1 else 3)
    places = max(0, wanted - 1 - math.floor(math.log10(size)))
    while True:
        text = f"{value:.{places}f}"
        if (
            limit is None
            or places >= MOST_DIGITS
            or _side(float(text), limit) == _side(value, limit)
        ):
            return text.replace("-", "−")
        places += 1


def signed(value: float, limit: float | None = None) -> str:
    """Return a difference with its sign.

    >>> signed(-0.0312), signed(0.25), signed(0.0)
    ('−0.031', '+0.250', '0')
    """
    text = number(value, None, limit)
    return f"+{text}" if value > 0 else text


def _side(value: float, limit: float) -> bool:
    return value <= limit


# What a gate says: one sentence per measure, and one about all of them.


MOST_NAMED = 5  # queries that are named


def about_all(gate: Gate) -> str:
    """Return the verdict of a gate over all its measures as a sentence."""
    if len(gate.measures) == 1:
        return about_one(gate.measures[0], gate)
    count = f"{len(gate.measures):,} measures"
    lost = [row.measure for row in gate.measures if row.verdict == "loss shown"]
    if lost:
        return f"A loss is shown by {len(lost):,} of {count}: {', '.join(lost)}."
    if gate.certify:
        without = [row.measure for row in gate.measures if row.verdict == "not certified"]
        if without:
            return f"Not certified by {len(without):,} of {count}: {', '.join(without)}."
        return f"Certified by all {count}."
    verdicts = {row.verdict for row in gate.measures}
    if verdicts == {"nothing changed"}:
        return f"Nothing changed on {_on(gate.measures[0])}, by {count}."
    if verdicts <= {"nothing changed", "without evidence"}:
        return f"Passed without evidence: too few queries changed by {count}."
    said = f"No loss shown by any of {count}."
    if "within tolerance" in verdicts:
        within = [row.measure for row in gate.measures if row.verdict == "within tolerance"]
        said = f"No loss beyond its tolerance shown by any of {count}; a loss within it by {', '.join(within)}."
    without = [row.measure for row in gate.measures if row.verdict == "without evidence"]
    return f"{said} Passed without evidence by {', '.join(without)}." if without else said


def about_one(row: GateRow, gate: Gate) -> str:
    """Return the verdict of a gate by one measure as a sentence."""
    if not gate.certify:
        return _loss(row, gate)
    if row.verdict == "certified":
        smaller = ""
        if row.adjusted <= gate.alpha:
            found = f"{signed(row.difference)}, adjusted {p_stated(row.adjusted)}"
            smaller = f" A loss is shown ({found}), smaller than your margin of {row.margin:g}."
        return _certified(row, gate) + smaller
    if row.verdict == "loss shown":
        return f"{_loss(row, gate)} {_not_certified(row, gate)}"
    return _not_certified(row, gate)


def _loss(row: GateRow, gate: Gate) -> str:
    """Return what the flips show."""
    if row.verdict == "loss shown":
        p = p_stated(row.adjusted)
        p = p if len(gate.measures) == 1 else f"adjusted {p}"
        counts = "" if row.lost is None else f" {_counts(row)};"
        return f"A loss is shown: {signed(row.difference)} on {_on(row)};{counts} {p}."
    if row.verdict == "within tolerance":
        limit = None if row.margin is None else -row.margin
        return (
            f"A loss is shown ({signed(row.difference, limit)}, adjusted {p_stated(row.adjusted)}), within your "
            f"tolerance of {row.margin:g}."
        )
    if row.verdict == "nothing changed":
        return f"Nothing changed on {_on(row)}."
    if row.verdict == "without evidence":
        least = least_changed(gate.alpha / len(gate.measures))
        count = row.changed or 0
        some = f"{count:,} {_noun(row, count)}"
        return (
            f"Passed without evidence: {some} changed, {row.lost:,} lost; a loss can be shown from {least} "
            f"changed {_noun(row, least)} on."
        )
    said = f"No loss shown (adjusted {p_stated(row.adjusted)})."
    if math.isnan(row.detectable):
        return said
    what = "shown" if row.margin is None else "blocked"
    return (
        f"{said} A mean loss of about {number(row.detectable, 2)} would be {what} in 80 % of such "
        f"{'text' if row.unit == 'texts' else 'query'} sets; smaller ones usually stay unseen."
    )


def _certified(row: GateRow, gate: Gate) -> str:
    why = "conjectured bound" if row.lost is not None else "if errors are normal"
    if row.clusters:
        why += "; the mean over clusters"
    return (
        f"Certified: in at most {100 * gate.alpha:g} % of {'text' if row.unit == 'texts' else 'query'} sets "
        f"would a mean loss of {row.margin:g} or more be certified ({why})."
    )


def _not_certified(row: GateRow, gate: Gate) -> str:
    if row.needed is not None and row.units < row.needed:
        return (
            f"Not certified: with {row.units:,} {_noun(row, row.units)} a margin of {row.margin:g} can be "
            f"certified only for a candidate that gains; without any change {row.needed:,} are needed."
        )
    found = f"lower bound {signed(row.bound, -(row.margin or 0))}"
    if not math.isnan(row.certificate_p):
        found = f"{p_stated(row.certificate_p)}, {found}"
    return f"Not certified: a mean loss of {row.margin:g} is not ruled out ({found})."


def _on(row: GateRow) -> str:
    """Return on how many items a gate's verdict rests: "100 queries", or "100 queries in 12 clusters"."""
    one = f"{row.n:,} {singular(row.unit) if row.n == 1 else row.unit}"
    return (
        f"{one} in {row.clusters:,} cluster{'' if row.clusters == 1 else 's'}"
        if row.clusters
        else one
    )


def _counts(row: GateRow) -> str:
    what = f"{_noun(row, row.lost or 0)} " if row.clusters else ""
    return f"{row.lost:,} {what}lost, {row.gained:,} gained"


def _noun(row: GateRow, count: int) -> str:
    """Return what is flipped: queries, or clusters."""
    unit = "clusters" if row.clusters else row.unit
    return singular(unit) if count == 1 else unit


def singular(unit: str) -> str:
    return f"{unit[:-3]}y" if unit.endswith("ies") else unit.removesuffix("s")


def context(row: GateRow, gate: Gate) -> str:
    """Return the scores behind a gate's verdict: "new 0.512 against old 0.509: +0.003 on 100 queries; …"."""
    said = (
        f"{plain(gate.system)} {number(row.candidate, 3)} against {plain(gate.baseline_system)} "
        f"{number(row.baseline, 3)}: {signed(row.difference)}"
    )
    if row.verdict not in ("loss shown", "nothing changed"):  # whose sentence has these numbers
        said += f" on {_on(row)}"
        if row.lost is not None:
            said += f"; {_counts(row)}"
    if row.verdict == "certified":
        said += f"; lower bound {signed(row.bound, -(row.margin or 0))}"
    return f"{said}."


def changed_list(row: GateRow, *, code: bool = False) -> str:
    """Return the items of a gate that lost most; all that changed if they are too few for evidence."""
    if row.verdict == "without evidence":
        shown, name = row.changes(), "Changed"
    else:
        shown, name = row.changes()[:MOST_NAMED], "Lost most"
        shown = [(item, value) for item, value in shown if value < 0]
    if not shown:
        return ""
    mark = "`" if code else ""
    return f"{name}: {', '.join(f'{mark}{plain(item)}{mark} {signed(d)}' for item, d in shown)}."


# The result of a gate: one verdict per measure, and what it means for a build.


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
        """Return the items that changed between baseline and candidate, those that lost most first."""
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
            PColumn("adjusted p", of="adjusted"),
            Column("detectable"),
            Column("margin"),
            PColumn("certificate p") if self.certify else None,
            Column("lower bound", of="bound") if self.certify else None,
        ]
        return Table.of_rows(columns, self.measures, title="Gate", notes=self.notes())

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


# Summaries of a gate for other programs: Markdown for pull requests, JUnit XML for build servers.


TITLES = {
    "pass": "Search quality: passed",
    "block": "Search quality: a loss is shown",
    "certified": "Search quality: certified",
    "not certified": "Search quality: not certified",
}


def markdown(gate: Gate) -> str:
    """Return a summary for a pull request."""
    parts = [f"### {TITLES[gate.verdict]}", "", gate.table().to_markdown().rstrip(), ""]
    for row in gate.measures:
        if found := changed_list(row, code=True):
            parts += [f"{row.measure}. {found}", ""]
    return "\n".join(parts)


def junit(gate: Gate) -> str:
    """Return the result of a gate as JUnit test cases, one per measure; a measure that stops the build is a failure.

    Sentences and findings are the suite's output.
    """
    cases = [_case(row, gate) for row in gate.measures]
    failures = sum("<failure" in case for case in cases)
    said = [f"{row.measure}: {about_one(row, gate)}" for row in gate.measures]
    output = escape(_printable("\n".join([*said, *map(str, gate.findings)])))
    head = (
        f'<testsuite name="tare gate" tests="{len(cases)}" failures="{failures}" '
        f'errors="0" skipped="0">'
    )
    body = "\n".join(f"  {case}" for case in cases)
    end = f"\n  <system-out>{output}</system-out>\n</testsuite>\n"
    return f'<?xml version="1.0" encoding="utf-8"?>\n{head}\n{body}{end}'


def _case(row: GateRow, gate: Gate) -> str:
    start = f"<testcase classname={quoteattr(_printable(gate.system))} name={quoteattr(_printable(row.measure))}"
    if row.verdict not in ("loss shown", "not certified"):
        return f"{start}/>"
    message = quoteattr(_printable(about_one(row, gate)))
    lost = escape(_printable(changed_list(row)))
    return f"{start}><failure message={message}>{lost}</failure></testcase>"


def _printable(text: str) -> str:
    """Return text for a gate's JUnit file without the control characters that XML does not allow."""
    return "\n".join(plain(line) for line in text.split("\n"))
