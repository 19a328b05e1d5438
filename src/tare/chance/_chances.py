"""What chance would score on each query: expected value, variance, upper bound, worst value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from tare import _kernels as kernels
from tare._data.findings import listed
from tare._data.judged import Judged
from tare._data.pool import Pool
from tare._data.pools import Pools
from tare._measures.evaluation import Sampling, kernel_of
from tare._measures.judgements import read_judgements, union_of
from tare._measures.measure import Measure
from tare._measures.names import parse
from tare._measures.ratio import room_of
from tare.chance._functions import sampled_moments, value_of_order
from tare.chance._limit import limit_of
from tare.chance._one_run import judged_run
from tare.errors import MeasureError, MismatchError, choose

if TYPE_CHECKING:
    import polars as pl

    from tare._tables import Table

__all__ = ["EXPECTED", "UPPER", "Chances", "chances", "chances_of", "kernel_values"]

EXPECTED = ("exact", "independent")
UPPER = ("ideal", "published")
# Measures of what is unjudged are largest when the judged documents come last.
WORST_FIRST = ("Unjudged", "RBPresidual")
# For these the worst ranking is not always the ideal one turned round, and is not known.
WORST_UNKNOWN = ("G", "BPM")


@dataclass(frozen=True)
class Chances:
    """One measure under a random ranking of each query's pool."""

    measure: Measure
    pool: Pool
    items: tuple[str, ...]
    sizes: NDArray[np.int64]
    expected: NDArray[np.float64]
    expected_error: NDArray[np.float64]
    variance: NDArray[np.float64] | None
    variance_error: NDArray[np.float64] | None
    upper: NDArray[np.float64]
    worst: NDArray[np.float64] | None
    sampling: Sampling
    greedy: bool = False

    @property
    def room(self) -> NDArray[np.float64]:
        """U − E; 0 where the two differ by no more than rounding."""
        return room_of(self.expected, self.upper)

    @property
    def defined(self) -> NDArray[np.bool_]:
        """Queries that have a relevant document."""
        return self.upper > 0

    def to_frame(self) -> pl.DataFrame:
        """A polars frame, one row a query."""
        import polars as pl

        columns: dict[str, Any] = {
            "query": list(self.items),
            "pool": self.sizes,
            "expected": self.expected,
            "expected_error": self.expected_error,
            "upper": self.upper,
        }
        if self.worst is not None:
            columns["worst"] = self.worst
        if self.variance is not None:
            columns["deviation"] = np.sqrt(self.variance)
        return pl.DataFrame(columns)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """{query: {expected: …, upper: …}}."""
        return {row.pop("query"): row for row in self.to_frame().to_dicts()}

    def table(self) -> Table:
        """One row a query."""
        from tare._tables import Column, Table

        frame = self.to_frame()
        columns = [Column("query", align="left")] + [Column(c) for c in frame.columns[1:]]
        note = f"{self.measure} under a random ranking of the pool ({self.pool})."
        return Table.of(columns, frame.rows(), notes=[note])

    def __repr__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table().to_html()


def chances(
    qrels: Any,
    run: Any,
    measure: str | Measure,
    *,
    pool: str | Pool | None = None,
    corpus: int | str | None = None,
    candidates: Any = None,
    expected: str = "exact",
    upper: str = "ideal",
    seed: int = 0,
    samples: int = 10_000,
) -> Chances:
    """What a random ranking of each query's pool would score, with variance and bounds.

    pool, corpus, candidates: what could have been ranked, as for `tare.evaluate`.

    >>> found = chances({"q": {"a": 1, "b": 0, "c": 0}}, {"q": {"a": 1.0}}, "RR", pool="judged")
    >>> round(float(found.expected[0]), 4), float(found.upper[0])
    (0.6111, 1.0)
    """
    wanted = parse(measure)
    judgements = read_judgements(qrels, [wanted])
    pools = Pools.of(pool, corpus, candidates).known_from(judgements)
    found = pools.require(f"what chance makes of {wanted}")
    judged = judged_run(judgements, run, [wanted])
    if found.kind == "union":
        found = pools.with_union(union_of(judged, [run])).require(wanted)
    sampling = Sampling(seed, samples)
    return chances_of(judged, wanted, found, expected, upper, sampling, True, True)


