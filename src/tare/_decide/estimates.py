"""Estimates: what few human labels and many labels of a model say about the true values."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from tare._data.findings import Finding
from tare._decide.judge_corrected import DocumentSample, Estimator, QuerySample
from tare._measures.aggregation import better_end
from tare._result import MultiTableResult, Row, RowsByName
from tare._signature import Signature
from tare._tables import Column, Table, interval_column
from tare._tables.table import Cell
from tare.errors import OptionError, nearest

if TYPE_CHECKING:
    from tare._decide.compare import Comparison
    from tare._decide.families import Family
    from tare._measures.measure import Measure

__all__ = [
    "LEAST_CLUSTERS",
    "DifferenceColumn",
    "Estimates",
    "answer_of",
    "assumption",
    "estimate_table",
    "interval_words",
    "long_table",
    "sentences",
]


# Estimates as a table, and the assumptions behind them in words.


@dataclass(frozen=True)
class DifferenceColumn(Column):
    """A column of differences in tables of estimates; one that rounds to 0 has no sign."""

    def show(self, cell: Cell) -> str:
        """Return the number with its sign; 0 without."""
        text = super().show(cell)
        return text.lstrip("−") if isinstance(cell, float) and not text.strip("−0.") else text


def assumption(estimates: Estimates) -> str:
    """Return what the estimates assume: data can contradict it, and never confirm it."""
    if estimates.by_documents:
        text = (
            "Assumption: in every query the documents that people labelled were drawn at random with the "
            "stated probabilities."
        )
        if estimates.target == "these-queries":
            how = (
                "a fixed number without replacement within each query"
                if estimates.sampling == "fixed"
                else "each document independently (Poisson sampling)"
            )
            text += f" The intervals are for these queries only, for documents drawn as {how}."
        return f"{text} Data can contradict this but never confirm it."
    what, labelled, total = "queries", estimates.labelled, len(estimates.queries)
    if estimates.clusters is not None:
        labelled, others = estimates.clusters
        what, total = f"clusters ({estimates.labelled:,} queries)", labelled + others
    return (
        f"Assumption: the {labelled:,} {what} with human labels were drawn at random from all {total:,}. "
        "Data can contradict this but never confirm it."
    )


def estimate_table(estimates: Estimates) -> Table:
    """The table of estimates: one row per measure and system; the estimate that is best by each measure is marked."""
    several = len(estimates.estimators) > 1
    level = f"{100 * estimates.confidence:g} % interval"
    best = "estimate" if several else estimates.measures[0]
    columns = [
        Column("measure", align="left") if several else None,
        Column("system", align="left"),
        Column(best, of="estimate"),
        interval_column(level),
        Column("people only", of="people"),
        interval_column(f"{level} (people)", of=("people_low", "people_high")),
        Column("judge only", of="judge"),
        DifferenceColumn("bias of judge", of="bias"),
        interval_column(f"{level} (bias)", of=("bias_low", "bias_high")),
        Column("λ", digits=2, of="weight"),
        Column("n_eff", digits=0),
    ]
    rows: list[dict[str, object]] = []
    for row in estimates.rows():
        rows.append({**row, "best": not rows or row["measure"] != rows[-1]["measure"]})
    return Table.of_rows(
        columns, rows, title="Estimates", notes=_notes(estimates), marks={best: "best"}
    )


def long_table(estimates: Estimates) -> Table:
    """The estimates as a long table: one row per measure and system, one column per field."""
    rows = estimates.rows()
    columns = [
        Column(name, align="left" if isinstance(cell, str) else "right")
        for name, cell in rows[0].items()
    ]
    return Table.of_rows(columns, rows, notes=_notes(estimates))


SAME = 1e-12  # estimates that differ by less are the same


def sentences(estimates: Estimates, comparison: Comparison | None) -> list[str]:
    """Return of each measure the best estimate, what its human labels alone say, and what it differs from."""
    made = []
    for measure in estimates.measures:
        rows = [row for row in estimates.rows() if row["measure"] == measure]
        made.append(f"{_best(rows, estimates)} {_alone(rows[0], estimates)}")
        if comparison is not None:
            made.append(_standing(comparison[measure], rows[0]["system"], comparison.correction))
    return made


def answer_of(estimates: Estimates, comparison: Comparison | None) -> str:
    """Return the best estimate by the first measure, and how many of the compared systems it differs from."""
    rows = [row for row in estimates.rows() if row["measure"] == estimates.measures[0]]
    best = _best(rows, estimates)
    if comparison is None:
        return best
    family = comparison[estimates.measures[0]]
    return f"{best} {_standing(family, rows[0]['system'], comparison.correction)}"


def _best(rows: Sequence[EstimateRow], estimates: Estimates) -> str:
    """Say the best estimate."""
    row = rows[0]
    ties = [other["system"] for other in rows if abs(other["estimate"] - row["estimate"]) < SAME]
    others = f" (and {len(ties) - 1:,} with the same)" if len(ties) > 1 else ""
    level = f"{100 * estimates.confidence:g} %"
    about = "these queries" if estimates.target == "these-queries" else "queries like these"
    return (
        f"{row['measure']}: {row['system']}{others} has the best estimate, {row['estimate']:.3f} ({level} interval of "
        f"its mean over {about}: {row['low']:.3f} to {row['high']:.3f})."
    )


def _alone(row: EstimateRow, estimates: Estimates) -> str:
    """Say what the labels of people and those of the judge give by themselves, next to the estimate."""
    text = ""
    if row["weight"]:
        text = (
            f"People's labels alone give {row['people']:.3f} ({row['people_low']:.3f} to "
            f"{row['people_high']:.3f}). "
        )
    level = f"{100 * estimates.confidence:g} %"
    side = "more" if row["bias"] > 0 else "less"
    bias = f"{row['bias_low']:.3f} to {row['bias_high']:.3f}".replace("-", "−")
    return (
        f"{text}The judge's labels alone give {row['judge']:.3f}, {abs(row['bias']):.3f} {side} than the "
        f"estimate ({level} interval of judge minus estimate: {bias})."
    )


def _standing(family: Family, best: str, correction: str) -> str:
    """Say from how many of the compared systems the best estimate differs."""
    pairs = [family.result.pairs.name(k) for k in range(len(family))]
    with_best = sum(best in pair for pair in pairs)
    corrected = "" if correction == "none" else f" after the correction ({correction})"
    if not with_best:
        count = len(family.different)
        return (
            f"{family.measure}: {count:,} of {len(pairs):,} pairs differ significantly{corrected}."
        )
    apart = sum(best in pair for pair in family.different)
    return (
        f"{family.measure}: {best} differs significantly{corrected} from {apart:,} of {with_best:,} "
        "compared systems."
    )


def interval_words(estimates: Estimates) -> str:
    """Return how the intervals of the estimates of the systems are computed."""
    freedom = estimates.estimators[0].fit.freedom
    if estimates.method == "z":
        words = "the normal distribution"
    elif estimates.method == "bootstrap":
        words = f"the studentised bootstrap over queries ({estimates.draws:,} draws, seed {estimates.seed})"
    else:
        over = "clusters" if estimates.clusters is not None else "queries"
        if estimates.target == "these-queries":
            over = "the documents drawn"
        words = f"Student's t over {over} ({freedom:.4g} degrees of freedom)"
        bounded = [e.measure for e in estimates.estimators if e.bounds is not None]
        if bounded:
            which = "" if len(bounded) == len(estimates.measures) else f" for {', '.join(bounded)}"
            words += f", in Wilson's form for bounded means{which}"
    return words


def _notes(estimates: Estimates) -> list[str]:
    n, total = estimates.labelled, len(estimates.queries)
    if estimates.by_documents:
        seen = f"people labelled some documents of each of {n:,} queries, the judge all ranked documents"
    else:
        seen = f"people labelled {n:,} queries, the judge {total:,}"
    about = "these queries" if estimates.target == "these-queries" else "queries like these"
    notes = [
        f"Design {estimates.design}: {seen}. * best estimate; the differences show what is significant.",
        f"Each {100 * estimates.confidence:g} % interval is for the mean of one system over {about}, not for "
        f"all systems together. Method: {interval_words(estimates)}.",
        assumption(estimates),
        "λ is the weight of the judge's labels, one per measure. n_eff is the number of queries that people "
        "alone would have to label for the same standard error.",
    ]
    notes += [f"! {finding}" for finding in estimates.findings if finding.severity != "note"]
    notes += [str(finding) for finding in estimates.findings if finding.severity == "note"]
    return notes + [f"signature: {signature}" for signature in estimates.signatures]


LEAST_CLUSTERS = 6  # with labels, below which differences are not tested
OTHER_FORMATS = (".csv", ".tsv", ".json", ".md", ".tex", ".html", ".txt")


class EstimateRow(TypedDict):
    """The estimate of one system by one measure, what people and the judge say alone, and the judge's bias."""

    measure: str
    system: str
    estimate: float
    low: float
    high: float
    people: float
    people_low: float
    people_high: float
    judge: float
    bias: float
    bias_low: float
    bias_high: float
    weight: float
    n: int
    n_judge: int
    n_eff: float


