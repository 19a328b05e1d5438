"""Test of a run against chance: one p-value per query, and one for the whole run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._data.judged import Judged
from tare._data.pools import Pool, Pools
from tare._measures.evaluate_rankings import read_judgements, union_of
from tare._measures.measure import Measure
from tare._measures.names import parse
from tare._measures.one_system import Evaluation, Sampling
from tare._measures.ranking_findings import refuse_unretrieved
from tare._result import Result, Row, Rows
from tare._tables import Column, PColumn, Table, p_stated
from tare.chance._chances import Chances, chances_of
from tare.chance._first_rank import first_rank_tails
from tare.chance._mean_distribution import mean_distribution
from tare.chance._one_run import judged_run
from tare.chance._pool_values import kernel_values
from tare.errors import MeasureError

if TYPE_CHECKING:
    from tare._measures.inputs import CandidatesInput, QrelsInput, RunsInput

__all__ = ["Significance", "better_than_chance", "p_values"]

Array = NDArray[np.float64]


def p_values(judged: Judged, chances: Chances, observed: Array) -> tuple[Array, Array]:
    """Return P(a random ranking of the pool scores at least as well) per query, and its error.

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
        note = (
            f"{self.system}, {self.measure}: z = {self.z:.2f}, {p_stated(self.p_run)} over "
            f"{self.queries} queries (null hypothesis: a random ranking)."
        )
        notes = [note]
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
    evaluation = Evaluation(judged, sampling)
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
