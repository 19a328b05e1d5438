"""The permutation test of pairs of systems: the sign of each item's difference is flipped."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tare.errors import OptionError
from tare.stats._draws import Drawing
from tare.stats._flips import NOTHING, Moments, family_flips, least_units, simultaneous_ends
from tare.stats._p_values import monte_carlo
from tare.stats._pair_tests import Floats, PairTest
from tare.stats._pairs import Pairs
from tare.stats._randomisation import DRAWS, check_draws
from tare.stats._rounding import DIGITS

__all__ = ["own_ends", "permutation"]


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
        units.differences.any(axis=0),
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
        units=moments.n,
        unit_t=_t(moments),
        differing=moments.differing,
    )
    return found if pairs.clusters is None else _without_few_clusters(found, alpha)


def own_ends(pairs: Pairs, *, draws: int, seed: int, level: float, threads: int = 0) -> Floats:
    """Return the interval of each pair from its own flips, each at this level."""
    made = []
    for k in range(len(pairs)):
        one = pairs.take(np.arange(len(pairs)) == k)
        found = permutation(one, draws=draws, seed=seed, alpha=level, threads=threads).ends
        made.append([np.nan, np.nan] if found is None else found[0])
    return np.array(made).reshape(-1, 2)


@dataclass(frozen=True, eq=False)
class _Units:
    """What is flipped: the scores of items, or their totals over clusters.

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
        """Return the differences of a pair on its units."""
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
    rows, d = _totals(rows, clusters), _totals(d, clusters)
    largest = np.abs(_totals(whole, clusters)).max(axis=1, initial=0.0)
    noise = np.abs(d) < NOTHING * np.maximum(largest[pairs.first], largest[pairs.second])[:, None]
    there = _totals(present.astype(np.float64), clusters) > 0
    weights = _totals(sizes[None], clusters)[0]
    if len(pairs) == 1:
        weights = weights[there[0]]
    return _Units(rows, first, second, np.where(noise, 0.0, d), there, weights)


def _totals(cells: Floats, clusters: NDArray[np.int64]) -> Floats:
    """Return the total of each cluster, rows × clusters."""
    made = np.zeros((int(clusters.max(initial=-1)) + 1, len(cells)))
    np.add.at(made, clusters, cells.T)
    return np.ascontiguousarray(made.T)


def _t(moments: Moments) -> Floats:
    """Return Student's t of each pair over its units; 0 if none differs, infinite if all are alike."""
    n = moments.n
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.maximum(moments.squares - moments.sums**2 / n, 0.0)
        spread = np.where(spread <= NOTHING * moments.squares, 0.0, spread)
        t = moments.sums / np.sqrt(n * spread / (n - 1))
    return np.where(moments.squares == 0, 0.0, t)


def _without_few_clusters(found: PairTest, alpha: float) -> PairTest:
    """Return the test without p where there are too few clusters for one."""
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
