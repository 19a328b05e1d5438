"""Estimates: what few human labels and many labels of a model say about the true values."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tare._data.findings import Finding
from tare._decide.ppi.estimators import Estimator
from tare._decide.ppi.samples import DocumentSample, QuerySample
from tare._measures.aggregation import better_end
from tare._result import MultiTableResult, Row, Rows
from tare._signature import Signature
from tare.errors import OptionError, nearest

if TYPE_CHECKING:
    from tare._decide.comparison import Comparison
    from tare._measures.measure import Measure
    from tare._tables import Table

__all__ = ["LEAST_CLUSTERS", "Estimates"]

LEAST_CLUSTERS = 6  # with labels, below which differences are not tested
OTHER_FORMATS = (".csv", ".tsv", ".json", ".md", ".tex", ".html", ".txt")


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

    figure_module: ClassVar[str] = "tare.report._chapters.studies.estimates"

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
    def _rows(self) -> Rows:
        return [row for estimator in self.estimators for row in self._of(estimator)]

    def _of(self, estimator: Estimator) -> Rows:
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

    def rows(self) -> Rows:
        """Return one dictionary per measure and system, best first."""
        return self._rows

    @cached_property
    def differences(self) -> Comparison | None:
        """The differences of all pairs, or from the baseline; None for one system or below 6 clusters."""
        few = self.clusters is not None and self.clusters[0] < LEAST_CLUSTERS
        if len(self.systems) < 2 or few:
            return None
        from tare._decide.ppi.comparison import compare_estimates

        return compare_estimates(
            self,
            baseline=self.baseline,
            alpha=1 - self.confidence,
            draws=self.draws,
            seed=self.seed,
        )

    def all_rows(self) -> dict[str, Rows]:
        """Return the rows of the systems and of the differences."""
        found = self.differences
        return {"estimates": self.rows()} | ({} if found is None else {"differences": found.rows()})

    def tables(self) -> dict[str, Table]:
        """Return the table of the estimates and the table of the differences."""
        from tare._decide.ppi.tables import estimate_table

        made = {"estimates": estimate_table(self)}
        if self.differences is not None:
            made["differences"] = self.differences.table()
        return made

    def long_table(self) -> Table:
        """Return one row per measure and system with every field, for programs."""
        from tare._decide.ppi.tables import long_table

        return long_table(self)

    @property
    def methods(self) -> str:
        """A methods paragraph for a paper: the estimates and, with several systems, their differences."""
        from tare._decide.ppi.methods import estimate_paragraph

        found = self.differences
        return estimate_paragraph(self) if found is None else found.methods

    def facts(self) -> Row:
        """Return design, method, assumption, findings and signatures."""
        from tare._decide.ppi.tables import assumption

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
        from tare._decide.ppi.files import save

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
        from tare._decide.ppi.files import load

        return load(source)

    def _shown(self) -> list[Table]:
        tables = self.tables()
        few = self.differences is not None and len(self.differences) <= 45
        return list(tables.values()) if few else [tables["estimates"]]

    @property
    def by_documents(self) -> bool:
        """Whether people labelled some documents of every query."""
        return isinstance(self.estimators[0].sample, DocumentSample)
