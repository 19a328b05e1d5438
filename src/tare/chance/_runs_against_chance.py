"""Runs against chance: one p-value per query and per run, luck, and the floor of a collection."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._data.judged import Judged, Policies
from tare._data.pools import Pool, Pools
from tare._measures.aggregation import best_first
from tare._measures.defaults import MAIN_MEASURE, MAIN_MEASURES
from tare._measures.evaluate_rankings import (
    Judgements,
    findings_of,
    join,
    judged_runs,
    read_judgements,
    union_of,
)
from tare._measures.measure import Measure, make
from tare._measures.names import parse, parse_all
from tare._measures.one_system import RankingEvaluation, Sampling
from tare._measures.ranking.positions import reads_groups
from tare._measures.ranking_findings import pool_findings, refuse_unretrieved
from tare._result import MultiTableResult, Result, Row, Rows
from tare._tables import Column, PColumn, Table, p_stated
from tare.chance._distributions import (
    MeanDistribution,
    band_notes,
    check_confidence,
    first_rank_tails,
    mean_distribution,
    measures_under_chance,
)
from tare.chance._expected_values import Chances, chances_of, judged_run, kernel_values
from tare.errors import MeasureError, OptionError

if TYPE_CHECKING:
    from tare._measures.inputs import CandidatesInput, MeasuresInput, QrelsInput, RunsInput

__all__ = [
    "Floor",
    "Luck",
    "Significance",
    "better_than_chance",
    "floor",
    "luck",
    "luck_of",
    "p_values",
]


# Test of a run against chance: one p-value per query, and one for the whole run.


Array = NDArray[np.float64]


def p_values(judged: Judged, chances: Chances, observed: Array) -> tuple[Array, Array]:
    """Return P(a random ranking of the pool scores at least as well as the run) per query, and its error.

    Exact if the pool has few distinct orders, otherwise (b + 1)/(B + 1) over B sampled orders.
    """
    measure = chances.measure
    if measure.definition.function is not None:
        raise MeasureError(f"{measure} is a Python function; p-values are not available for it.")
    tied = chances.pool.all_tied(judged)
    if measure.better == "lower":
        return first_rank_tails(judged, measure, tied, observed), np.zeros(len(observed))
    if measure.definition.chance is not None:
        return measure.definition.chance.tails(judged, measure, tied, chances.sampling, observed)
    return kernel_values(judged, measure, tied, chances.sampling, "tails", observed)


@dataclass(frozen=True, repr=False)
class Significance(Result):
    """Test of a run against a random ranking, by query and as a whole.

    Attributes
    ----------
    system, measure
        The run and the measure.
    items
        The queries.
    score, expected, deviation
        The score of each query, and the mean and standard deviation under chance.
    p, p_error
        The p-value of each query (NaN without a relevant document), and its standard error.
    z, p_run
        z and p-value of the whole run, as in `tare.chance.luck`.
    queries
        The number of queries with a relevant document.
    sampling
        Seed and number of samples.

    Examples
    --------
    >>> import tare
    >>> qrels = {"q1": {"a": 1, "b": 0, "c": 0}, "q2": {"a": 0, "b": 1, "c": 0}}
    >>> run = {q: {"a": 3.0, "b": 2.0, "c": 1.0} for q in qrels}
    >>> found = tare.chance.better_than_chance(qrels, run, "RR", pool="judged")
    >>> found.items, found.p.round(3).tolist(), round(found.p_run, 3)
    (('q1', 'q2'), [0.333, 0.667], 0.333)
    """

    system: str
    measure: Measure
    items: tuple[str, ...]
    score: Array
    expected: Array
    deviation: Array
    p: Array
    z: float
    p_run: float
    queries: int
    p_error: Array
    sampling: Sampling

    def answer(self) -> str:
        """Return the test of the whole run."""
        return (
            f"{self.system}, {self.measure}: z = {self.z:.2f}, {p_stated(self.p_run)} over "
            f"{self.queries} queries (null hypothesis: a random ranking)."
        )

    def rows(self) -> Rows:
        """Return one dictionary per query, those with the largest p-value first."""
        made = [
            {
                "query": item,
                "score": float(self.score[i]),
                "expected": float(self.expected[i]),
                "deviation": float(self.deviation[i]),
                "p": float(self.p[i]),
            }
            for i, item in enumerate(self.items)
            if not math.isnan(self.p[i])
        ]
        return sorted(made, key=lambda row: -float(row["p"]))

    def facts(self) -> Row:
        """Return the result of the whole run, seed and number of samples."""
        names = ("system", "measure", "z", "p_run", "queries")
        samples = {"seed": self.sampling.seed, "samples": self.sampling.samples}
        return {name: getattr(self, name) for name in names} | samples

    def table(self) -> Table:
        """Return a table of the queries, those with the largest p-value first."""
        columns: list[Column | str] = [
            "query",
            Column("score"),
            Column("expected"),
            Column("deviation"),
            PColumn("p"),
        ]
        rows = [tuple(row.values()) for row in self.rows()]
        notes = [self.answer()]
        sampled = int((self.p_error > 0).sum())
        if sampled:
            notes.append(
                f"The p-value{'s' * (sampled > 1)} of {sampled:,} {'queries are' if sampled > 1 else 'query is'} "
                f"sampled (seed {self.sampling.seed}, "
                f"{self.sampling.samples:,} orders); the largest standard error is "
                f"{self.p_error.max():.2g}."
            )
        return Table.of(columns, rows, notes=notes)


def better_than_chance(
    qrels: QrelsInput,
    run: RunsInput,
    measure: str | Measure = "AP",
    *,
    pool: str | Pool | None = None,
    corpus: int | str | None = None,
    candidates: CandidatesInput | None = None,
    seed: int = 0,
    samples: int = 10_000,
) -> Significance:
    """Test whether a run is better than a random ranking of each query's pool.

    Parameters
    ----------
    qrels, run
        Judgements and one run, as for `tare.evaluate`.
    measure
        A measure of rankings.
    pool, corpus, candidates
        The documents that could have been ranked, as for `tare.evaluate`.
    seed, samples
        Seed and number of random orders for values without a closed form.

    Returns
    -------
    Significance
        p-values of the queries and of the whole run.

    Raises
    ------
    MeasureError
        If the measure is unknown, is a Python function, or has no variance under chance.
    OptionError
        If no pool or more than one run is given, or an option is out of range.
    DataError
        If qrels, run and pool cannot be read, or do not fit together.

    Examples
    --------
    >>> import tare
    >>> qrels, run = {"q": {"a": 1, "b": 0, "c": 0, "d": 0}}, {"q": {"a": 2.0, "b": 1.0}}
    >>> tare.chance.better_than_chance(qrels, run, "RR", pool="judged").p_run
    0.25
    """
    wanted = parse(measure)
    judgements = read_judgements(qrels, [wanted])
    pools = Pools.of(pool, corpus, candidates).known_from(judgements)
    pools.require(f"a test of {wanted} against chance")
    judged = judged_run(judgements, run, [wanted])
    if pools.require(wanted).kind == "union":
        pools = pools.with_union(union_of(judged, [run]))
    sampling = Sampling(seed, samples)
    found = chances_of(judged, wanted, pools.require(wanted), sampling=sampling, with_variance=True)
    assert found.variance is not None
    evaluation = RankingEvaluation(judged, sampling)
    refuse_unretrieved(evaluation, [wanted])
    score = evaluation.values(wanted)
    p, p_error = p_values(judged, found, score)
    use = found.defined
    chance = mean_distribution(judged, found, seed=seed)
    mean = math.fsum(score[~np.isnan(score)]) / chance.queries if chance.queries else math.nan
    return Significance(
        judged.system,
        wanted,
        judged.items,
        score,
        found.expected,
        np.sqrt(found.variance),
        np.where(use, p, np.nan),
        chance.z(mean),
        chance.p(mean),
        int(use.sum()),
        np.where(use, p_error, 0.0),
        sampling,
    )


# Luck: each run against a ranker without skill, with z and p for each run.


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

    def answer(self) -> str:
        """Return the run with the best mean by the first measure, and its test against chance."""
        chance = self.chances[0]
        means = dict(zip(self.systems, self.means[:, 0].tolist(), strict=True))
        best = best_first(means, chance.measure)[0]
        return (
            f"By {chance.measure}, {best} scores {means[best]:.3f} and a random ranker {chance.expected:.3f} "
            f"({p_stated(chance.p(means[best]))})."
        )

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
    """Return the luck of judged rankings: their runs against chance; every run has the same pool."""
    sampling = sampling or Sampling()
    pool = pools.require("luck")
    chances = tuple(d for _, d in measures_under_chance(rankings[0], measures, pool, sampling))
    means = np.empty((len(rankings), len(measures)))
    for s, judged in enumerate(rankings):
        pool.check(judged)
        evaluation = RankingEvaluation(judged, sampling)
        refuse_unretrieved(evaluation, measures)
        for m, measure in enumerate(measures):
            values = evaluation.values(measure)
            means[s, m] = math.fsum(values[~np.isnan(values)]) / chances[m].queries
    expected = tuple(make("E", inner=measure) for measure in measures)
    findings = pool_findings(rankings, expected, pools, "zero")
    return Luck(tuple(j.system for j in rankings), chances, means, confidence, tuple(findings))


# The floor of a collection: what a ranker without skill scores on it, before any run is scored.


@dataclass(frozen=True, repr=False)
class Floor(MultiTableResult):
    """Expected value, band of random rankers and ideal of each measure on a collection.

    Attributes
    ----------
    chances
        Each measure under chance, query by query.
    means
        For each measure the distribution of a random ranker's mean.
    confidence
        The share of random rankers between `low` and `high`.
    findings
        The pool, and warnings.

    Examples
    --------
    >>> import tare
    >>> qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0, "b": 1, "c": 0}}
    >>> found = tare.chance.floor(qrels, "P@1", pool="judged")
    >>> [(row["query"], round(row["expected"], 3)) for row in found.query_rows()]
    [('q1', 0.5), ('q2', 0.333)]
    """

    chances: tuple[Chances, ...]
    means: tuple[MeanDistribution, ...]
    confidence: float
    findings: tuple[Finding, ...] = ()

    def answer(self) -> str:
        """Return the expected value of a random ranking by the first measure, and its band."""
        chance = self.means[0]
        low, high = chance.band(self.confidence)
        return (
            f"A random ranking would score {chance.expected:.3f} by {chance.measure} on these queries "
            f"({100 * self.confidence:g} % of random rankings: {low:.3f} to {high:.3f})."
        )

    def rows(self) -> Rows:
        """Return one dictionary per measure."""
        made = []
        for found, chance in zip(self.chances, self.means, strict=True):
            low, high = chance.band(self.confidence)
            made.append(
                {
                    "measure": str(found.measure),
                    "expected": chance.expected,
                    "low": low,
                    "high": high,
                    "ideal": float(np.mean(found.upper[~np.isnan(found.upper)])),
                    "without_room": int((found.room == 0).sum()),
                    "n": chance.queries,
                    "how": chance.how,
                }
            )
        return made

    def query_rows(self) -> Rows:
        """Return one dictionary per query and measure."""
        return [
            {
                "query": item,
                "measure": str(found.measure),
                "pool": int(found.sizes[i]),
                "expected": float(found.expected[i]),
                "deviation": float(np.sqrt(0 if found.variance is None else found.variance[i])),
                "ideal": float(found.upper[i]),
            }
            for found in self.chances
            for i, item in enumerate(found.items)
        ]

    def all_rows(self) -> dict[str, Rows]:
        """Return the rows by measure and the rows by query."""
        return {"measures": self.rows(), "queries": self.query_rows()}

    def facts(self) -> Row:
        """Return confidence and findings."""
        return {"confidence": self.confidence, "findings": [str(f) for f in self.findings]}

    def table(self) -> Table:
        """Return a table with one row per measure."""
        columns: list[Column | str] = ["measure", Column("expected"), Column("low"), Column("high")]
        columns += [Column("ideal"), Column("without room"), Column("n"), "how"]
        note = "Without room: queries on which chance scores as well as the ideal."
        return Table.of(
            columns,
            [tuple(row.values()) for row in self.rows()],
            notes=band_notes(self.findings, self.confidence, note),
        )

    def query_table(self) -> Table:
        """Return a table with one row per query and measure."""
        rows = [tuple(row.values()) for row in self.query_rows()]
        columns: list[Column | str] = ["query", "measure", Column("pool"), Column("expected")]
        return Table.of([*columns, Column("deviation"), Column("ideal")], rows)

    def tables(self) -> dict[str, Table]:
        """Return the table by measure and the table by query."""
        return {"measures": self.table(), "queries": self.query_table()}

    def _shown(self) -> list[Table]:
        return [self.table()]


def floor(
    qrels: QrelsInput,
    measures: MeasuresInput = MAIN_MEASURES,
    *,
    pool: str | Pool | None = None,
    corpus: int | str | None = None,
    candidates: CandidatesInput | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    samples: int = 10_000,
) -> Floor:
    """Compute what a ranker without skill scores on a collection; no run is needed.

    Parameters
    ----------
    qrels
        Judgements, as for `tare.evaluate`.
    measures
        Measures of rankings.
    pool, corpus, candidates
        The documents that could be ranked, as for `tare.evaluate`. Pools of runs ("union",
        "retrieved") are not possible.
    confidence
        The share of random rankers in the band.
    seed, samples
        Seed and number of random orders for values without a closed form.

    Returns
    -------
    Floor
        Expected value, band and ideal by measure, and by query.

    Raises
    ------
    MeasureError
        If a measure is unknown, or has no value under chance.
    OptionError
        If no pool or a pool of runs is given, or an option is out of range.
    DataError
        If the qrels cannot be read, or do not fit the pool.

    Examples
    --------
    >>> import tare
    >>> qrels = {"q": {"a": 1, "b": 0, "c": 0, "d": 0}}
    >>> row = tare.chance.floor(qrels, "Success@2", pool="judged").rows()[0]
    >>> row["expected"], row["ideal"]
    (0.5, 1.0)
    """
    check_confidence(confidence)
    wanted = parse_all(measures)
    judgements = read_judgements(qrels, wanted)
    pools = Pools.of(pool, corpus, candidates).known_from(judgements)
    chosen = pools.require("the floor of a collection")
    if chosen.kind in ("union", "retrieved"):
        raise OptionError(
            f"pool={chosen} is a pool of runs, and the floor uses no run. Give pool=judged, corpus=N or "
            "candidates."
        )
    judged = _without_a_run(judgements)
    made = measures_under_chance(judged, wanted, chosen, Sampling(seed, samples))
    expected = tuple(make("E", inner=measure) for measure in wanted)
    found = pool_findings([judged], expected, pools, "zero")
    findings = (*(f for f in found if f.kind == "pool"), *findings_of(judgements))
    return Floor(tuple(c for c, _ in made), tuple(d for _, d in made), confidence, findings)


def _without_a_run(judgements: Judgements) -> Judged:
    """Return the judgements for a floor joined with a run of one judged document, as the core needs a run."""
    documents: Any = getattr(judgements, "documents", judgements)
    query, ranked = next(iter(documents.by_query()))
    return join(judgements, {query: {ranked[0][0]: 1.0}}, Policies())
