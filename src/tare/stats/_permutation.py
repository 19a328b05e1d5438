"""The permutation test of pairs of systems: the sign of each item's difference is flipped."""

from __future__ import annotations

import numpy as np

from tare.errors import OptionError
from tare.stats._draws import Drawing
from tare.stats._flips import Flips, Moments, family_flips, simultaneous_ends
from tare.stats._p_values import monte_carlo
from tare.stats._pair_tests import Floats, PairTest
from tare.stats._pairs import Pairs
from tare.stats._randomisation import DRAWS, check_draws

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
    moments = _moments(pairs)
    made = _flipped(pairs, moments, draws=draws, seed=seed, threads=threads, engine=engine)
    ends = None
    if largest or len(pairs) == 1:
        ends = simultaneous_ends(made, moments, lambda k: _own(pairs, k), alpha, pairs.rooms)
    _, error = monte_carlo(made.alone * (draws + 1) - 1, draws)
    return PairTest(
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
    )


def own_ends(pairs: Pairs, *, draws: int, seed: int, alpha: float, threads: int = 0) -> Floats:
    """Return the interval of each pair from its own flips, each at the level alpha / pairs."""
    made = []
    for k in range(len(pairs)):
        one = pairs.take(np.arange(len(pairs)) == k)
        found = permutation(
            one, draws=draws, seed=seed, alpha=alpha / len(pairs), threads=threads
        ).ends
        made.append([np.nan, np.nan] if found is None else found[0])
    return np.array(made)


def _own(pairs: Pairs, k: int) -> Floats:
    """Return the differences of a pair on its items."""
    d = pairs.differences[k]
    return np.asarray(d[~np.isnan(d)])


def _moments(pairs: Pairs) -> Moments:
    d = np.nan_to_num(pairs.differences)
    return Moments(
        pairs.n, d.sum(axis=1), (d * d).sum(axis=1), np.abs(d).sum(axis=1), (d != 0).sum(axis=1)
    )


def _flipped(
    pairs: Pairs,
    moments: Moments,
    *,
    draws: int,
    seed: int,
    threads: int,
    engine: Drawing | None,
) -> Flips:
    rows, first, second, _ = pairs.signed_rows()
    if not (second < 0).any():
        rows = rows - rows[:1]  # what all systems share does not matter
    used = (np.nan_to_num(pairs.differences) != 0).any(axis=0)
    return family_flips(
        rows,
        first,
        second,
        moments,
        used,
        lambda k: _own(pairs, k),
        draws=draws,
        seed=seed,
        threads=threads,
        engine=engine,
    )


def _method(differing: int, exact: bool, draws: int) -> str:
    if not exact:
        return f"{draws:,} random flips"
    if differing == 0:
        return "no item differs"
    return f"all {2 ** (differing - 1):,} sign patterns"
