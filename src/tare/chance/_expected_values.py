"""A ranking measure under chance, query by query: expected value, variance, upper bound, worst value."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from tare import _kernels as kernels
from tare._choices import EXPECTED, UPPER, Expected, Upper
from tare._data.findings import listed
from tare._data.judged import Judged, Policies
from tare._data.pools import Pool, Pools
from tare._kernels import Rankings
from tare._measures.aggregation import room_of
from tare._measures.definition import Definition
from tare._measures.evaluate_rankings import Judgements, judged_runs, read_judgements, union_of
from tare._measures.measure import Measure
from tare._measures.names import parse
from tare._measures.one_system import RankingEvaluation, Sampling, kernel_of
from tare._measures.ranking.positions import reads_groups
from tare._measures.registry import register
from tare._result import Result, Row, Rows
from tare._tables import Column, Table
from tare.errors import MeasureError, MismatchError, OptionError, choose

if TYPE_CHECKING:
    from tare._measures.inputs import CandidatesInput, QrelsInput, RunsInput

__all__ = [
    "Chances",
    "chances",
    "chances_of",
    "extreme_values",
    "independent_values",
    "judged_run",
    "kernel_values",
    "limit_of",
    "no_spread",
    "published_upper",
    "sampled_moments",
    "user_measure",
    "value_of_order",
]


# Measures that a user writes as a Python function; their chance is sampled.


Grades = list[float | None]


def user_measure(
    name: str,
    function: Callable[[Grades], float],
    *,
    title: str = "",
    bounds: tuple[float | None, float | None] = (None, None),
) -> Measure:
    """Register a measure that is a Python function of the grades in rank order.

    The measure can be used like any other: by its name in `tare.evaluate`, and inside E, Net, V1, V2
    and Z. Its expected value is sampled. ``ties="expected"`` is not available for it.

    Parameters
    ----------
    name
        The name of the measure; it must not be taken.
    function
        Called with the grades of one ranking; an unjudged document has the grade None.
    title
        A short description.
    bounds
        The smallest and the largest possible value; None if there is no bound.

    Returns
    -------
    Measure
        The measure.

    Raises
    ------
    MeasureError
        If a measure of that name exists.

    Examples
    --------
    >>> import tare
    >>> def top_grade(grades):
    ...     return float(grades[0] or 0) if grades else 0.0
    >>> tare.user_measure("TopGrade", top_grade)
    TopGrade
    >>> tare.evaluate({"q": {"a": 2, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}}, "TopGrade").mean
    2.0
    """
    definition = Definition(
        name,
        title or f"User's {name}",
        f"{getattr(function, '__name__', name)}(grades in rank order)",
        "given by the user",
        bounds=bounds,
        family="user",
        function=function,
        derive=_values,
        expected="by sampling",
        upper="that of the documents by descending grade",
    )
    register(definition)
    return Measure(definition)


def _values(evaluation: RankingEvaluation, measure: Measure) -> NDArray[np.float64]:
    if evaluation.judged.policies.ties == "expected":
        raise MeasureError(
            f"{measure} is a Python function; ties='expected' is not available for it."
        )
    return np.array([_call(measure, grades) for grades in evaluation.judged.grades()])


def _call(measure: Measure, grades: Grades) -> float:
    function = measure.definition.function
    assert function is not None
    try:
        return float(function(grades))
    except Exception as error:
        raise MeasureError(
            f"{measure} failed on the grades {grades[:10]}: {type(error).__name__}: {error}"
        ) from error


def _pools(judged: Judged, arrays: Rankings) -> Iterator[Grades]:
    """Yield the grades of the documents of each query's pool, the unjudged ones last."""
    offsets, levels = arrays.offsets, judged.qrels.levels
    for q, size in enumerate(arrays.retrieved.tolist()):
        codes = arrays.codes[offsets[q] : offsets[q + 1]]
        known: Grades = [float(levels[c]) for c in codes]
        if size > 10_000_000:
            raise MeasureError(
                "a Python function cannot be sampled on pools of more than 10,000,000 documents."
            )
        yield known + [None] * (size - len(known))


def value_of_order(judged: Judged, measure: Measure, arrays: Rankings) -> NDArray[np.float64]:
    """Return the values of the user's function on rankings given by the ranks of the judged documents."""
    values = []
    offsets, levels = arrays.offsets, judged.qrels.levels
    for q, size in enumerate(arrays.retrieved.tolist()):
        grades: Grades = [None] * size
        for h in range(offsets[q], offsets[q + 1]):
            grades[int(arrays.ranks[h]) - 1] = float(levels[arrays.codes[h]])
        values.append(_call(measure, grades))
    return np.array(values)


def sampled_moments(
    judged: Judged, measure: Measure, tied: Rankings, sampling: Sampling
) -> tuple[NDArray[np.float64], ...]:
    """Return the mean, error of the mean, variance and its error of a user's measure over sampled orders of the pool, per query."""
    out = np.zeros((4, len(judged.items)))
    for q, grades in enumerate(_pools(judged, tied)):
        if not grades:
            continue
        random = np.random.Generator(np.random.Philox(key=[sampling.seed, int(judged.streams[q])]))
        values = np.array(
            [
                _call(measure, [grades[i] for i in random.permutation(len(grades))])
                for _ in range(sampling.samples)
            ]
        )
        variance = float(values.var(ddof=1)) if len(values) > 1 else 0.0
        fourth = float(((values - values.mean()) ** 4).mean())
        out[:, q] = (
            values.mean(),
            np.sqrt(variance / len(values)),
            variance,
            np.sqrt(max(0.0, fourth - variance**2) / len(values)),
        )
    return tuple(out)


