"""Randomisation tests: hybrid, studentised bootstrap, and those of measures made of summed statistics."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tare._kernels.random_numbers import check_seed
from tare._kernels.statistics import flip_counts, studentised_counts, uniforms
from tare.errors import OptionError
from tare.stats._draws import Drawing, monte_carlo, resampled_means, summed
from tare.stats._paired_differences import Pairs, PairTest, SummedPairs

__all__ = [
    "DRAWS",
    "bootstrap_t",
    "centred_bootstrap",
    "check_draws",
    "check_simulations",
    "hybrid",
    "resampled_gaps",
    "summed_bootstrap",
    "summed_permutation",
]


# Randomisation tests: hybrid and studentised bootstrap; see `_permutation` for flips alone.
#
# All pairs of a family share the draws. Items are sorted by id, so p-values do not depend on the order
# of the items or on the other systems.


DRAWS = 10_000
MOST_DRAWS = 1_000_000_000
MOST_SIMULATIONS = 1_000_000
Floats = NDArray[np.float64]


def check_draws(draws: int, seed: int = 0) -> None:
    """Refuse too few or too many draws of a randomisation test, and seeds that are not whole numbers from 0."""
    check_seed(seed)
    if draws < 100:
        raise OptionError(
            f"draws={draws} is too few; p could not fall below {1 / (max(draws, 0) + 1):.2g}. "
            f"Use at least 100, better {DRAWS:,}."
        )
    if draws > MOST_DRAWS:
        raise OptionError(f"draws={draws} is too many; {MOST_DRAWS:,} at most.")


def check_simulations(simulations: int) -> None:
    """Refuse a number of experiments that cannot be simulated, for the power of tests or the sample size from a pilot."""
    if not 1 <= simulations <= MOST_SIMULATIONS:
        raise OptionError(
            f"simulations={simulations}: between 1 and {MOST_SIMULATIONS:,} experiments can be "
            "simulated; 10,000 estimate a rate to half a percent."
        )


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
    rows, first, second, sums = pairs.signed_rows()
    threshold = np.abs(sums) - pairs.quantum
    (counts,) = summed(
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
    largest: bool = False,
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
    largest : bool
        Also compute the p-values of the largest |t*| in the family, in `adjusted`.
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
    counts, family = summed(
        studentised_counts,
        shifted=shifted,
        observed=observed,
        draws=draws,
        seed=seed,
        largest=largest,
        threads=threads,
        engine=engine,
    )
    p, error = monte_carlo(counts, draws)
    adjusted = monte_carlo(family, draws)[0] if largest else None
    methods = (f"{draws:,} resamples",) * len(pairs)
    return PairTest(
        "bootstrap", pairs, pairs.t, p, pairs.n, methods, error=error, adjusted=adjusted
    )


# Tests of measures made of summed statistics: approximate randomisation and the paired bootstrap.
#
# Both work on the statistics of the items and compute the two values from the sums of each draw, as
# sacrebleu does. Draws depend on the number of items and the seed only, so all pairs share them.


BLOCK = 500  # draws at a time


def summed_permutation(
    pairs: SummedPairs,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    threads: int = 0,
    engine: Drawing | None = None,
) -> PairTest:
    """Run approximate randomisation: swap the summed statistics of each item with probability ½.

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
    """Random or all swaps of the summed statistics of one pair; block b of random swaps is the same wherever it is made."""

    pairs: SummedPairs
    pair: int
    limit: float
    draws: int
    seed: int
    threads: int

    def all_hits(self) -> int:
        """Return how many of all swaps of a pair's statistics have a difference that reaches the limit."""
        return sum(map(self._hits, _all_swaps(self.pairs, self.pair)))

    def random_hits(self, block: int) -> int:
        """Return how many of a block of random swaps have a difference that reaches the limit."""
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
    """Return the differences of a pair's two values from summed statistics over resampled items, one per draw."""
    two = pairs.summed.with_cells(np.stack(pairs.common(pair)))
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
    """Run the paired bootstrap of summed statistics: the difference over resampled items, shifted to 0.

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
