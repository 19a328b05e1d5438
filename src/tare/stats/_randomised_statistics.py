"""Permutation and hybrid tests of other statistics than the mean: Student's t and Wilcoxon's W.

Swaps do not change Σd², so |t| orders the draws as |Σd| does: the permutation test of t is that of the
mean. The ranks of |d| do not change either. Resampling changes both, so the hybrid test has a
different p-value for each statistic. Rankel (2016, §3.7).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tare._kernels.random_numbers import uniforms
from tare._kernels.statistics import flip_counts
from tare._kernels.threads_and_blocks import seams
from tare.stats._draws import Drawing, monte_carlo, summed
from tare.stats._flips import permutation
from tare.stats._paired_differences import Pairs, PairTest
from tare.stats._randomisation import DRAWS, check_draws
from tare.stats._ranks_with_ties import mean_ranks

__all__ = ["hybrid_t", "hybrid_w", "permutation_t", "permutation_w"]

Floats = NDArray[np.float64]
STREAM = 0x4B1D  # of resampled items and their signs
NEAR = 1e-9  # relative: statistics that agree so far are equal


def permutation_t(
    pairs: Pairs,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    threads: int = 0,
    engine: Drawing | None = None,
) -> PairTest:
    """Run the permutation test of |t|; its p-value is that of the mean, which orders the draws alike.

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
        t and p of each pair.

    Raises
    ------
    OptionError
        If `draws` is below 100 or above 1,000,000,000, or `seed` is negative or above 2^64 − 1.

    Examples
    --------
    >>> permutation_t(Pairs.of_arrays([5, 6, 7, 9], [4, 4, 5, 6]), draws=999).p.round(3).tolist()
    [0.125]
    """
    made = permutation(pairs, draws=draws, seed=seed, threads=threads, engine=engine)
    return replace(made, test="permutation-t", statistic=pairs.t, ends=None)


def permutation_w(
    pairs: Pairs,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    threads: int = 0,
    engine: Drawing | None = None,
) -> PairTest:
    """Run the permutation test of Wilcoxon's W: |W⁺ − W⁻| with random signs of the ranks.

    Zero differences are dropped and ties share mean ranks, as in Wilcoxon's test. With more draws, p
    approaches its exact p-value.

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
        W and p of each pair.

    Raises
    ------
    OptionError
        If `draws` is below 100 or above 1,000,000,000, or `seed` is negative or above 2^64 − 1.

    Examples
    --------
    >>> permutation_w(Pairs.of_arrays([5, 6, 7, 9], [4, 4, 5, 6]), draws=999).p.round(3).tolist()
    [0.122]
    """
    check_draws(draws, seed)
    rows = _signed_ranks(pairs)
    (counts,) = summed(
        flip_counts,
        rows=rows,
        first=np.arange(len(pairs), dtype=np.int32),
        second=np.full(len(pairs), -1, dtype=np.int32),
        threshold=np.abs(rows.sum(axis=1)) - 0.25,  # ranks are halves of whole numbers
        kind="swap",
        draws=draws,
        seed=seed,
        threads=threads,
        engine=engine,
    )
    p, error = monte_carlo(counts, draws)
    plus = np.where(rows > 0, rows, 0.0).sum(axis=1)
    methods = (f"{draws:,} random swaps",) * len(pairs)
    used = (rows != 0).sum(axis=1)
    return PairTest("permutation-w", pairs, plus, p, used, methods, error=error)


def hybrid_t(
    pairs: Pairs,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    threads: int = 0,
    engine: Drawing | None = None,
) -> PairTest:
    """Run the hybrid of bootstrap and permutation test on |t|.

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
        t and p of each pair.

    Raises
    ------
    OptionError
        If `draws` is below 100 or above 1,000,000,000, or `seed` is negative or above 2^64 − 1.

    Examples
    --------
    >>> hybrid_t(Pairs.of_arrays([5, 6, 7, 9], [4, 4, 5, 6]), draws=999).p.round(3).tolist()
    [0.102]
    """
    return _hybrid(pairs, "t", draws, seed, threads, engine)


def hybrid_w(
    pairs: Pairs,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    threads: int = 0,
    engine: Drawing | None = None,
) -> PairTest:
    """Run the hybrid of bootstrap and permutation test on |W⁺ − W⁻|, ranked again in each resample.

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
        W and p of each pair.

    Raises
    ------
    OptionError
        If `draws` is below 100 or above 1,000,000,000, or `seed` is negative or above 2^64 − 1.

    Examples
    --------
    >>> hybrid_w(Pairs.of_arrays([5, 6, 7, 9], [4, 4, 5, 6]), draws=999).p.round(3).tolist()
    [0.137]
    """
    return _hybrid(pairs, "w", draws, seed, threads, engine)


def _hybrid(
    pairs: Pairs, statistic: str, draws: int, seed: int, threads: int, engine: Drawing | None
) -> PairTest:
    check_draws(draws, seed)
    (counts,) = summed(
        hybrid_counts,
        differences=pairs.differences,
        statistic=statistic,
        draws=draws,
        seed=seed,
        threads=threads,
        engine=engine,
    )
    p, error = monte_carlo(counts, draws)
    ranks = _signed_ranks(pairs)
    shown = pairs.t if statistic == "t" else np.where(ranks > 0, ranks, 0.0).sum(axis=1)
    methods = (f"{draws:,} resamples with swaps",) * len(pairs)
    return PairTest(f"hybrid-{statistic}", pairs, shown, p, pairs.n, methods, error=error)


def hybrid_counts(
    differences: Floats,
    statistic: str,
    draws: int,
    seed: int,
    threads: int = 0,
    first_draw: int = 0,
) -> tuple[NDArray[np.int64]]:
    """Count the draws of the hybrid test in which each pair's statistic reaches the observed one; draw b is the same in any block."""
    pairs, items = differences.shape
    known = ~np.isnan(differences)
    d = np.where(known, differences, 0.0)
    once = np.ones((1, items))
    reach = _t_squared if statistic == "t" else _rank_sums
    observed = reach(d, known, once, np.ones((1, items)))[0]
    near = NEAR * np.where(np.isinf(observed), 0.0, np.abs(observed))
    counts = np.zeros(pairs, dtype=np.int64)
    block = max(1, seams().resampled_cells // 2 // max(items, 1))
    for start in range(first_draw, first_draw + draws, block):
        rows = min(block, first_draw + draws - start)
        times, signs = _resampled(rows, items, seed, start)
        found = reach(d, known, times, signs)
        counts += (found >= observed - near).sum(axis=0)
    return (counts,)


def _resampled(rows: int, items: int, seed: int, start: int) -> tuple[Floats, Floats]:
    """The resamples of a hybrid test: how often each item is drawn, and the sum of its random signs; one row per draw."""
    counters = (start + np.arange(rows))[:, None] * (2 * items) + np.arange(2 * items)
    u = uniforms(seed, STREAM, counters)
    item = (u[:, :items] * items).astype(np.int64) + np.arange(rows)[:, None] * items
    sign = np.where(u[:, items:] < 0.5, -1.0, 1.0)
    times = np.bincount(item.ravel(), minlength=rows * items).astype(np.float64)
    signs = np.bincount(item.ravel(), weights=sign.ravel(), minlength=rows * items)
    return times.reshape(rows, items), np.asarray(signs, dtype=np.float64).reshape(rows, items)


def _t_squared(d: Floats, known: NDArray[np.bool_], times: Floats, signs: Floats) -> Floats:
    """Student's t² of each draw of the hybrid test and pair, infinite where the differences of a draw are all the same."""
    sums = signs @ d.T
    squares = times @ (d * d).T
    n = times @ known.T.astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(squares > 0, sums * sums / (n * squares), 0.0)
        made = (n - 1) * share / (1 - share)
    return np.where(1 - share <= 1e-13, np.inf, made)


def _rank_sums(d: Floats, known: NDArray[np.bool_], times: Floats, signs: Floats) -> Floats:
    """Wilcoxon's |W⁺ − W⁻| of each draw and pair: zeros dropped, copies of an item and ties share mean ranks."""
    made = np.empty((len(times), len(d)))
    for k, row in enumerate(d):
        own = np.flatnonzero(known[k] & (row != 0))
        order = own[np.argsort(np.abs(row[own]), kind="stable")]
        size = np.abs(row[order])
        starts = np.flatnonzero(np.r_[True, size[1:] != size[:-1]]) if len(order) else order
        if not len(order):
            made[:, k] = 0.0
            continue
        group = np.add.reduceat(times[:, order], starts, axis=1)
        turned = np.add.reduceat(signs[:, order] * np.sign(row[order]), starts, axis=1)
        rank = np.cumsum(group, axis=1) - (group - 1) / 2
        made[:, k] = np.abs((rank * turned).sum(axis=1))
    return made


def _signed_ranks(pairs: Pairs) -> Floats:
    """The signed ranks of Wilcoxon's W: the rank of each |difference| with its sign; 0 for zeros and missing items."""
    d = np.where(np.isnan(pairs.differences), 0.0, pairs.differences)
    size = np.where(d == 0, np.nan, np.abs(d))
    ranks = mean_ranks(size)
    return np.where(d == 0, 0.0, np.sign(d) * np.nan_to_num(ranks))
