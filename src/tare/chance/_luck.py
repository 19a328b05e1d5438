"""Luck: each run against a ranker without skill, with z and p for each run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._data.judged import Judged, Policies
from tare._data.pools import Pool, Pools
from tare._measures.defaults import MAIN_MEASURE
from tare._measures.evaluate_rankings import judged_runs, read_judgements, union_of
from tare._measures.measure import Measure, make
from tare._measures.names import parse_all
from tare._measures.one_system import Evaluation, Sampling
from tare._measures.ranking.positions import reads_groups
from tare._measures.ranking_findings import pool_findings, refuse_unretrieved
from tare._result import Result, Row, Rows
from tare._tables import Column, PColumn, Table
from tare.chance._mean_distribution import (
    MeanDistribution,
    band_notes,
    check_confidence,
    measures_under_chance,
)

if TYPE_CHECKING:
    from tare._measures.inputs import CandidatesInput, MeasuresInput, QrelsInput, RunsInput

__all__ = ["Luck", "luck", "luck_of"]


@dataclass(frozen=True, repr=False)
class Luck(Result):
    """Runs compared with a ranker without skill.

    Attributes
    ----------
    systems
        The names of the runs.
    chances
        For each measure the distribution of a random ranker's mean, with the methods ``z(mean)``,
        ``p(mean)`` and ``band(confidence)``.
    means
        The means of the runs, systems × measures.
    confidence
        The share of random rankers between `low` and `high`.
    findings
        The pool, and warnings.

    Examples
    --------
    >>> import tare
    >>> qrels = {"q1": {"a": 1, "b": 0, "c": 0}, "q2": {"a": 0, "b": 1, "c": 0}}
    >>> run = {q: {"a": 3.0, "b": 2.0, "c": 1.0} for q in qrels}
    >>> found = tare.chance.luck(qrels, run, "P@1", pool="judged")
    >>> found.systems, found.means.tolist(), found.chances[0].band()
    (('run',), [[0.5]], (0.0, 1.0))
    """

    systems: tuple[str, ...]
    chances: tuple[MeanDistribution, ...]
    means: NDArray[np.float64]
    confidence: float
    findings: tuple[Finding, ...] = ()

    def rows(self) -> Rows:
        """Return one dictionary per system and measure."""
        made = []
        for m, chance in enumerate(self.chances):
            low, high = chance.band(self.confidence)
            for s, system in enumerate(self.systems):
                mean = float(self.means[s, m])
                made.append(
                    {
                        "system": system,
                        "measure": str(chance.measure),
                        "mean": mean,
                        "expected": chance.expected,
                        "low": low,
                        "high": high,
                        "z": chance.z(mean),
                        "p": chance.p(mean),
                        "how": chance.how,
                        "n": chance.queries,
                    }
                )
        return made

    def facts(self) -> Row:
        """Return confidence and findings."""
        return {"confidence": self.confidence, "findings": [str(f) for f in self.findings]}

    def table(self) -> Table:
        """Return a table with one row per system and measure."""
        columns = [Column("system", align="left"), Column("measure", align="left")]
        columns += [Column("mean"), Column("chance"), Column("low"), Column("high")]
        columns += [Column("z", digits=2), PColumn("p"), Column("how", align="left")]
        keys = ("system", "measure", "mean", "expected", "low", "high", "z", "p", "how")
        rows = [tuple(row[key] for key in keys) for row in self.rows()]
        note = "p: the probability that a random ranker's mean is at least as good."
        return Table.of(columns, rows, notes=band_notes(self.findings, self.confidence, note))


def luck(
    qrels: QrelsInput,
    runs: RunsInput,
    measures: MeasuresInput = MAIN_MEASURE,
    *,
    pool: str | Pool | None = None,
    corpus: int | str | None = None,
    candidates: CandidatesInput | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    samples: int = 10_000,
) -> Luck:
    """Compare each run with a ranker without skill.

    Parameters
    ----------
    qrels, runs, measures
        As for `tare.evaluate`.
    pool, corpus, candidates
        The documents that could have been ranked, as for `tare.evaluate`.
    confidence
        The share of random rankers in the band.
    seed, samples
        Seed and number of random orders for moments without a closed form.

    Returns
    -------
    Luck
        One row per system and measure: mean, expected value, band of random rankers, z and p.

    Raises
    ------
    MeasureError
        If a measure is unknown, or has no value or no variance under chance.
    OptionError
        If no pool is given, or an option is out of range.
    DataError
        If qrels, runs and pool cannot be read, or do not fit together.

    Examples
    --------
    >>> import tare
    >>> qrels = {"q": {"a": 1, "b": 0, "c": 0, "d": 0}}
    >>> found = tare.chance.luck(qrels, {"q": {"a": 2.0, "b": 1.0}}, "RR", pool="judged")
    >>> row = found.rows()[0]
    >>> row["p"], row["how"]
    (0.25, 'exact')
    """
    check_confidence(confidence)
    wanted = parse_all(measures)
    judgements = read_judgements(qrels, wanted)
    pools = Pools.of(pool, corpus, candidates).known_from(judgements)
    chosen = pools.require("a comparison with chance")
    rankings = judged_runs(judgements, runs, Policies(groups=reads_groups(wanted)))
    if chosen.kind == "union":
        pools = pools.with_union(union_of(rankings[0], runs))
    return luck_of(rankings, wanted, pools, confidence, Sampling(seed, samples))


def luck_of(
    rankings: list[Judged],
    measures: tuple[Measure, ...],
    pools: Pools,
    confidence: float = 0.95,
    sampling: Sampling | None = None,
) -> Luck:
    """Return the same for judged rankings; every run has the same pool."""
    sampling = sampling or Sampling()
    pool = pools.require("luck")
    chances = tuple(d for _, d in measures_under_chance(rankings[0], measures, pool, sampling))
    means = np.empty((len(rankings), len(measures)))
    for s, judged in enumerate(rankings):
        pool.check(judged)
        evaluation = Evaluation(judged, sampling)
        refuse_unretrieved(evaluation, measures)
        for m, measure in enumerate(measures):
            values = evaluation.values(measure)
            means[s, m] = math.fsum(values[~np.isnan(values)]) / chances[m].queries
    expected = tuple(make("E", inner=measure) for measure in measures)
    findings = pool_findings(rankings, expected, pools, "zero")
    return Luck(tuple(j.system for j in rankings), chances, means, confidence, tuple(findings))
