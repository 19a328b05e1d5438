"""Randomisation tests: hybrid and studentised bootstrap; see `_permutation` for flips alone.

All pairs of a family share the draws. Items are sorted by id, so p-values do not depend on the order
of the items or on the other systems.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tare._data.simulation import check_seed
from tare._kernels.statistics import flip_counts, studentised_counts
from tare.errors import OptionError
from tare.stats._draws import Drawing, summed
from tare.stats._p_values import monte_carlo
from tare.stats._pair_tests import PairTest
from tare.stats._pairs import Pairs

__all__ = ["DRAWS", "bootstrap_t", "check_draws", "check_simulations", "hybrid"]

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
