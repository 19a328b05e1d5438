"""A measure under chance, query by query: expected value, variance, upper bound, worst value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._choices import EXPECTED, UPPER, Expected, Upper
from tare._data.findings import listed
from tare._data.judged import Judged
from tare._data.pools import Pool, Pools
from tare._kernels import Rankings
from tare._measures.aggregation import room_of
from tare._measures.evaluate_rankings import read_judgements, union_of
from tare._measures.measure import Measure
from tare._measures.names import parse
from tare._measures.one_system import Sampling
from tare._result import Result, Row, Rows
from tare._tables import Column, Table
from tare.chance._functions import sampled_moments
from tare.chance._limit import limit_of
from tare.chance._one_run import judged_run
from tare.chance._pool_values import (
    extreme_values,
    independent_values,
    kernel_values,
    published_upper,
)
from tare.errors import MeasureError, MismatchError, choose

if TYPE_CHECKING:
    from tare._measures.inputs import CandidatesInput, QrelsInput, RunsInput

__all__ = ["Chances", "chances", "chances_of", "no_spread"]

Array = NDArray[np.float64]
# The worst ranking is not always the ideal one reversed, and its value is not known.
WORST_UNKNOWN = ("G", "BPM")


@dataclass(frozen=True, repr=False)
class Chances(Result):
    """A measure under a random ranking of each query's pool.

    Attributes
    ----------
    measure, pool
        The measure, and the documents that are ranked at random.
    items, sizes
        The queries, and the number of documents in the pool of each.
    expected, expected_error
        The expected value of each query, and its standard error if it was sampled (else 0).
    variance, variance_error
        The variance of each query and its standard error, or None if not computed.
    upper, worst
        The value of the best and of the worst ranking; `worst` is None if not known.
    sampling, greedy
        Seed and number of samples; whether `upper` is the value of a greedy ranking, not of the best.

    Examples
    --------
    >>> found = chances({"q": {"a": 1, "b": 0, "c": 0}}, {"q": {"a": 1.0}}, "P@1", pool="judged")
    >>> found.sizes.tolist(), found.expected.round(3).tolist(), found.upper.tolist()
    ([3], [0.333], [1.0])
    """

    measure: Measure
    pool: Pool
    items: tuple[str, ...]
    sizes: NDArray[np.int64]
    expected: Array
    expected_error: Array
    variance: Array | None
    variance_error: Array | None
    upper: Array
    worst: Array | None
    sampling: Sampling
    greedy: bool = False

    @property
    def room(self) -> Array:
        """Upper bound minus expected value; 0 if the two differ only by rounding."""
        return room_of(self.expected, self.upper)

    @property
    def defined(self) -> NDArray[np.bool_]:
        """Whether a query has a relevant document."""
        return self.upper > 0

    def rows(self) -> Rows:
        """Return one dictionary per query."""
        columns: dict[str, list[Any]] = {
            "query": list(self.items),
            "pool": self.sizes.tolist(),
            "expected": self.expected.tolist(),
            "expected_error": self.expected_error.tolist(),
            "upper": self.upper.tolist(),
        }
        if self.worst is not None:
            columns["worst"] = self.worst.tolist()
        if self.variance is not None:
            columns["deviation"] = np.sqrt(self.variance).tolist()
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def facts(self) -> Row:
        """Return measure, pool, seed and number of samples."""
        samples = {"seed": self.sampling.seed, "samples": self.sampling.samples}
        return {"measure": str(self.measure), "pool": str(self.pool)} | samples

    def table(self) -> Table:
        """Return a table with one row per query."""
        rows = self.rows()
        names = list(rows[0]) if rows else ["query"]
        columns = [Column("query", align="left"), *(Column(name) for name in names[1:])]
        note = f"{self.measure} under a random ranking of the pool ({self.pool})."
        return Table.of(columns, [tuple(row.values()) for row in rows], notes=[note])


def chances(
    qrels: QrelsInput,
    run: RunsInput,
    measure: str | Measure,
    *,
    pool: str | Pool | None = None,
    corpus: int | str | None = None,
    candidates: CandidatesInput | None = None,
    expected: Expected = "exact",
    upper: Upper = "ideal",
    seed: int = 0,
    samples: int = 10_000,
) -> Chances:
    """Compute what a random ranking of each query's pool would score.

    Parameters
    ----------
    qrels, run, measure
        Judgements, one run and one measure, as for `tare.evaluate`.
    pool, corpus, candidates
        The documents that could have been ranked, as for `tare.evaluate`.
    expected
        "exact", or "independent" for the published approximation of SP and AP.
    upper
        "ideal" for the value of the best ranking, or "published" for the constant k of SP@k.
    seed, samples
        Seed and number of random orders for values without a closed form.

    Returns
    -------
    Chances
        One row per query: expected value, standard deviation, upper bound and worst value.

    Raises
    ------
    MeasureError
        If the measure is unknown, or has no value under chance.
    OptionError
        If no pool or more than one run is given, or an option has an unknown value.
    DataError
        If qrels, run and pool cannot be read, or do not fit together.

    Examples
    --------
    >>> import tare
    >>> qrels, run = {"q": {"a": 1, "b": 0, "c": 0}}, {"q": {"a": 1.0}}
    >>> found = tare.chance.chances(qrels, run, "RR", pool="judged")
    >>> round(float(found.expected[0]), 4), float(found.upper[0])
    (0.6111, 1.0)
    """
    wanted = parse(measure)
    judgements = read_judgements(qrels, [wanted])
    pools = Pools.of(pool, corpus, candidates).known_from(judgements)
    found = pools.require(f"{wanted} under chance")
    judged = judged_run(judgements, run, [wanted])
    if found.kind == "union":
        found = pools.with_union(union_of(judged, [run])).require(wanted)
    return chances_of(judged, wanted, found, expected, upper, Sampling(seed, samples), True, True)


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
    """Return the same for judged rankings; variance and worst value only on request."""
    choose("expected", expected, EXPECTED)
    choose("upper", upper, UPPER)
    sampling = sampling or Sampling()
    _refuse_measure(measure)
    pool.check(judged)
    tied = pool.all_tied(judged)
    sizes = tied.retrieved
    if measure.definition.chance is not None:
        made = _from_family(
            judged, measure, pool, tied, sampling, (expected, upper), (with_variance, with_worst)
        )
        return _limited(judged, made) if pool.unlimited else made
    best = extreme_values(judged, measure, pool, best=True)
    if pool.unlimited:
        if with_variance:
            raise no_spread(measure)
        zero = np.zeros(len(judged.items))
        made = Chances(
            measure, pool, judged.items, sizes, zero, zero, None, None, best, None, sampling
        )
        return _limited(judged, made)
    with_worst = with_worst and measure.name not in WORST_UNKNOWN
    worst = extreme_values(judged, measure, pool, best=False) if with_worst else None
    variance: Array | None = None
    variance_error: Array | None = None
    if measure.definition.function is not None:
        moments = sampled_moments(judged, measure, tied, sampling)
        mean, error, variance, variance_error = moments
    else:
        mean, error = kernel_values(judged, measure, tied, sampling, "values")
        if with_variance:
            variance, variance_error = kernel_values(judged, measure, tied, sampling, "variances")
    if expected == "independent":
        mean, error = independent_values(judged, measure, tied), np.zeros(len(judged.items))
    if upper == "published":
        best = published_upper(measure, best)
    mean = np.where(sizes == 0, 0.0, mean)
    _refuse_infinite(judged, measure, pool, mean)
    return Chances(
        measure,
        pool,
        judged.items,
        sizes,
        mean,
        error,
        variance,
        variance_error,
        best,
        worst,
        sampling,
    )


def _refuse_measure(measure: Measure) -> None:
    if measure.definition.wraps:
        raise MeasureError(f"{measure} is already derived from chance; give the measure inside it.")
    if (family := measure.definition.family) in ("text", "answers"):
        raise MeasureError(f"{measure} does not measure rankings; use `tare {family}`.")
    if measure.definition.needs == "groups":
        raise MeasureError(
            f"{measure} has no expected value: the pool that several assessors share is not defined. "
            "nPrf has one, for preferences; for grades, score the qrels of each assessor separately."
        )
    if measure.name == "GMR":
        raise MeasureError(
            f"{measure} has an expected value for a set of queries only; tare.ranks and tare score --ranks compute it."
        )


def _refuse_infinite(judged: Judged, measure: Measure, pool: Pool, mean: Array) -> None:
    """Refuse pools without a relevant document if the measure is its rank: the mean is infinite."""
    lost = [judged.items[q] for q in np.flatnonzero(np.isinf(mean))]
    if lost:
        raise MismatchError(
            f"{measure}: the pool ({pool}) of {len(lost):,} queries has none of their relevant documents "
            f"({', '.join(listed(lost))}), so these have no rank. Add these documents to the candidates, "
            "or leave the queries out."
        )


def _from_family(
    judged: Judged,
    measure: Measure,
    pool: Pool,
    tied: Rankings,
    sampling: Sampling,
    options: tuple[str, str],
    wanted: tuple[bool, bool],
) -> Chances:
    """Return the chances that the measure's own family computes."""
    provider = measure.definition.chance
    assert provider is not None
    if options != ("exact", "ideal"):
        raise MeasureError(
            f"{measure} has no published approximation; use expected=exact and upper=ideal."
        )
    m = provider.moments(judged, measure, tied, sampling, variance=wanted[0], worst=wanted[1])
    mean = np.where(tied.retrieved == 0, 0.0, m.expected)
    return Chances(
        measure,
        pool,
        judged.items,
        tied.retrieved,
        mean,
        m.expected_error,
        m.variance,
        m.variance_error,
        m.upper,
        m.worst,
        sampling,
        m.greedy,
    )


def _limited(judged: Judged, found: Chances) -> Chances:
    """Return the chances with the expected values in the limit of a growing corpus."""
    limit = limit_of(found.measure)
    if limit == "judged":
        mean = chances_of(judged, found.measure, Pool("judged"), sampling=found.sampling).expected
    elif limit == "zero":
        mean = np.zeros(len(found.items))
    else:
        mean = found.upper if limit == "upper" else np.where(found.upper > 0, 0.5, 0.0)
    return replace(found, expected=mean, expected_error=np.zeros(len(mean)), worst=None)


def no_spread(measure: Measure) -> MeasureError:
    """Return the error for a variance in the limit of a growing corpus."""
    return MeasureError(
        f"{measure} with pool=corpus=inf: chance has no variance in the limit. Give the corpus size."
    )
