"""Sign flips of whole units: all pairs or a baseline at once (max-t), two samples, and the permutation test of pairs of systems."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._kernels.statistics import flip_counts, flip_maxima
from tare.errors import MismatchError, OptionError, check_share
from tare.stats._draws import Drawing, monte_carlo, summed_and_drawn
from tare.stats._intervals import ratio_ends
from tare.stats._paired_differences import Floats, Pairs, PairTest
from tare.stats._randomisation import DRAWS, check_draws
from tare.stats._ranks_with_ties import DIGITS

__all__ = ["FlipTest", "MaxT", "flip_test", "least_units", "max_t", "own_ends", "permutation"]


# Sign flips of whole units: all pairs or a baseline at once, and two samples.
#
# If two systems do not differ, the difference of a unit (a query, or a cluster of queries) is as likely
# to be +x as −x. Every test here flips the signs of whole units and looks how often the flipped
# statistic reaches the observed one.


Integers = NDArray[np.int64]

NOTHING = 1e-12  # differences below this share of the largest score are 0
SLACK = 1e-9  # a flipped statistic this close to the observed one reaches it
FULL = 1 - 1e-12  # u from which all differences of a pair are alike


def least_units(alpha: float = 0.05) -> int:
    """Return how many units must differ before a two-sided p can reach alpha.

    Parameters
    ----------
    alpha : float
        Significance level.

    Returns
    -------
    int
        ⌈1 + log₂(1/α)⌉: with k units p is at least 2^(1 − k).

    Examples
    --------
    >>> least_units(), least_units(0.01)
    (6, 8)
    """
    return math.ceil(1 + math.log2(1 / alpha) - SLACK)


def _checked(values: ArrayLike, dimensions: int, what: str) -> Floats:
    """Return values as an array of finite numbers."""
    found = np.ascontiguousarray(values, dtype=np.float64)
    if found.ndim != dimensions:
        shape = "units × systems" if dimensions == 2 else "one number per unit"
        raise MismatchError(f"{what}: expected {shape}, found an array of shape {found.shape}.")
    if not np.isfinite(found).all():
        raise MismatchError(
            f"{what}: {int((~np.isfinite(found)).sum()):,} of {found.size:,} values are missing or "
            "infinite. Flips need a score of every system on every unit: leave out incomplete units."
        )
    return found


def _totals(values: Floats, clusters: ArrayLike | None) -> tuple[Floats, Floats]:
    """Return the totals of each cluster of units to flip, in order of its id, and its number of rows."""
    if clusters is None:
        return values, np.ones(len(values))
    ids = np.asarray(clusters)
    if ids.shape != (len(values),):
        raise MismatchError(
            f"clusters: expected one id per unit ({len(values):,}), found {ids.shape}."
        )
    _, place, sizes = np.unique(ids, return_inverse=True, return_counts=True)
    made = np.zeros((len(sizes), *values.shape[1:]))
    np.add.at(made, place.ravel(), values)
    return made, sizes.astype(np.float64)


def _without_noise(differences: Floats, largest: Floats | float) -> Floats:
    """Return differences to flip, in which what only rounding made is 0."""
    return np.where(np.abs(differences) < NOTHING * largest, 0.0, differences)


def _exact_p(differences: Floats) -> float:
    """Return the exact p of a flip test: the share of all sign patterns whose |sum| reaches the observed one."""
    kept = differences[differences != 0]
    if kept.size == 0:
        return 1.0
    limit = abs(kept.sum()) - SLACK * np.abs(kept).sum()
    patterns = 2 ** (len(kept) - 1)  # mirror images have the same |sum|
    (counts,) = flip_counts(kept[None], [0], [-1], [limit], kind="all", draws=patterns, seed=0)
    return int(counts[0]) / int(patterns)


@dataclass(frozen=True, eq=False)
class Moments:
    """The differences of each pair to flip: units, Σd, Σd², Σ|d|, and how many are not 0."""

    n: int | Integers
    sums: Floats
    squares: Floats
    absolute: Floats
    differing: Integers


@dataclass(frozen=True, eq=False)
class Flips:
    """The sign flips of a family: p-values, the scale of u, and the largest u of each pattern, sorted."""

    p: Floats
    alone: Floats
    exact_alone: NDArray[np.bool_]
    scale: Floats
    maxima: Floats
    patterns: int
    exact: bool

    def critical(self, alpha: float) -> float:
        """Return the critical u that a pair must exceed in the flips of its family; NaN if none can."""
        if self.exact:
            rank = math.floor(alpha * self.patterns + SLACK)
        else:
            rank = math.floor(alpha * (self.patterns + 1) + SLACK) - 1
        if rank < (1 if self.exact else 0):
            return math.nan
        return float(self.maxima[self.patterns - 1 - rank])


def family_flips(
    rows: Floats,
    first: NDArray[np.integer],
    second: NDArray[np.integer],
    moments: Moments,
    used: NDArray[np.bool_],
    own: Callable[[int], Floats],
    *,
    draws: int,
    seed: int,
    threads: int = 0,
    engine: Drawing | None = None,
) -> Flips:
    """Flip the signs of the units of a family of pairs: rows[first] − rows[second], rows[first] where second is −1.

    Units that differ in no pair are left out of the patterns, so that few changed units are
    enumerated; `own` returns the differences of a pair, for pairs with few units that differ.
    """
    squares, differing = moments.squares, moments.differing
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.where(squares > 0, 1 / np.sqrt(moments.n * squares), 0.0)
    kept = int(used.sum())
    exact = kept < 64 and 2 ** max(kept - 1, 0) <= draws
    patterns = 2 ** max(kept - 1, 0) if exact else draws
    if exact:
        rows = np.ascontiguousarray(rows[:, used]) if kept else np.zeros((len(rows), 1))
    counts, maxima = summed_and_drawn(
        flip_maxima,
        rows=rows,
        first=first,
        second=second,
        threshold=np.abs(moments.sums) - SLACK * moments.absolute,
        scale=scale,
        kind="all" if exact else "swap",
        draws=patterns,
        seed=seed,
        threads=threads,
        engine=engine,
    )
    maxima = np.sort(maxima)
    u = np.abs(moments.sums) * scale
    reached = patterns - np.searchsorted(maxima, u - SLACK, side="left")
    added = 0 if exact else 1
    p = (reached + added) / (patterns + added)
    alone = (counts + added) / (patterns + added)
    known = np.full(len(alone), exact)
    if not exact:
        for k in np.flatnonzero((differing > 0) & (differing - 1 <= math.log2(draws))):
            alone[k], known[k] = _exact_p(own(int(k))), True
    nothing = squares == 0
    alone, known = np.where(nothing, 1.0, alone), known | nothing
    return Flips(
        np.where(nothing, 1.0, np.maximum(p, alone)), alone, known, scale, maxima, patterns, exact
    )


@dataclass(frozen=True, eq=False)
class MaxT:
    """All pairs of a family, tested by the largest |t| of each flip.

    Attributes
    ----------
    first, second : ndarray of int
        The columns of each pair.
    difference : ndarray
        The mean of first − second, over the rows that were given (not over clusters).
    u : ndarray
        |Σd|/√(nΣd²) of each pair over its units; 0 if no unit differs.
    p, alone : ndarray
        The p-value of each pair adjusted for the family, and of its own flips only.
    low, high : ndarray
        Simultaneous interval of each difference; NaN where there is none (see `max_t`).
    differing : ndarray of int
        The number of units with a difference that is not 0.
    n : int
        The number of units: rows, or clusters.
    critical : float
        u that a pair must exceed; NaN if no pair can be significant.
    alpha : float
        Significance level.
    patterns : int
        The number of sign patterns that were tried.
    exact : bool
        Whether these are all patterns.

    Examples
    --------
    >>> scores = [[0.9, 0.8, 0.4], [0.8, 0.7, 0.6], [0.7, 0.6, 0.2], [0.6, 0.5, 0.3], [0.9, 0.6, 0.5], [0.8, 0.6, 0.4]]
    >>> found = max_t(scores)
    >>> found.p.tolist(), found.n, found.exact
    ([0.03125, 0.03125, 0.03125], 6, True)
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    difference: Floats
    u: Floats
    p: Floats
    alone: Floats
    low: Floats
    high: Floats
    differing: Integers
    n: int
    critical: float
    alpha: float
    patterns: int
    exact: bool

    @cached_property
    def significant(self) -> NDArray[np.bool_]:
        """Which pairs differ at the level alpha, over the whole family."""
        found: NDArray[np.bool_] = self.p <= self.alpha * (1 + SLACK)
        return found

    @property
    def critical_t(self) -> float:
        """The critical value on the scale of t."""
        if not self.critical < FULL:
            return math.nan
        return self.critical * math.sqrt((self.n - 1) / (1 - self.critical**2))