@dataclass(frozen=True, eq=False, repr=False)
class Estimates(MultiTableResult):
    """The estimated value of every system and measure, with intervals, people only and judge only.

    `tare.estimate` returns it, and `Estimates.load` reads it from a file. `tare.compare` tests its
    differences.

    Attributes
    ----------
    systems, queries : tuple of str
        The systems; the queries, those with human labels first.
    estimators : tuple of Estimator
        The values of each measure, and how they are estimated.
    design : {"queries", "documents"}
        What people labelled: all of some queries, or some documents of every query.
    method : {"t", "z", "bootstrap"}
        The kind of interval.
    target : {"all-queries", "these-queries"}
        Whether the queries are a sample, or all that matter.
    sampling : str
        How the documents were drawn: "fixed" or "poisson"; empty in the queries design.
    confidence : float
        Confidence level of the intervals.
    baseline : str or None
        The system that the others are compared with; None for all pairs.
    draws, seed : int
        Number of bootstrap draws, and their seed.
    signatures : tuple of Signature
        How the numbers of each measure were computed.
    findings : tuple of Finding
        What a reader should know about the labels.

    Examples
    --------
    >>> import tare
    >>> world = tare.simulate(queries=40, documents=10, seed=3)
    >>> truth = world.qrels.to_dict()
    >>> people = {query: truth[query] for query in list(truth)[::2]}
    >>> found = tare.estimate(people, truth, world.runs[:2], "P@5")
    >>> found.systems, found.design, found.labelled
    (('lexical', 'dense'), 'queries', 20)
    >>> row = found.rows()[0]
    >>> row["low"] < row["estimate"] < row["high"]
    True
    """

    systems: tuple[str, ...]
    queries: tuple[str, ...]
    estimators: tuple[Estimator, ...]
    design: str
    method: str = "t"
    target: str = "all-queries"
    sampling: str = ""
    confidence: float = 0.95
    baseline: str | None = None
    draws: int = 2000
    seed: int = 0
    signatures: tuple[Signature, ...] = ()
    findings: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        if self.baseline is not None and self.baseline not in self.systems:
            raise OptionError(
                f"the baseline {self.baseline!r} is not one of the systems."
                f"{nearest(self.baseline, self.systems)}"
            )

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures."""
        return tuple(estimator.measure for estimator in self.estimators)

    @property
    def labelled(self) -> int:
        """The number of queries with human labels."""
        return self.estimators[0].sample.n

    @property
    def clusters(self) -> tuple[int, int] | None:
        """The number of clusters with human labels, and of the others; None without clusters."""
        sample = self.estimators[0].sample
        if not isinstance(sample, QuerySample) or sample.clusters is None:
            return None
        labelled, others = sample.cluster_sizes
        return len(labelled), len(others)

    def __getitem__(self, measure: str | Measure) -> Estimates:
        return self.select(measures=[measure])

    def select(self, *, measures: Sequence[str | Measure]) -> Estimates:
        """Return the estimates of some measures.

        Parameters
        ----------
        measures
            The measures to keep.

        Returns
        -------
        Estimates
        """
        names = [str(measure) for measure in measures]
        for name in names:
            if name not in self.measures:
                known = ", ".join(self.measures)
                raise OptionError(f"there is no estimate of {name!r}; there are: {known}.")
        kept = [self.measures.index(name) for name in names]
        return replace(
            self,
            estimators=tuple(self.estimators[k] for k in kept),
            signatures=tuple(self.signatures[k] for k in kept) if self.signatures else (),
        )

    def estimator(self, measure: str | Measure | None = None) -> Estimator:
        """Return the values of one measure.

        Parameters
        ----------
        measure : str or Measure, optional
            The measure; it may be left out if there is only one.
        """
        chosen = self if measure is None else self[measure]
        if len(chosen.estimators) != 1:
            raise OptionError(
                f"there are estimates of {len(self.measures)} measures; choose one of: "
                f"{', '.join(self.measures)}."
            )
        return chosen.estimators[0]

    @cached_property
    def _rows(self) -> list[EstimateRow]:
        return [row for estimator in self.estimators for row in self._of(estimator)]

    def _of(self, estimator: Estimator) -> list[EstimateRow]:
        level = self.confidence
        found, low, high = estimator.interval(None, level, self.draws, self.seed)
        people = estimator.people.systems()
        people_low, people_high = estimator.bounded(people, level)
        judge, bias = estimator.judge
        gap = bias.systems()
        gap_low, gap_high = gap.ends(level)
        error = estimator.fit.systems().error
        n = estimator.sample.n
        weight = float(estimator.fit.weight)
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = np.where(people.error == error, 1.0, people.error**2 / error**2)
        worth = n * gain
        sign = 1 if better_end(estimator.measure) == "lower" else -1
        order = sorted(
            range(len(self.systems)),
            key=lambda s: (sign * round(float(found.value[s]), 12), self.systems[s]),
        )
        return [
            {
                "measure": estimator.measure,
                "system": self.systems[s],
                "estimate": float(found.value[s]),
                "low": float(low[s]),
                "high": float(high[s]),
                "people": float(people.value[s]),
                "people_low": float(people_low[s]),
                "people_high": float(people_high[s]),
                "judge": float(judge[s]),
                "bias": float(gap.value[s]),
                "bias_low": float(gap_low[s]),
                "bias_high": float(gap_high[s]),
                "weight": weight,
                "n": n,
                "n_judge": estimator.sample.total,
                "n_eff": float(worth[s]),
            }
            for s in order
        ]

    def rows(self) -> list[EstimateRow]:
        """Return one dictionary per measure and system, best first."""
        return self._rows

    @cached_property
    def differences(self) -> Comparison | None:
        """The differences of all pairs, or from the baseline; None for one system or below 6 clusters."""
        few = self.clusters is not None and self.clusters[0] < LEAST_CLUSTERS
        if len(self.systems) < 2 or few:
            return None
        from tare._decide.compare_estimates import compare_estimates

        return compare_estimates(
            self,
            baseline=self.baseline,
            alpha=1 - self.confidence,
            draws=self.draws,
            seed=self.seed,
        )

    def all_rows(self) -> RowsByName:
        """Return the rows of the systems and of the differences."""
        found = self.differences
        made: dict[str, Sequence[Mapping[str, Any]]] = {"estimates": self.rows()}
        return made if found is None else made | {"differences": found.rows()}

    def tables(self) -> dict[str, Table]:
        """Return the table of the estimates and the table of the differences."""

        made = {"estimates": estimate_table(self)}
        if self.differences is not None:
            made["differences"] = self.differences.table()
        return made

    def long_table(self) -> Table:
        """Return one row per measure and system with every field, for programs."""

        return long_table(self)

    @property
    def methods(self) -> str:
        """A methods paragraph for a paper: the estimates and, with several systems, their differences."""
        from tare._decide.compare_estimates import estimate_paragraph

        found = self.differences
        return estimate_paragraph(self) if found is None else found.methods

    def headlines(self) -> list[str]:
        """Return the best estimate of each measure, what it differs from, the assumption and the findings."""
        return [*sentences(self, self.differences), assumption(self), *map(str, self.findings)]

    def answer(self) -> str:
        """Return the best estimate by the first measure, and how many systems it differs from."""
        return answer_of(self, self.differences)

    def facts(self) -> Row:
        """Return design, method, assumption, findings and signatures."""

        return {
            "design": self.design,
            "method": self.method,
            "target": self.target,
            "sampling": self.sampling or None,
            "clusters": None if self.clusters is None else list(self.clusters),
            "confidence": self.confidence,
            "assumption": assumption(self),
            "findings": [str(finding) for finding in self.findings],
            "signatures": [str(signature) for signature in self.signatures],
        }

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the estimates.

        Parameters
        ----------
        path
            ``.csv``, ``.tsv``, ``.json``, ``.md``, ``.tex``, ``.html`` and ``.txt`` choose these
            formats. Any other path becomes a Parquet file with the values of every query, which `load`,
            `tare compare`, `tare report` and `tare design judge` read.

        Returns
        -------
        Path
            The path that was written.
        """
        target = Path(path)
        if target.suffix.lower() in OTHER_FORMATS:
            return super().save(target)
        from tare._decide.saved_estimates import save

        save(self, target)
        return target

    @staticmethod
    def load(source: str | os.PathLike[str]) -> Estimates:
        """Read a Parquet file that `save` wrote.

        Parameters
        ----------
        source : path
            The file.

        Returns
        -------
        Estimates
        """
        from tare._decide.saved_estimates import load

        return load(source)

    def _shown(self) -> list[Table]:
        tables = self.tables()
        few = self.differences is not None and len(self.differences) <= 45
        return list(tables.values()) if few else [tables["estimates"]]

    @property
    def by_documents(self) -> bool:
        """Whether people labelled some documents of every query."""
        return isinstance(self.estimators[0].sample, DocumentSample)
