"""Is a ranking better than chance? A p-value a query, and one for the whole run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._data.judged import Judged
from tare._data.pool import Pool
from tare._data.pools import Pools
from tare._measures.evaluation import Evaluation, Sampling
from tare._measures.judgements import read_judgements, union_of
from tare._measures.measure import Measure
from tare._measures.names import parse
from tare._measures.unretrieved import refuse_unretrieved
from tare.chance._chances import Chances, chances_of, kernel_values
from tare.chance._first_rank import first_rank_tails
from tare.chance._luck import chance_of_mean
from tare.chance._one_run import judged_run
from tare.errors import MeasureError

if TYPE_CHECKING:
    from tare._tables import Table

__all__ = ["Significance", "better_than_chance", "p_values"]

Array = NDArray[np.float64]


def p_values(judged: Judged, chances: Chances, observed: Array) -> tuple[Array, Array]:
    """P(a random ranking of the pool does at least as well) and its error, query by query.

    Exact where the pool has few distinct orders; otherwise (b+1)/(B+1) over B sampled ones.
    """
    measure = chances.measure
    if measure.definition.function is not None:
        raise MeasureError(f"{measure} is a Python function; p-values are not offered for it.")
    tied = chances.pool.all_tied(judged)
    if measure.better == "lower":
        return first_rank_tails(judged, measure, tied, observed), np.zeros(len(observed))
    if measure.definition.chance is not None:
        return measure.definition.chance.tails(judged, measure, tied, chances.sampling, observed)
    return kernel_values(judged, measure, tied, chances.sampling, "tails", observed)


@dataclass(frozen=True)
class Significance:
    """Whether a run beats a random ranking: by query, and as a whole.

    z and p of the whole run are those of `tare.chance.luck`.
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

    def table(self) -> Table:
        """The whole run first, then the queries on which it is least clear."""
        from tare._tables import Column, Table

        columns: list[Column | str] = [
            "query",
            Column("score"),
            Column("expected"),
            Column("deviation"),
            Column("p"),
        ]
        rows: list[tuple[Any, ...]] = [
            (item, *(float(x[i]) for x in (self.score, self.expected, self.deviation, self.p)))
            for i, item in enumerate(self.items)
            if not math.isnan(self.p[i])
        ]
        rows.sort(key=lambda row: -row[4])
        note = (
            f"{self.system}, {self.measure}: z = {self.z:.2f}, p = {self.p_run:.3g} over "
            f"{self.queries} queries that the run is no better than a random ranking."
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

    def __repr__(self) -> str:
        return str(self.table())


def better_than_chance(
    qrels: Any,
    run: Any,
    measure: str | Measure = "AP",
    *,
    pool: str | Pool | None = None,
    corpus: int | str | None = None,
    candidates: Any = None,
    seed: int = 0,
    samples: int = 10_000,
) -> Significance:
    """Tests whether a run is better than a random ranking of each query's pool.

    pool, corpus, candidates: what could have been ranked, as for `tare.evaluate`.
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
    chance = chance_of_mean(judged, found, seed=seed)
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