def max_t(
    scores: ArrayLike,
    baseline: int | None = None,
    *,
    clusters: ArrayLike | None = None,
    draws: int = DRAWS,
    seed: int = 0,
    alpha: float = 0.05,
    threads: int = 0,
) -> MaxT:
    """Test all pairs of systems at once by sign flips: the single step of the largest |t|.

    One sign per unit is flipped for all pairs, and p of a pair is the share of flips in which the
    largest u = |Σd|/√(nΣd²) of the family reaches the pair's own. u rises with |t|, and flips do not
    change Σd².

    Parameters
    ----------
    scores : array_like
        Units × systems, complete. Rows are queries, or data sets.
    baseline : int, optional
        Compare every other column with this one. By default all pairs are compared.
    clusters : array_like, optional
        The cluster of each row; whole clusters are flipped, and the mean stays that over rows.
    draws : int
        If there are at most so many sign patterns, up to mirror images, all are tried; otherwise so
        many are drawn.
    seed : int
        Seed of the draws.
    alpha : float
        Significance level; the intervals have the simultaneous level 1 − alpha.
    threads : int
        Number of threads; 0 uses all cores. The result does not depend on it.

    Returns
    -------
    MaxT
        Differences, p-values and intervals. An interval excludes 0 exactly if p ≤ alpha. There is none
        for a pair with fewer than `least_units(alpha)` units that differ, with differences that are all
        alike, or where no pair can be significant.

    Raises
    ------
    MismatchError
        If the scores are not a complete table of at least two systems, or clusters do not fit.
    OptionError
        If the baseline, draws, seed or alpha is out of range.

    Notes
    -----
    Controls the family-wise error if, among the pairs that do not differ, each unit's vector of
    differences is as likely as its negative. Drawn p-values are (b + 1)/(B + 1) and depend on the order
    of the rows within Monte Carlo error; `tare.compare` sorts items by id.

    References
    ----------
    Westfall and Young (1993). Resampling-based multiple testing. Wiley.
    Romano and Wolf (2005). Exact and approximate stepdown methods for multiple hypothesis testing. JASA.

    Examples
    --------
    >>> scores = [[0.9, 0.8], [0.8, 0.8], [0.7, 0.6], [0.6, 0.5], [0.8, 0.6], [0.9, 0.9], [0.5, 0.4], [0.7, 0.5]]
    >>> max_t(scores).p.tolist()
    [0.03125]
    """
    check_draws(draws, seed)
    check_share("alpha", alpha)
    table = _checked(scores, 2, "scores")
    count = table.shape[1]
    if count < 2:
        raise MismatchError(f"scores: found {count} system; comparing needs at least two columns.")
    first, second = _family(count, baseline)
    totals, sizes = _totals(table, clusters)
    rows = np.ascontiguousarray((totals - totals[:, :1]).T)  # what all share does not matter
    n = len(totals)
    moments = _moments(totals, first, second)
    spread = np.ptp(totals, axis=1)

    def own(k: int) -> Floats:
        a, b = int(first[k]), int(second[k])
        return _without_noise(totals[:, a] - totals[:, b], _largest(totals, a, b))

    made = family_flips(
        rows,
        first,
        second,
        moments,
        spread > NOTHING * np.abs(totals).max(axis=1),
        own,
        draws=draws,
        seed=seed,
        threads=threads,
    )
    even = bool((sizes == sizes[0]).all())
    ends = simultaneous_ends(made, moments, own, alpha, None if even else sizes)
    if even:
        ends = ends / sizes[0]
    return MaxT(
        first,
        second,
        moments.sums / sizes.sum(),
        np.abs(moments.sums) * made.scale,
        made.p,
        made.alone,
        ends[:, 0],
        ends[:, 1],
        moments.differing,
        n,
        made.critical(alpha),
        alpha,
        made.patterns,
        made.exact,
    )


