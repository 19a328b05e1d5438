"""Tests of measures made of summed statistics: approximate randomisation and the paired bootstrap.

Both work on the statistics of the items and compute the two values from the sums of each draw, as
sacrebleu does. Draws depend on the number of items and the seed only, so all pairs share them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tare._kernels import bootstrap_means
from tare._kernels.statistics import uniforms
from tare._measures.summed_statistics import SummedStatistics
from tare.stats._p_values import monte_carlo
from tare.stats._pair_tests import PairTest
from tare.stats._pairs import Pairs
from tare.stats._randomisation import DRAWS, check_draws
from tare.stats._summed_pairs import SummedPairs

__all__ = ["centred_bootstrap", "resampled_gaps", "summed_bootstrap", "summed_permutation"]

Floats = NDArray[np.float64]
BLOCK = 500  # draws at a time


def summed_permutation(
    pairs: SummedPairs, *, draws: int = DRAWS, seed: int = 0, threads: int = 0
) -> PairTest:
    """Run approximate randomisation: swap the statistics of each item with probability ½.

    p = (b + 1)/(B + 1), where b is the number of draws whose |difference| reaches the observed one.
    If all 2^n swaps are at most `draws`, all are tried and p is exact.
    """
    check_draws(draws, seed)
    p, error = np.empty(len(pairs)), np.zeros(len(pairs))
    methods = []
    for k in range(len(pairs)):
        n = int(pairs.n[k])
        few = 2**n <= draws
        limit = abs(pairs.means[k]) - pairs.tolerance(k)
        hits = 0
        blocks = _all_swaps(pairs, k) if few else _random_swaps(pairs, draws, seed, threads)
        for swaps in blocks:
            hits += int((np.abs(_swapped_gaps(pairs, k, swaps)) >= limit).sum())
        if few:
            p[k] = hits / 2.0**n
        else:
            one, deviation = monte_carlo(np.array([hits]), draws)
            p[k], error[k] = one[0], deviation[0]
        methods.append(f"all {2**n:,} swaps" if few else f"{draws:,} random swaps")
    return PairTest("permutation", pairs, pairs.means, p, pairs.n, tuple(methods), error=error)


def _random_swaps(
    pairs: SummedPairs, draws: int, seed: int, threads: int
) -> Iterator[NDArray[np.bool_]]:
    items = pairs.summed.cells.shape[1]
    for block, first in enumerate(range(0, draws, BLOCK)):
        rows = min(BLOCK, draws - first)
        yield uniforms(rows, items, seed=seed, substream=block, threads=threads) < 0.5


def _all_swaps(pairs: SummedPairs, pair: int) -> Iterator[NDArray[np.bool_]]:
    items = pairs.summed.cells.shape[1]
    there = np.flatnonzero(~np.isnan(pairs.differences[pair]))
    for first in range(0, 2 ** len(there), BLOCK):
        codes = np.arange(first, min(first + BLOCK, 2 ** len(there)))
        swaps = np.zeros((len(codes), items), dtype=bool)
        swaps[:, there] = (codes[:, None] >> np.arange(len(there))) & 1 == 1
        yield swaps


def _swapped_gaps(pairs: SummedPairs, pair: int, swaps: NDArray[np.bool_]) -> Floats:
    a, b = pairs.common(pair)
    moved = swaps.astype(np.float64) @ (b - a)
    summed = pairs.summed
    return np.asarray(
        summed.combined(a.sum(axis=0) + moved) - summed.combined(b.sum(axis=0) - moved)
    )


def resampled_gaps(
    pairs: SummedPairs, pair: int, *, draws: int, seed: int, threads: int = 0
) -> Floats:
    """Return the differences of the two values over resampled items, one per draw."""
    two = SummedStatistics(pairs.summed.measure, np.stack(pairs.common(pair)))
    first, second = two.resampled(draws, seed, threads)
    return np.asarray(first - second)


def summed_bootstrap(
    pairs: SummedPairs, *, draws: int = DRAWS, seed: int = 0, threads: int = 0
) -> PairTest:
    """Run the paired bootstrap: the difference over resampled items, shifted to 0.

    p = (b + 1)/(B + 1), where b is the number of resamples whose |difference − observed difference|
    reaches the observed one.
    """
    check_draws(draws, seed)
    hits = np.zeros(len(pairs), dtype=np.int64)
    for k in range(len(pairs)):
        gaps = resampled_gaps(pairs, k, draws=draws, seed=seed, threads=threads)
        observed = float(pairs.means[k])
        hits[k] = int((np.abs(gaps - observed) >= abs(observed) - pairs.tolerance(k)).sum())
    p, error = monte_carlo(hits, draws)
    methods = (f"{draws:,} resamples",) * len(pairs)
    return PairTest("bootstrap", pairs, pairs.means, p, pairs.n, methods, error=error)


def centred_bootstrap(
    pairs: Pairs, *, draws: int = DRAWS, seed: int = 0, threads: int = 0
) -> PairTest:
    """Run the paired bootstrap as sacrebleu defines it.

    p = (b + 1)/(B + 1), where b is the number of resamples whose |difference|, minus its mean over all
    resamples, exceeds the observed |difference|. For clear differences this is about half of the
    two-sided p-value. Equal systems have p = 1.
    """
    check_draws(draws, seed)
    hits = np.zeros(len(pairs), dtype=np.int64)
    for k in range(len(pairs)):
        if isinstance(pairs, SummedPairs):
            gaps = resampled_gaps(pairs, k, draws=draws, seed=seed, threads=threads)
        else:
            gaps = bootstrap_means(pairs.differences[k : k + 1], draws, seed, threads)[0]
        gaps = np.abs(gaps)
        centre = math.fsum(gaps) / len(gaps)
        equal = not gaps.any()  # sacrebleu gives equal systems the smallest p-value
        hits[k] = draws if equal else int((gaps - centre > abs(pairs.means[k])).sum())
    p, error = monte_carlo(hits, draws)
    methods = (f"{draws:,} resamples",) * len(pairs)
    return PairTest("bootstrap-sacrebleu", pairs, pairs.means, p, pairs.n, methods, error=error)