def chances_of(
    judged: Judged,
    measure: Measure,
    pool: Pool,
    expected: str = "exact",
    upper: str = "ideal",
    sampling: Sampling | None = None,
    with_variance: bool = False,
    with_worst: bool = False,
) -> Chances:
    """The same for judged rankings; what costs more is computed only where it is wanted."""
    choose("expected", expected, EXPECTED)
    choose("upper", upper, UPPER)
    sampling = sampling or Sampling()
    if measure.definition.wraps:
        raise MeasureError(f"{measure} is made of chance already; take the measure inside it.")
    if measure.definition.needs == "groups":
        raise MeasureError(
            f"{measure} has no expected value here: what pool several assessors share is open. nPrf "
            "has one, for preferences; for grades, score each assessor's own qrels."
        )
    if measure.name == "GMR":
        raise MeasureError(
            f"{measure} has an expected value for a set of queries only; tare.ranks and tare score "
            "--ranks compute it."
        )
    pool.check(judged)
    tied = pool.all_tied(judged)
    if measure.definition.chance is not None:
        made = _provided(judged, measure, pool, tied, sampling, (expected, upper), (with_variance, with_worst))  # fmt: skip
        return limited(judged, made) if pool.unlimited else made
    if pool.unlimited:
        if with_variance:
            raise no_spread(measure)
        best = _end(judged, measure, pool, best=True)
        nothing = np.zeros(len(judged.items))
        made = Chances(
            measure, pool, judged.items, tied.retrieved, nothing, nothing, None, None, best, None,
            sampling,
        )  # fmt: skip
        return limited(judged, made)
    best = _end(judged, measure, pool, best=True)
    with_worst = with_worst and measure.name not in WORST_UNKNOWN
    worst = _end(judged, measure, pool, best=False) if with_worst else None
    variance: NDArray[np.float64] | None = None
    variance_error: NDArray[np.float64] | None = None
    if measure.definition.function is not None:
        moments = sampled_moments(judged, measure, tied, sampling)
        mean, error, variance, variance_error = moments
    else:
        mean, error = kernel_values(judged, measure, tied, sampling, "values")
        if with_variance:
            variance, variance_error = kernel_values(judged, measure, tied, sampling, "variances")
    if expected == "independent":
        mean, error = _independent(judged, measure, tied), np.zeros(len(judged.items))
    if upper == "published":
        best = _published_upper(measure, best)
    mean = np.where(tied.retrieved == 0, 0.0, mean)
    _refuse_rankless(judged, measure, pool, mean)
    return Chances(
        measure, pool, judged.items, tied.retrieved, mean, error, variance, variance_error,
        best, worst, sampling,
    )  # fmt: skip


def _refuse_rankless(
    judged: Judged, measure: Measure, pool: Pool, mean: NDArray[np.float64]
) -> None:
    """A rank of a relevant document needs one in the pool; its absence shows as an infinite mean."""
    lost = [judged.items[q] for q in np.flatnonzero(np.isinf(mean))]
    if lost:
        raise MismatchError(
            f"{measure}: the pool ({pool}) of {len(lost):,} queries lacks all their relevant documents "
            f"({', '.join(listed(lost))}), so no order of it has a rank for them. Add these documents to "
            "the candidates, or leave the queries out."
        )


def _provided(
    judged: Judged,
    measure: Measure,
    pool: Pool,
    tied: kernels.Rankings,
    sampling: Sampling,
    ways: tuple[str, str],
    wanted: tuple[bool, bool],
) -> Chances:
    """What the measure's own family knows of chance."""
    provider = measure.definition.chance
    assert provider is not None
    if ways != ("exact", "ideal"):
        raise MeasureError(
            f"{measure} has no published approximation; expected=exact and upper=ideal are right."
        )
    variance, worst = wanted
    m = provider.moments(judged, measure, tied, sampling, variance=variance, worst=worst)
    mean = np.where(tied.retrieved == 0, 0.0, m.expected)
    return Chances(
        measure, pool, judged.items, tied.retrieved, mean, m.expected_error, m.variance,
        m.variance_error, m.upper, m.worst, sampling, m.greedy,
    )  # fmt: skip