def _family(count: int, baseline: int | None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the columns of the family of max-t: all pairs, or each other system and the baseline."""
    if baseline is None:
        above, below = np.triu_indices(count, 1)
        return above.astype(np.int64), below.astype(np.int64)
    if not 0 <= baseline < count:
        raise OptionError(f"baseline={baseline}: the scores have the columns 0 to {count - 1}.")
    others = np.array([k for k in range(count) if k != baseline], dtype=np.int64)
    return others, np.full(len(others), baseline, dtype=np.int64)


def _largest(totals: Floats, first: int, second: int) -> float:
    largest: np.float64 = np.abs(totals[:, [first, second]]).max()
    return float(largest)


def _moments(totals: Floats, first: NDArray[np.int64], second: NDArray[np.int64]) -> Moments:
    """Return the moments of each pair of systems to flip: sums over its differences, in blocks of pairs."""
    count = len(first)
    sums, squares, absolute = np.zeros(count), np.zeros(count), np.zeros(count)
    differing = np.zeros(count, dtype=np.int64)
    largest = np.abs(totals).max(axis=0)
    block = max(1, 4_000_000 // max(len(totals), 1))  # pairs whose differences fit into 32 MB
    for begin in range(0, count, block):
        a, b = first[begin : begin + block], second[begin : begin + block]
        d = _without_noise(totals[:, a] - totals[:, b], np.maximum(largest[a], largest[b]))
        here = slice(begin, begin + len(a))
        sums[here], squares[here] = d.sum(axis=0), (d * d).sum(axis=0)
        absolute[here], differing[here] = np.abs(d).sum(axis=0), (d != 0).sum(axis=0)
    return Moments(len(totals), sums, squares, absolute, differing)


def simultaneous_ends(
    made: Flips,
    moments: Moments,
    own: Callable[[int], Floats],
    alpha: float,
    weights: Floats | None = None,
) -> Floats:
    """Return the interval of each mean difference that belongs to the max-t test; NaN where there is none.

    With weights, such as the sizes of clusters or the rooms of Net, the interval is that of Σd/Σw.
    """
    count, n = len(moments.sums), moments.n
    ends = np.full((count, 2), math.nan)
    critical = made.critical(alpha)
    if not critical < FULL:
        return ends
    spread = moments.squares - moments.sums**2 / n
    able = (moments.differing >= least_units(alpha)) & (spread > NOTHING * moments.squares)
    if weights is None:
        t = critical * np.sqrt((n - 1) / (1 - critical**2))
        half = t * np.sqrt(np.maximum(spread, 0) / (n - 1) / n)
        mean = moments.sums / n
        ends[able] = np.stack([mean - half, mean + half], axis=1)[able]
    else:
        for k in np.flatnonzero(able):
            ends[k] = ratio_ends(own(int(k)), weights, critical)
    # Where rounding puts an end on the wrong side of 0, p decides.
    kept = made.p > alpha * (1 + SLACK)
    ends[kept & (ends[:, 0] > 0), 0] = 0.0
    ends[kept & (ends[:, 1] < 0), 1] = 0.0
    return ends


class FlipTest(NamedTuple):
    """The test of two systems by flips; its second value is p, as harnesses expect.

    Attributes
    ----------
    difference, pvalue : float
        The mean difference and its two-sided p-value.
    low, high : float
        The interval that belongs to the test; NaN where there is none.
    n, differing : int
        The number of units, and of those with a difference that is not 0.
    exact : bool
        Whether all sign patterns were tried.

    Examples
    --------
    >>> found = flip_test([0.9, 0.8, 0.7, 0.6], [0.8, 0.8, 0.6, 0.4])
    >>> found.pvalue, found.n, found.differing
    (0.25, 4, 3)
    """

    difference: float
    pvalue: float
    low: float
    high: float
    n: int
    differing: int
    exact: bool


def flip_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    draws: int = DRAWS,
    seed: int = 0,
    alpha: float = 0.05,
) -> FlipTest:
    """Test whether two systems differ, by flips of the signs of whole units.

    Parameters
    ----------
    a, b : array_like
        Scores of the two systems on the same units.
    clusters : array_like, optional
        The cluster of each unit; whole clusters are flipped.
    draws, seed : int
        As for `max_t`.
    alpha : float
        The interval has the level 1 − alpha.

    Returns
    -------
    FlipTest
        The mean of a − b, the two-sided p-value, and the interval that excludes 0 exactly if p ≤ alpha;
        NaN where there is none.

    Raises
    ------
    MismatchError
        If the arrays are not aligned, or hold values that are not finite.
    OptionError
        If draws, seed or alpha is out of range.

    References
    ----------
    Fisher (1935); Smucker, Allan and Carterette (2007).

    Examples
    --------
    >>> found = flip_test([0.9, 0.8, 0.7, 0.6, 0.8, 0.9, 0.5], [0.8, 0.8, 0.6, 0.4, 0.6, 0.8, 0.4])
    >>> round(found.difference, 3), found.pvalue
    (0.114, 0.03125)
    """
    x, y = _checked(a, 1, "a"), _checked(b, 1, "b")
    if x.shape != y.shape:
        raise MismatchError(f"a and b: {len(x):,} and {len(y):,} scores are not aligned.")
    found = max_t(np.stack([x, y], axis=1), clusters=clusters, draws=draws, seed=seed, alpha=alpha)
    return FlipTest(
        float(found.difference[0]),
        float(found.p[0]),
        float(found.low[0]),
        float(found.high[0]),
        found.n,
        int(found.differing[0]),
        found.exact,
    )


# The permutation test of pairs of systems: the sign of each item's difference is flipped.


def permutation(
    pairs: Pairs,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    largest: bool = False,
    alpha: float = 0.05,
    threads: int = 0,
    engine: Drawing | None = None,
) -> PairTest:
    """Run the permutation test: flip the sign of each item's difference with probability ½.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.
    draws : int
        Number of random draws.
    seed : int
        Seed of the random draws.
    largest : bool
        Also compute, in `adjusted`, the p-values of the largest |t| of the family, and in `ends` the
        intervals that belong to them. A single pair has its interval without it.
    alpha : float
        The intervals have the simultaneous level 1 − alpha.
    threads : int
        Number of threads; 0 uses all cores. The result does not depend on it.
    engine : engine, optional
        Where the draws are made; by default in this process.

    Returns
    -------
    PairTest
        p = (b + 1)/(B + 1), where b is the number of draws whose |mean difference| reaches the
        observed one. If a pair has at most `draws` sign patterns of the items that differ, up to
        mirror images, all are tried and its p is exact.

    Raises
    ------
    OptionError
        If `draws` is below 100 or above 1,000,000,000, `seed` is negative or above 2^64 − 1, or
        `largest` is asked for and scores are missing.

    References
    ----------
    Fisher (1935); Smucker, Allan and Carterette (2007); Phipson and Smyth (2010). For the largest |t|:
    Westfall and Young (1993); Romano and Wolf (2005).

    Examples
    --------
    >>> permutation(Pairs.of_arrays([0.5, 0.6, 0.7, 0.9], [0.4, 0.4, 0.5, 0.6])).p.tolist()
    [0.125]
    """
    check_draws(draws, seed)
    if largest and not pairs.complete.all():
        raise OptionError(
            "correction='max-t' flips whole items of a complete table, and "
            f"{int((~pairs.complete).sum()):,} of {len(pairs.items):,} items lack a system. Use "
            "correction='holm', which tests each pair on its own items."
        )
    units = _units(pairs)
    moments = units.moments
    made = family_flips(
        units.rows,
        units.first,
        units.second,
        moments,
        np.asarray(units.differences.any(axis=0)),
        units.own,
        draws=draws,
        seed=seed,
        threads=threads,
        engine=engine,
    )
    ends = None
    if largest or len(pairs) == 1:
        ends = simultaneous_ends(made, moments, units.own, alpha, units.weights)
    _, error = monte_carlo(made.alone * (draws + 1) - 1, draws)
    found = PairTest(
        "permutation",
        pairs,
        pairs.means,
        made.alone,
        pairs.n,
        tuple(
            _method(int(differing), bool(exact), draws)
            for differing, exact in zip(moments.differing, made.exact_alone, strict=True)
        ),
        error=np.where(made.exact_alone, 0.0, error),
        adjusted=made.p if largest else None,
        ends=ends,
        units=np.asarray(moments.n),
        unit_t=_t(moments),
        differing=moments.differing,
    )
    return found if pairs.clusters is None else _without_few_clusters(found, alpha)


def own_ends(pairs: Pairs, *, draws: int, seed: int, level: float, threads: int = 0) -> Floats:
    """Return the interval of each pair of systems from its own sign flips, each at this level."""
    made = []
    for k in range(len(pairs)):
        one = pairs.take(np.arange(len(pairs)) == k)
        found = permutation(one, draws=draws, seed=seed, alpha=level, threads=threads).ends
        made.append([np.nan, np.nan] if found is None else found[0])
    return np.array(made).reshape(-1, 2)


@dataclass(frozen=True, eq=False)
class _Units:
    """What a permutation test flips: the scores of items, or their totals over clusters.

    `rows[first] − rows[second]` are the differences of each pair (rows[first] where second is −1), and
    `differences` the same with 0 where only rounding made a difference. Both are used as they are: rounded
    differences would not reach the sums of the rows.
    """

    rows: Floats
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    differences: Floats
    present: NDArray[np.bool_]  # which pairs have which units
    weights: (
        Floats | None
    )  # sizes of clusters, or rooms of a ratio; of a complete table or one pair

    @property
    def moments(self) -> Moments:
        """The sums of each pair over its units."""
        d = self.differences
        return Moments(
            self.present.sum(axis=1),
            d.sum(axis=1),
            np.einsum("ij,ij->i", d, d),
            np.array([np.abs(row).sum() for row in d]),
            np.array([np.count_nonzero(row) for row in d], dtype=np.int64),
        )

    def own(self, k: int) -> Floats:
        """Return the differences of a pair of systems on its own units, whose signs are flipped."""
        return np.asarray(self.differences[k][self.present[k]])


def _units(pairs: Pairs) -> _Units:
    scores = pairs.scores
    missing = np.isnan(scores)
    present = ~(missing[pairs.first] | missing[pairs.second])
    whole = np.where(missing, 0.0, scores)
    d = whole[pairs.first]
    d -= whole[pairs.second]
    d[~present] = 0.0
    largest = np.abs(whole).max(axis=1, initial=0.0)
    noise = np.abs(d) < NOTHING * np.maximum(largest[pairs.first], largest[pairs.second])[:, None]
    d[noise] = 0.0
    # Differences rounded on request, and those of items that one of the two lacks, are rows of their own.
    own = (missing[pairs.first] != missing[pairs.second]).any(axis=1)
    own |= pairs.digits != DIGITS
    d[own] = np.nan_to_num(pairs.differences[own])
    rows = np.vstack([whole - whole[:1], d[own]])  # what all systems share does not matter
    first, second = pairs.first.copy(), pairs.second.copy()
    first[own] = len(scores) + np.arange(int(own.sum()))
    second[own] = -1
    weights = pairs.rooms
    if pairs.clusters is None:
        if weights is not None and len(pairs) == 1:
            weights = weights[present[0]]
        return _Units(rows, first, second, d, present, weights)
    sizes = np.ones(len(pairs.items)) if weights is None else weights
    if len(pairs) == 1:
        sizes = sizes * present[0]
    clusters = pairs.clusters
    rows, d = _permutation_totals(rows, clusters), _permutation_totals(d, clusters)
    largest = np.abs(_permutation_totals(whole, clusters)).max(axis=1, initial=0.0)
    noise = np.abs(d) < NOTHING * np.maximum(largest[pairs.first], largest[pairs.second])[:, None]
    there = _permutation_totals(present.astype(np.float64), clusters) > 0
    weights = _permutation_totals(sizes[None], clusters)[0]
    if len(pairs) == 1:
        weights = weights[there[0]]
    return _Units(rows, first, second, np.where(noise, 0.0, d), there, weights)


def _permutation_totals(cells: Floats, clusters: NDArray[np.int64]) -> Floats:
    """Return the total of each cluster for the permutation test of pairs, rows × clusters."""
    made = np.zeros((int(clusters.max(initial=-1)) + 1, len(cells)))
    np.add.at(made, clusters, cells.T)
    return np.ascontiguousarray(made.T)


def _t(moments: Moments) -> Floats:
    """Return Student's t of each pair over its flipped units; 0 if none differs, infinite if all are alike."""
    n = moments.n
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.maximum(moments.squares - moments.sums**2 / n, 0.0)
        spread = np.where(spread <= NOTHING * moments.squares, 0.0, spread)
        t = moments.sums / np.sqrt(n * spread / (n - 1))
    return np.where(moments.squares == 0, 0.0, t)


def _without_few_clusters(found: PairTest, alpha: float) -> PairTest:
    """Return the permutation test without p where there are too few clusters for one."""
    assert found.units is not None
    few = found.units < least_units(alpha)
    if not few.any():
        return found

    def cut(values: Floats | None) -> Floats | None:
        return None if values is None else np.where(few, np.nan, values)

    ends = None if found.ends is None else np.where(few[:, None], np.nan, found.ends)
    methods = tuple(
        "too few clusters" if gone else method
        for gone, method in zip(few, found.methods, strict=True)
    )
    return replace(
        found,
        p=np.where(few, np.nan, found.p),
        error=cut(found.error),
        adjusted=cut(found.adjusted),
        ends=ends,
        methods=methods,
    )


def _method(differing: int, exact: bool, draws: int) -> str:
    if not exact:
        return f"{draws:,} random flips"
    if differing <= 1:
        return "no item differs" if differing == 0 else "one item differs"
    return f"all {2 ** (differing - 1):,} sign patterns"
