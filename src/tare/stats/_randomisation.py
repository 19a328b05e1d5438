"""Randomisation tests: permutation, hybrid and studentised bootstrap.

All pairs of a family share the draws. Items are sorted by id, so p-values do not depend on the order
of the items or on the other systems.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tare._data.counter_random import check_seed
from tare._kernels.statistics import flip_counts, studentised_counts
from tare.errors import OptionError
from tare.stats._draws import Drawing, summed
from tare.stats._p_values import monte_carlo
from tare.stats._pair_tests import PairTest
from tare.stats._pairs import Pairs

__all__ = ["DRAWS", "bootstrap_t", "check_draws", "check_simulations", "hybrid", "permutation"]

DRAWS = 10_000
MOST_DRAWS = 1_000_000_000
MOST_SIMULATIONS = 1_000_000
Floats = NDArray[np.float64]


def check_draws(draws: int, seed: int = 0) -> None:
    """Refuse too few or too many draws, and seeds that are not whole numbers from 0."""
    check_seed(seed)
    if draws < 100:
        raise OptionError(
            f"draws={draws} is too few; p could not fall below {1 / (max(draws, 0) + 1):.2g}. "
            f"Use at least 100, better {DRAWS:,}."
        )
    if draws > MOST_DRAWS:
        raise OptionError(f"draws={draws} is too many; {MOST_DRAWS:,} at most.")


def check_simulations(simulations: int) -> None:
    """Refuse a number of experiments that cannot be simulated."""
    if not 1 <= simulations <= MOST_SIMULATIONS:
        raise OptionError(
            f"simulations={simulations}: between 1 and {MOST_SIMULATIONS:,} experiments can be "
            "simulated; 10,000 estimate a rate to half a percent."
        )


def _rows(pairs: Pairs) -> tuple[Floats, NDArray[np.int32], NDArray[np.int32], Floats]:
    """Rows whose flipped sums give those of all pairs, which two rows each pair uses, and its sum.

    Where both systems of a pair miss the same items, the pair's sum is the difference of theirs;
    otherwise its differences become a separate row.
    """
    missing = np.isnan(pairs.scores)
    apart = (missing[pairs.first] != missing[pairs.second]).any(axis=1)
    own = np.nan_to_num(pairs.differences[apart])
    rows = np.vstack([np.nan_to_num(pairs.scores), own])
    first, second = pairs.first.copy(), pairs.second.copy()
    first[apart] = len(pairs.scores) + np.arange(len(own))
    second[apart] = -1
    sums = rows.sum(axis=1)
    return rows, first, second, sums[first] - np.where(second < 0, 0.0, sums[second])


def _step_down(counts: NDArray[np.int64], order: NDArray[np.int32], draws: int) -> Floats:
    """Adjusted p of the step-down; never smaller than that of a clearer pair."""
    p, _ = monte_carlo(counts, draws)
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(p[order])
    return adjusted


def permutation(
    pairs: Pairs,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    step_down: bool = False,
    threads: int = 0,
    engine: Drawing | None = None,
) -> PairTest:
    """Run the permutation test: swap each item's two scores with probability ½.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.
    draws : int
        Number of random draws.
    seed : int
        Seed of the random draws.
    step_down : bool
        Also compute the step-down p-values of the largest |t| in the family (Westfall and Young),
        in `adjusted`.
    threads : int
        Number of threads; 0 uses all cores. The result does not depend on it.
    engine : engine, optional
        Where the draws are made; by default in this process.

    Returns
    -------
    PairTest
        p = (b + 1)/(B + 1), where b is the number of draws whose |mean difference| reaches the
        observed one. If all 2^n swaps are at most `draws`, all are tried and p is exact.

    Raises
    ------
    OptionError
        If `draws` is below 100 or above 1,000,000,000, or `seed` is negative or above 2^64 − 1.

    References
    ----------
    Fisher (1935); Smucker, Allan and Carterette (2007); Phipson and Smyth (2010).

    Examples
    --------
    >>> permutation(Pairs.of_arrays([0.5, 0.6, 0.7, 0.9], [0.4, 0.4, 0.5, 0.6])).p.tolist()
    [0.125]
    """
    check_draws(draws, seed)
    rows, first, second, sums = _rows(pairs)
    threshold = np.abs(sums) - pairs.quantum
    extra: dict[str, Floats | NDArray[np.int32]] = {}
    order = np.zeros(0, dtype=np.int32)
    if step_down:
        squares, sizes, observed = _squared_t(pairs, sums)
        order = np.argsort(-observed, kind="stable").astype(np.int32)
        extra = {"squares": squares, "sizes": sizes, "observed": observed, "order": order}
    counts, stepped = summed(
        flip_counts,
        rows=rows,
        first=first,
        second=second,
        threshold=threshold,
        kind="swap",
        draws=draws,
        seed=seed,
        threads=threads,
        engine=engine,
        **extra,
    )
    p, error = monte_carlo(counts, draws)
    methods = [f"{draws:,} random swaps"] * len(pairs)
    most = int(math.log2(draws))
    for n in np.unique(pairs.n[(pairs.n > 0) & (pairs.n <= most)]):
        few = np.flatnonzero(pairs.n == n)
        present = pairs.differences[few]
        packed = present[~np.isnan(present)].reshape(len(few), int(n))
        index = np.arange(len(few))
        limit = np.abs(packed.sum(axis=1)) - pairs.quantum[few]
        hits, _ = flip_counts(
            packed, index, np.full(len(few), -1), limit, kind="all", draws=2**n, seed=0
        )
        p[few], error[few] = hits / 2.0**n, 0.0
        for k in few:
            methods[k] = f"all {2**n:,} swaps"
    adjusted = _step_down(stepped, order, draws) if step_down else None
    return PairTest(
        "permutation",
        pairs,
        pairs.means,
        p,
        pairs.n,
        tuple(methods),
        error=error,
        adjusted=adjusted,
    )


def _squared_t(pairs: Pairs, sums: Floats) -> tuple[Floats, Floats, Floats]:
    """Σd², n and t² of each pair, by the formula that the core uses for the flipped ones."""
    rows = pairs.scores[pairs.first] - pairs.scores[pairs.second]
    squares = np.nansum(rows * rows, axis=1)
    sizes = pairs.n.astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(squares > 0, sums * sums / (sizes * squares), 0.0)
        observed = (sizes - 1) * share / (1 - share)
    return squares, sizes, np.where(1 - share <= 1e-13, np.inf, observed)


def hybrid(
    pairs: Pairs,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    threads: int = 0,
    engine: Drawing | None = None,
) -> PairTest:
    """Run the hybrid of bootstrap and permutation test: draw items with replacement, then swap at random.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.
    draws : int
        Number of random draws.
    seed : int
        Seed of the random draws.
    threads : int
        Number of threads; 0 uses all cores. The result does not depend on it.
    engine : engine, optional
        Where the draws are made; by default in this process.

    Returns
    -------
    PairTest
        p = (b + 1)/(B + 1) of the absolute sum of differences.

    Raises
    ------
    OptionError
        If `draws` is below 100 or above 1,000,000,000, or `seed` is negative or above 2^64 − 1.

    References
    ----------
    Rankel (2016), §3.7.

    Examples
    --------
    >>> hybrid(Pairs.of_arrays([5, 6, 7, 9], [4, 4, 5, 6]), draws=999).p.round(3).tolist()
    [0.078]
    """
    check_draws(draws, seed)
    rows, first, second, sums = _rows(pairs)
    threshold = np.abs(sums) - pairs.quantum
    counts, _ = summed(
        flip_counts,
        rows=rows,
        first=first,
        second=second,
        threshold=threshold,
        kind="hybrid",
        draws=draws,
        seed=seed,
        threads=threads,
        engine=engine,
    )
    p, error = monte_carlo(counts, draws)
    methods = (f"{draws:,} resamples with swaps",) * len(pairs)
    return PairTest("hybrid", pairs, pairs.means, p, pairs.n, methods, error=error)


def bootstrap_t(
    pairs: Pairs,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    step_down: bool = False,
    threads: int = 0,
    engine: Drawing | None = None,
) -> PairTest:
    """Run the studentised paired bootstrap: t of resampled differences that are shifted to mean 0.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.
    draws : int
        Number of random draws.
    seed : int
        Seed of the random draws.
    step_down : bool
        Also compute the step-down p-values of the largest |t*| in the family, in `adjusted`.
    threads : int
        Number of threads; 0 uses all cores. The result does not depend on it.
    engine : engine, optional
        Where the draws are made; by default in this process.

    Returns
    -------
    PairTest
        p = (b + 1)/(B + 1), where b is the number of resamples with |t*| ≥ |t|.

    Raises
    ------
    OptionError
        If `draws` is below 100 or above 1,000,000,000, or `seed` is negative or above 2^64 − 1.

    References
    ----------
    Sakai (2006). Evaluating evaluation metrics based on the bootstrap. SIGIR.

    Examples
    --------
    >>> bootstrap_t(Pairs.of_arrays([5, 6, 7, 9], [4, 5, 5, 6]), draws=999).p.round(3).tolist()
    [0.091]
    """
    check_draws(draws, seed)
    shifted = pairs.differences - pairs.means[:, None]
    observed = pairs.t**2
    order = np.argsort(-observed, kind="stable").astype(np.int32) if step_down else np.zeros(0)
    counts, stepped = summed(
        studentised_counts,
        shifted=shifted,
        observed=observed,
        draws=draws,
        seed=seed,
        order=order,
        threads=threads,
        engine=engine,
    )
    p, error = monte_carlo(counts, draws)
    adjusted = _step_down(stepped, order.astype(np.int32), draws) if step_down else None
    methods = (f"{draws:,} resamples",) * len(pairs)
    return PairTest(
        "bootstrap", pairs, pairs.t, p, pairs.n, methods, error=error, adjusted=adjusted
    )