def limited(judged: Judged, found: Chances) -> Chances:
    """The expected values in the limit of a growing corpus."""
    how = limit_of(found.measure)
    if how == "judged":
        mean = chances_of(judged, found.measure, Pool("judged"), sampling=found.sampling).expected
    else:
        mean = {"zero": np.zeros(len(found.items)), "half": np.where(found.upper > 0, 0.5, 0.0), "upper": found.upper}[how]  # fmt: skip
    return replace(found, expected=mean, expected_error=np.zeros(len(mean)), worst=None)


def no_spread(measure: Measure) -> MeasureError:
    """Why what needs a spread is refused in the limit of a growing corpus."""
    return MeasureError(
        f"{measure} with pool=corpus=inf: in the limit chance has no spread. Give the size of the corpus."
    )


def kernel_values(
    judged: Judged,
    measure: Measure,
    arrays: kernels.Rankings,
    sampling: Sampling,
    what: Literal["values", "variances", "thirds", "tails"],
    observed: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What the core makes of one measure on rankings of the pool, and the standard errors."""
    levels = judged.qrels.levels
    deepest = int(min(arrays.retrieved.max(initial=0), 1 << 14))
    values, errors = kernels.evaluate(
        arrays,
        judged.qrels.pool_offsets,
        judged.qrels.pool,
        judged.streams,
        [kernel_of(measure, levels, deepest)],
        what=what,
        observed=observed,
        most_orders=sampling.most_orders,
        samples=sampling.samples,
        seed=sampling.seed,
    )
    return values[0], errors[0]


def _end(judged: Judged, measure: Measure, pool: Pool, *, best: bool) -> NDArray[np.float64]:
    """The value of the best or of the worst ranking of the pool: computed, never assumed."""
    levels = judged.qrels.levels
    gain = levels
    if measure.definition.arguments is not None:
        given = measure.definition.arguments(measure, levels).gain
        gain = gain if given is None else given
    arrays = pool.ordered(judged, gain, best_first=best != (measure.name in WORST_FIRST))
    if measure.definition.function is not None:
        return value_of_order(judged, measure, arrays)
    return kernel_values(judged, measure, arrays, Sampling(), "values")[0]


def _independent(judged: Judged, measure: Measure, tied: kernels.Rankings) -> NDArray[np.float64]:
    """The published approximation k(R/n)² for SP@k, as if Prec(i) and rel_i were independent.

    k is the cutoff even where the pool has fewer documents, as published, so the value may exceed the
    upper bound there; without a cutoff k is n.
    """
    if measure.name not in ("SP", "AP"):
        raise MeasureError(
            f"expected=independent is the published approximation for SP and AP; {measure} has "
            "none. expected=exact is right for every measure."
        )
    relevant = (judged.qrels.levels >= measure["rel"])[tied.codes]
    offsets = tied.offsets
    total = np.concatenate([[0], np.cumsum(relevant)])
    r = (total[offsets[1:]] - total[offsets[:-1]]).astype(np.float64)
    n = tied.retrieved.astype(np.float64)
    k = n if measure.cutoff is None else float(measure.cutoff)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = k * (r / n) ** 2
        return np.where(r > 0, value / r, 0.0) if measure.name == "AP" else value


def _published_upper(measure: Measure, best: NDArray[np.float64]) -> NDArray[np.float64]:
    """FK23's constant k for SP@k: a precision of 1 at every rank."""
    if measure.name != "SP" or measure.cutoff is None:
        raise MeasureError(
            f"upper=published is the constant k of SP@k; {measure} has none. upper=ideal is the "
            "value of the perfect ranking."
        )
    return np.where(best > 0, float(measure.cutoff), 0.0)
