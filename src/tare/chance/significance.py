"""Is a ranking better than chance? A p-value a query, and one for the whole run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare.chance.chances import Chances, chances_of, kernel_values
from tare.chance.pool import Pool
from tare.data.judged import Judged, Policies
from tare.errors import MeasureError
from tare.measures.evaluation import Evaluation, Sampling
from tare.measures.judgements import join, read_judgements
from tare.measures.measure import Measure
from tare.measures.names import parse
from tare.measures.ranking.label_ranking import reads_groups

if TYPE_CHECKING:
    from tare.tables import Table

__all__ = ["Significance", "better_than_chance", "p_values"]

Array = NDArray[np.float64]


def p_values(judged: Judged, chances: Chances, observed: Array) -> Array:
    """P(a random ranking of the pool scores at least as high), query by query.

    Exact where the pool has few distinct orders; otherwise (b+1)/(B+1) over B sampled ones.
    """
    measure = chances.measure
    if measure.definition.function is not None:
        raise MeasureError(f"{measure} is a Python function; p-values are not offered for it.")
    tied = chances.pool.all_tied(judged)
    if measure.definition.chance is not None:
        return measure.definition.chance.tails(judged, measure, tied, chances.sampling, observed)
    return kernel_values(judged, measure, tied, chances.sampling, "tails", observed)[0]


@dataclass(frozen=True)
class Significance:
    """Whether a run beats a random ranking: by query, and as a whole.

    The whole run's z is Σ(A − E)/√(Σσ²) over the queries on which something can be gained; its
    p-value is the upper tail of the normal distribution, which the sum approaches.
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

    def table(self) -> Table:
        """The whole run first, then the queries on which it is least clear."""
        from tare.tables import Column, Table

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
        return Table.of(columns, rows, notes=[note])

    def __repr__(self) -> str:
        return str(self.table())


def better_than_chance(
    qrels: Any,
    run: Any,
    measure: str | Measure = "AP",
    *,
    pool: str | Pool = "union",
    seed: int = 0,
    samples: int = 10_000,
) -> Significance:
    """Tests whether a run is better than a random ranking of each query's pool."""
    wanted = parse(measure)
    judged = join(read_judgements(qrels, [wanted]), run, Policies(groups=reads_groups([wanted])))
    sampling = Sampling(seed, samples)
    found = chances_of(judged, wanted, Pool.parse(pool), sampling=sampling, with_variance=True)
    assert found.variance is not None
    score = Evaluation(judged, sampling).values(wanted)
    p = np.where(found.defined, p_values(judged, found, score), np.nan)
    use = found.defined
    spread = math.sqrt(math.fsum(found.variance[use]))
    gap = math.fsum(score[use] - found.expected[use])
    z = gap / spread if spread > 0 else 0.0
    return Significance(
        judged.system,
        wanted,
        judged.items,
        score,
        found.expected,
        np.sqrt(found.variance),
        p,
        z,
        0.5 * math.erfc(z / math.sqrt(2)),
        int(use.sum()),
    )