# Values of a measure on rankings of the pool: random, best and worst, and as published.


Array = NDArray[np.float64]
# Measures of unjudged documents are largest if the judged documents come last.
WORST_FIRST = ("Unjudged", "RBPresidual")


def kernel_values(
    judged: Judged,
    measure: Measure,
    arrays: kernels.Rankings,
    sampling: Sampling,
    what: Literal["values", "variances", "thirds", "tails"],
    observed: Array | None = None,
) -> tuple[Array, Array]:
    """Return what the core computes for one measure on rankings of the pool, and standard errors."""
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


def extreme_values(judged: Judged, measure: Measure, pool: Pool, *, best: bool) -> Array:
    """Return the value of the best or the worst ranking of each pool, computed on that ranking."""
    levels = judged.qrels.levels
    gain = levels
    if measure.definition.arguments is not None:
        given = measure.definition.arguments(measure, levels).gain
        gain = gain if given is None else given
    arrays = pool.ordered(judged, gain, best_first=best != (measure.name in WORST_FIRST))
    if measure.definition.function is not None:
        return value_of_order(judged, measure, arrays)
    return kernel_values(judged, measure, arrays, Sampling(), "values")[0]


def independent_values(judged: Judged, measure: Measure, tied: kernels.Rankings) -> Array:
    """Return the published approximation k(R/n)² of the expected SP@k, and k(R/n)²/R for AP.

    It treats Prec(i) and rel_i as independent. As published, k is the cutoff even if the pool has
    fewer documents, so the value may exceed the upper bound. Without a cutoff k is n.
    """
    if measure.name not in ("SP", "AP"):
        raise MeasureError(
            f"expected=independent is the published approximation for SP and AP; {measure} has "
            "none. expected=exact works for every measure."
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


def published_upper(measure: Measure, best: Array) -> Array:
    """Return the published upper bound of SP@k, the constant k: a precision of 1 at every rank."""
    if measure.name != "SP" or measure.cutoff is None:
        raise MeasureError(
            f"upper=published is the constant k of SP@k; {measure} has none. upper=ideal is the "
            "value of the perfect ranking."
        )
    return np.where(best > 0, float(measure.cutoff), 0.0)


# The expected value in the limit of a growing corpus (pool=corpus=inf).


Limit = Literal["zero", "half", "judged", "upper"]

OF_THE_JUDGED = ("bpref", "GMbpref")  # measures that ignore unjudged documents
EVERYTHING_FOUND = ("Recall", "CG")  # without a cutoff, a ranking of the whole corpus
OF_THE_UNJUDGED = ("Unjudged", "RBPresidual")


def limit_of(measure: Measure) -> Limit:
    """Return the limit of the expected value in a growing corpus: 0 for measures with a cutoff or a falling discount.

    >>> from tare._measures.names import parse
    >>> limit_of(parse("nDCG@10")), limit_of(parse("Recall"))
    ('zero', 'upper')
    """
    definition = measure.definition
    if definition.function is not None:
        raise MeasureError(
            f"{measure} is a Python function; its limit for a growing corpus is not known. Give corpus=N."
        )
    if measure.name in ("MeanRank", "GMR") or definition.aggregate == "sum":
        raise MeasureError(f"{measure} has no limit: it grows with the corpus. Give corpus=N.")
    if measure.name in OF_THE_JUDGED:
        return "judged"
    if measure.name == "Accuracy":
        return "half"
    if measure.name in OF_THE_UNJUDGED or definition.without_net:
        return "upper"
    if measure.name in EVERYTHING_FOUND and measure.cutoff is None:
        return "upper"
    return "zero"


# One run, in any form that `tare.evaluate` takes, joined with the judgements.


def judged_run(judgements: Judgements, run: RunsInput, measures: Iterable[Measure] = ()) -> Judged:
    """Return one run joined with the judgements, whose pools chance is computed for; several runs raise an error."""
    found = judged_runs(judgements, run, Policies(groups=reads_groups(measures)))
    if len(found) != 1:
        names = ", ".join(judged.system for judged in found[:5])
        raise OptionError(f"{len(found)} runs were given ({names}); expected one run.")
    return found[0]


# A measure under chance, query by query: expected value, variance, upper bound, worst value.


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

    def answer(self) -> str:
        """Return the mean expected value of a random ranking."""
        known = self.expected[~np.isnan(self.expected)]
        mean = float(known.mean()) if len(known) else math.nan
        return f"A random ranking of the pool ({self.pool}) would score {mean:.3f} by {self.measure} on average."

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
    """Return the chances of a measure for judged rankings; variance and worst value only on request."""
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
    """Refuse pools without a relevant document if the measure is its rank: the mean under chance is infinite."""
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
    """Return the chances of a ranking measure that the measure's own family computes."""
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
    """Return a measure's chances with the expected values in the limit of a growing corpus."""
    limit = limit_of(found.measure)
    if limit == "judged":
        mean = chances_of(judged, found.measure, Pool("judged"), sampling=found.sampling).expected
    elif limit == "zero":
        mean = np.zeros(len(found.items))
    else:
        mean = found.upper if limit == "upper" else np.where(found.upper > 0, 0.5, 0.0)
    return replace(found, expected=mean, expected_error=np.zeros(len(mean)), worst=None)


def no_spread(measure: Measure) -> MeasureError:
    """Return the error for a variance under chance in the limit of a growing corpus."""
    return MeasureError(
        f"{measure} with pool=corpus=inf: chance has no variance in the limit. Give the corpus size."
    )
