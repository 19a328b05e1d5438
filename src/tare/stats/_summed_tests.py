"""Tests of measures made of summed statistics: approximate randomisation and the paired bootstrap.

Both work on the statistics of the items and compute the two values from the sums of each draw, as
sacrebleu does. Draws depend on the number of items and the seed only, so all pairs share them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tare._kernels.statistics import uniforms
from tare._measures.aggregation import SummedStatistics
from tare.stats._draws import Drawing, resampled_means
from tare.stats._p_values import monte_carlo
from tare.stats._pair_tests import PairTest
from tare.stats._pairs import Pairs
from tare.stats._randomisation import DRAWS, check_draws
from tare.stats._summed_pairs import SummedPairs

__all__ = ["centred_bootstrap", "resampled_gaps", "summed_bootstrap", "summed_permutation"]

Floats = NDArray[np.float64]
BLOCK = 500  # draws at a time


def summed_permutation(
    pairs: SummedPairs,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    threads: int = 0,
    engine: Drawing | None = None,
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
        swaps = _Swaps(pairs, k, limit, draws, seed, threads)
        hits = swaps.all_hits() if few else _random_hits(swaps, engine)
        if few:
            p[k] = hits / 2.0**n
        else:
            one, deviation = monte_carlo(np.array([hits]), draws)
            p[k], error[k] = one[0], deviation[0]
        methods.append(f"all {2**n:,} swaps" if few else f"{draws:,} random swaps")
    return PairTest("permutation", pairs, pairs.means, p, pairs.n, tuple(methods), error=error)


@dataclass(frozen=True)
class _Swaps:
    """Swaps of one pair; block b of random swaps is the same wherever it is made."""

    pairs: SummedPairs
    pair: int
    limit: float
    draws: int
    seed: int
    threads: int

    def all_hits(self) -> int:
        """Return how many of all swaps have a difference that reaches the limit."""
        return sum(map(self._hits, _all_swaps(self.pairs, self.pair)))

    def random_hits(self, block: int) -> int:
        """Return the same for a block of random swaps."""
        items = self.pairs.summed.cells.shape[1]
        rows = min(BLOCK, self.draws - block * BLOCK)
        u = uniforms(rows, items, seed=self.seed, substream=block, threads=self.threads)
        return self._hits(u < 0.5)

    def _hits(self, swaps: NDArray[np.bool_]) -> int:
        gaps = _swapped_gaps(self.pairs, self.pair, swaps)
        return int((np.abs(gaps) >= self.limit).sum())


def _random_hits(swaps: _Swaps, engine: Drawing | None) -> int:
    blocks = -(-swaps.draws // BLOCK)
    if engine is None:
        return _hits_of_blocks(swaps, 0, blocks)
    return int(sum(engine.map_blocks(_hits_of_blocks, swaps, blocks, what="blocks of swaps")))


def _hits_of_blocks(swaps: _Swaps, first: int, last: int) -> int:
    return sum(map(swaps.random_hits, range(first, last)))


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
    pairs: SummedPairs,
    pair: int,
    *,
    draws: int,
    seed: int,
    threads: int = 0,
    engine: Drawing | None = None,
) -> Floats:
    """Return the differences of the two values over resampled items, one per draw."""
    two = SummedStatistics(pairs.summed.measure, np.stack(pairs.common(pair)))
    first, second = two.resampled(draws, seed, threads, partial(resampled_means, engine=engine))
    return np.asarray(first - second)


def summed_bootstrap(
    pairs: SummedPairs,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    threads: int = 0,
    engine: Drawing | None = None,
) -> PairTest:
    """Run the paired bootstrap: the difference over resampled items, shifted to 0.

    p = (b + 1)/(B + 1), where b is the number of resamples whose |difference − observed difference|
    reaches the observed one.
    """
    check_draws(draws, seed)
    hits = np.zeros(len(pairs), dtype=np.int64)
    for k in range(len(pairs)):
        gaps = resampled_gaps(pairs, k, draws=draws, seed=seed, threads=threads, engine=engine)
        observed = float(pairs.means[k])
        hits[k] = int((np.abs(gaps - observed) >= abs(observed) - pairs.tolerance(k)).sum())
    p, error = monte_carlo(hits, draws)
    methods = (f"{draws:,} resamples",) * len(pairs)
    return PairTest("bootstrap", pairs, pairs.means, p, pairs.n, methods, error=error)


def centred_bootstrap(
    pairs: Pairs,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    threads: int = 0,
    engine: Drawing | None = None,
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
            gaps = resampled_gaps(pairs, k, draws=draws, seed=seed, threads=threads, engine=engine)
        else:
            row = pairs.differences[k : k + 1]
            gaps = resampled_means(row, draws, seed, threads, engine=engine)[0]
        gaps = np.abs(gaps)
        centre = math.fsum(gaps) / len(gaps)
        equal = not gaps.any()  # sacrebleu gives equal systems the smallest p-value
        hits[k] = draws if equal else int((gaps - centre > abs(pairs.means[k])).sum())
    p, error = monte_carlo(hits, draws)
    methods = (f"{draws:,} resamples",) * len(pairs)
    return PairTest("bootstrap-sacrebleu", pairs, pairs.means, p, pairs.n, methods, error=error)
