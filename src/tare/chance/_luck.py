"""Luck: each run against a ranker without skill.

Queries are independent under chance, so Σ(A − E) has mean 0 and variance ΣVar(A). For each run: z, and
p, the probability that a random ranker's mean is at least as good.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._data.judged import Judged, Policies
from tare._data.pools import Pools
from tare._measures.evaluation import Evaluation, Sampling
from tare._measures.judged_runs import judged_runs
from tare._measures.judgements import read_judgements, union_of
from tare._measures.measure import Measure
from tare._measures.names import parse_all
from tare._measures.pool_findings import pool_findings
from tare._measures.ranking.label_ranking import reads_groups
from tare._measures.unretrieved import refuse_unretrieved
from tare._reportable import Reportable
from tare.chance._chances import Chances, chances_of, kernel_values, no_spread
from tare.chance._distribution import Distribution, convolved, distributions, tail
from tare.errors import MeasureError, MismatchError

if TYPE_CHECKING:
    import polars as pl

    from tare._tables import Table

__all__ = ["Chance", "Luck", "chance_of_mean", "luck"]

Array = NDArray[np.float64]
SKEWNESS_ORDERS = 200_000  # sampled in all where the third moment has no closed form
NORMAL = NormalDist()


@dataclass(frozen=True)
class Chance:
    """The distribution of a random ranker's mean over a set of queries.

    how: "exact" (convolution of the queries' distributions), "skewness-corrected normal", or "normal"
    where the third moment is not known.
    """

    measure: Measure
    queries: int
    expected: float
    deviation: float
    skewness: float
    how: str
    distribution: Distribution | None

    def z(self, mean: float) -> float:
        """How many standard deviations better than chance a mean is; 0 where chance has no spread."""
        if self.deviation == 0:
            return 0.0
        gap = (mean - self.expected) / self.deviation
        return -gap if self.measure.better == "lower" else gap

    def p(self, mean: float) -> float:
        """P(a random ranker's mean is at least as good)."""
        lower = self.measure.better == "lower"
        if self.distribution is not None:
            return tail(self.distribution, mean * self.queries, lower=lower)
        if self.deviation == 0:
            worse = mean > self.expected + 1e-12 if lower else mean < self.expected - 1e-12
            return 1.0 if worse or abs(mean - self.expected) <= 1e-12 else 0.0
        return _corrected_tail(self.z(mean), -self.skewness if lower else self.skewness)

    def band(self, confidence: float = 0.95) -> tuple[float, float]:
        """The interval in which the means of a share `confidence` of random rankers lie."""
        tails = ((1 - confidence) / 2, (1 + confidence) / 2)
        if self.distribution is not None:
            values, p = self.distribution
            reached = np.cumsum(p)
            last = len(values) - 1
            low, high = (values[min(int(np.searchsorted(reached, t - 1e-12)), last)] for t in tails)
            return float(low) / self.queries, float(high) / self.queries
        ends = [
            self.expected + self.deviation * _corrected_quantile(t, self.skewness) for t in tails
        ]
        lowest, highest = self.measure.definition.bounds  # an approximation may pass them
        low = ends[0] if lowest is None else max(ends[0], lowest)
        return low, ends[1] if highest is None else min(ends[1], highest)


def _corrected_tail(z: float, skewness: float) -> float:
    """1 − Φ(w), w the standard score z corrected for the third moment."""
    if abs(skewness) < 1e-9:
        return 0.5 * math.erfc(z / math.sqrt(2))
    if skewness < 0:
        return 1.0 - _corrected_tail(-z, -skewness)
    inside = 1 + 2 * skewness * z / 3 + skewness**2 / 9
    if inside < 0:
        return 1.0
    w = 3 / skewness * (math.sqrt(inside) - 1)
    return 0.5 * math.erfc(w / math.sqrt(2))


def _corrected_quantile(share: float, skewness: float) -> float:
    """The standard score with this share below it: the inverse of the corrected tail."""
    w = NORMAL.inv_cdf(share)
    if abs(skewness) < 1e-9:
        return w
    root = 1 + skewness * w / 3
    if root < 0:  # the end of the support
        root = 0.0
    return (root**2 - 1 - skewness**2 / 9) * 3 / (2 * skewness)


def chance_of_mean(judged: Judged, found: Chances, *, seed: int = 0) -> Chance:
    """What a random ranker's mean over the queries of a set is distributed like."""
    if found.pool.unlimited:
        raise no_spread(found.measure)
    if found.variance is None:
        raise MeasureError(f"{found.measure}: the spread of chance is not known.")
    known = ~np.isnan(found.expected)  # MeanRank has no value where nothing is relevant
    n = int(known.sum())
    if n == 0:
        raise MismatchError(f"{found.measure} is undefined: no query has a relevant document.")
    deviation = math.sqrt(math.fsum(found.variance[known])) / n
    expected = math.fsum(found.expected[known]) / n
    single = distributions(judged, found)
    if single is not None:
        single = [one for one, is_known in zip(single, known, strict=True) if is_known]
    whole = None if single is None else convolved(single)
    if whole is not None:
        return Chance(found.measure, n, expected, deviation, 0.0, "exact", whole)
    third = _third_moment(judged, found, single, seed)
    if third is None or deviation == 0:
        return Chance(found.measure, n, expected, deviation, 0.0, "normal", None)
    skewness = third / (deviation * n) ** 3
    return Chance(
        found.measure, n, expected, deviation, skewness, "skewness-corrected normal", None
    )


def _third_moment(
    judged: Judged, found: Chances, single: list[Distribution] | None, seed: int
) -> float | None:
    """Σ of the queries' third central moments; None where only providers know the measure."""
    if single is not None:
        return math.fsum(float(np.sum(p * (v - float(np.sum(v * p))) ** 3)) for v, p in single)
    definition = found.measure.definition
    if definition.chance is not None or definition.function is not None:
        return None
    tied = found.pool.all_tied(judged)
    each = min(4000, max(16, SKEWNESS_ORDERS // max(1, len(found.items))))
    sampling = Sampling(seed, each, 2000)
    values, _ = kernel_values(judged, found.measure, tied, sampling, "thirds")
    return math.fsum(values[~np.isnan(found.expected)])


@dataclass(frozen=True)
class Luck(Reportable):
    """Runs against a ranker without skill, by measure."""

    systems: tuple[str, ...]
    chances: tuple[Chance, ...]
    means: Array  # systems × measures
    confidence: float
    findings: tuple[Finding, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary per system and measure."""
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

    def to_frame(self) -> pl.DataFrame:
        """A polars frame, one row per system and measure."""
        import polars as pl

        return pl.DataFrame(self.rows())

    def to_dict(self) -> dict[str, Any]:
        """Rows, confidence and findings."""
        return {
            "rows": self.rows(),
            "confidence": self.confidence,
            "findings": [str(finding) for finding in self.findings],
        }

    def table(self) -> Table:
        """One row per system and measure."""
        from tare._tables import Column, Table

        columns = [Column("system", align="left"), Column("measure", align="left")]
        columns += [Column("mean"), Column("chance"), Column("low"), Column("high")]
        columns += [Column("z", digits=2), Column("p", digits=4), Column("how", align="left")]
        keys = ("system", "measure", "mean", "expected", "low", "high", "z", "p", "how")
        rows = [tuple(row[key] for key in keys) for row in self.rows()]
        notes = [str(f) for f in self.findings if f.kind == "pool"]
        notes.append(
            f"low to high: {100 * self.confidence:g} % of random rankers have a mean in this band. p: the "
            "probability that a random ranker's mean is at least as good."
        )
        notes += [f"! {f}" for f in self.findings if f.kind != "pool" and f.severity != "note"]
        return Table.of(columns, rows, notes=notes)

    def __repr__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table().to_html()


def luck(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] = ("nDCG@10",),
    *,
    pool: Any = None,
    corpus: int | str | None = None,
    candidates: Any = None,
    confidence: float = 0.95,
    seed: int = 0,
    samples: int = 10_000,
) -> Luck:
    """Compares each run with a ranker without skill: z, p, and the band of random rankers' means.

    Parameters
    ----------
    qrels, runs, measures
        As for `tare.evaluate`.
    pool, corpus, candidates
        What could have been ranked, as for `tare.evaluate`.
    confidence
        The share of random rankers in the band.
    seed, samples
        For variances and third moments without a closed form.

    Returns
    -------
    Luck
        One row per system and measure.

    Examples
    --------
    >>> qrels = {"q": {"a": 1, "b": 0, "c": 0, "d": 0}}
    >>> found = luck(qrels, {"q": {"a": 2.0, "b": 1.0}}, "RR", pool="judged")
    >>> row = found.rows()[0]
    >>> row["p"], row["how"]
    (0.25, 'exact')
    """
    wanted = parse_all(measures)
    judgements = read_judgements(qrels, wanted)
    pools = Pools.of(pool, corpus, candidates).known_from(judgements)
    pools.require("a comparison with chance")
    rankings = judged_runs(judgements, runs, Policies(groups=reads_groups(wanted)))
    if pools.require("luck").kind == "union":
        pools = pools.with_union(union_of(rankings[0], runs))
    return luck_of(rankings, wanted, pools, confidence, Sampling(seed, samples))


def luck_of(
    rankings: list[Judged],
    measures: tuple[Measure, ...],
    pools: Pools,
    confidence: float = 0.95,
    sampling: Sampling | None = None,
) -> Luck:
    """The same for judged rankings; every run has the same pool."""
    sampling = sampling or Sampling()
    found = pools.require("luck")
    chances = tuple(
        chance_of_mean(
            rankings[0],
            chances_of(rankings[0], measure, found, sampling=sampling, with_variance=True),
            seed=sampling.seed,
        )
        for measure in measures
    )
    means = np.empty((len(rankings), len(measures)))
    for s, judged in enumerate(rankings):
        found.check(judged)
        evaluation = Evaluation(judged, sampling)
        refuse_unretrieved(evaluation, measures)
        for m, measure in enumerate(measures):
            values = evaluation.values(measure)
            means[s, m] = math.fsum(values[~np.isnan(values)]) / chances[m].queries
    wrapped = tuple(_net_of(measure) for measure in measures)
    told = pool_findings(rankings, wrapped, pools, "zero")
    return Luck(tuple(j.system for j in rankings), chances, means, confidence, tuple(told))


def _net_of(measure: Measure) -> Measure:
    from tare._measures.measure import make

    return make("E", inner=measure)
