"""Tukey's honestly significant difference: all pairs of systems at once.

The Tukey–Kramer test accepts missing cells. The others leave out and count items that lack a system.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tare._kernels.statistics import largest_ranges, studentised_range_tail
from tare.errors import MismatchError
from tare.stats._draws import Drawing, drawn
from tare.stats._mean_ranks import mean_ranks
from tare.stats._p_values import monte_carlo
from tare.stats._pair_tests import PairTest
from tare.stats._pairs import Pairs, rounded
from tare.stats._randomisation import DRAWS, check_draws

__all__ = ["range_quantile", "tukey", "tukey_kramer", "tukey_randomised", "tukey_ranks"]

Floats = NDArray[np.float64]


def _complete(pairs: Pairs) -> tuple[Floats, str]:
    whole = pairs.scores[:, pairs.complete]
    if whole.shape[1] < 2:
        raise MismatchError(
            f"only {whole.shape[1]} item(s) have a score of each of the {len(pairs.systems)} "
            "systems; Tukey's tests need at least 2. Compare pairs on their common items instead, "
            'with test="t" and correction="holm", or leave out systems with missing scores.'
        )
    left_out = pairs.scores.shape[1] - whole.shape[1]
    note = f"{left_out:,} items without a score of every system were left out" if left_out else ""
    return whole, note


def range_quantile(alpha: float, groups: int, freedom: float) -> float:
    """The q with P(Q > q) = alpha, found on three successively finer grids."""
    low, high = 0.0, 100.0
    for _ in range(6):
        grid = np.linspace(low, high, 41)
        tail = studentised_range_tail(grid, groups, freedom)
        k = int(np.clip(np.searchsorted(-tail, -alpha), 1, 40))
        low, high = float(grid[k - 1]), float(grid[k])
    return (low + high) / 2


def tukey(pairs: Pairs, *, alpha: float = 0.05) -> PairTest:
    """Run Tukey's HSD test with the error term of the layout systems + items.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.
    alpha : float
        Significance level.

    Returns
    -------
    PairTest
        q = |x̄_a − x̄_b| / √(MSE/n), MSE = Σ(x_si − x̄_s − x̄_i + x̄)² / ((m−1)(n−1)), and p from the
        studentised range of m systems. The difficulty of the items is not part of the error; the
        one-way form includes it and finds little.

    Raises
    ------
    MismatchError
        If fewer than 2 items have a score of every system.

    References
    ----------
    Tukey (1953); Carterette (2012).

    Examples
    --------
    >>> tukey(Pairs.of_matrix([[5, 6, 7], [4, 4, 5], [1, 2, 2]])).p.round(4).tolist()
    [0.0163, 0.0005, 0.0029]
    """
    whole, note = _complete(pairs)
    m, n = whole.shape
    residuals = whole - whole.mean(1, keepdims=True) - whole.mean(0, keepdims=True) + whole.mean()
    freedom = float((m - 1) * (n - 1))
    mse = float((residuals * residuals).sum()) / freedom
    means = whole.mean(axis=1)
    gap = np.abs(means[pairs.first] - means[pairs.second])
    floor = float(np.abs(whole).max(initial=0.0)) * 1e-10
    if mse <= floor * floor:  # every item shifts every system alike
        q = np.where(gap <= floor, 0.0, np.inf)
        p = np.where(gap <= floor, 1.0, 2.0 ** (1.0 - n))
        half = np.zeros(len(pairs))
    else:
        error = np.sqrt(mse / n)
        q = gap / error
        p = studentised_range_tail(q, m, freedom)
        half = np.full(len(pairs), range_quantile(alpha, m, freedom) * error)
    return PairTest(
        "tukey",
        pairs,
        q,
        p,
        np.full(len(pairs), n),
        ("studentised range",) * len(pairs),
        freedom=np.full(len(pairs), freedom),
        family_wise=True,
        half_width=half,
        note=note,
    )


def tukey_kramer(pairs: Pairs, *, alpha: float = 0.05) -> PairTest:
    """Run the Tukey–Kramer test on adjusted means, for tables with missing cells.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.
    alpha : float
        Significance level.

    Returns
    -------
    PairTest
        q = √2·|difference of adjusted means| / standard error, and p from the studentised range of m
        systems. Adjusted means estimate by least squares what each system would score on all items.
        Without missing cells this is Tukey's HSD.

    Raises
    ------
    MismatchError
        If a system has no score, some share no items with the others, or there are too few scores.

    References
    ----------
    Tukey (1953); Kramer (1956).

    Examples
    --------
    >>> tukey_kramer(Pairs.of_matrix([[5, 6, 7], [4, np.nan, 5], [1, 2, 2]])).p.round(4).tolist()
    [0.057, 0.0015, 0.0078]
    """
    from tare.stats._additive import additive_layout
    from tare.stats._simultaneous import range_p

    whole = additive_layout(pairs.scores)
    gap = whole.means[pairs.first] - whole.means[pairs.second]
    error = np.sqrt(whole.error * whole.spread[pairs.first, pairs.second])
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.where(gap == 0, 0.0, np.abs(gap) * np.sqrt(2) / error)
    half = range_quantile(alpha, len(pairs.systems), whole.freedom) * error / np.sqrt(2)
    return PairTest(
        "tukey-kramer",
        pairs,
        q,
        range_p(whole)[pairs.first, pairs.second],
        pairs.n,
        ("studentised range",) * len(pairs),
        freedom=np.full(len(pairs), whole.freedom),
        family_wise=True,
        half_width=half,
        centre=gap,
    )


def tukey_randomised(
    pairs: Pairs,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    alpha: float = 0.05,
    threads: int = 0,
    engine: Drawing | None = None,
) -> PairTest:
    """Run the randomised Tukey HSD test: shuffle scores within each item.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.
    draws, seed : int
        Number of random draws, and their seed.
    alpha : float
        Significance level.
    threads : int
        Number of threads; 0 uses all cores. The result does not depend on it.
    engine : engine, optional
        Where the draws are made; by default in this process.

    Returns
    -------
    PairTest
        p = (b + 1)/(B + 1), where b is the number of draws whose largest difference of two means reaches
        the pair's.

    Raises
    ------
    MismatchError
        If fewer than 2 items have a score of every system.
    OptionError
        If `draws` or `seed` is out of range.

    References
    ----------
    Carterette (2012).

    Examples
    --------
    >>> tukey_randomised(Pairs.of_matrix([[5, 6, 7], [4, 4, 5], [1, 2, 2]]), draws=999).p.round(2).tolist()
    [0.71, 0.02, 0.4]
    """
    check_draws(draws, seed)
    whole, note = _complete(pairs)
    made = drawn(
        largest_ranges, scores=whole.T, draws=draws, seed=seed, threads=threads, engine=engine
    )
    ranges = np.sort(made)
    means = whole.mean(axis=1)
    gap = np.abs(means[pairs.first] - means[pairs.second])
    tolerance = float(np.abs(whole).max(initial=0.0)) * 10.0 ** (-pairs.digits)
    reached = draws - np.searchsorted(ranges, gap - tolerance, side="left")
    p, error = monte_carlo(reached, draws)
    half = np.full(len(pairs), float(np.quantile(ranges, 1 - alpha)))
    return PairTest(
        "tukey-randomised",
        pairs,
        gap,
        p,
        np.full(len(pairs), whole.shape[1]),
        (f"{draws:,} shuffles",) * len(pairs),
        error=error,
        family_wise=True,
        half_width=half,
        note=note,
    )


def _mean_ranks(values: Floats) -> tuple[Floats, Floats]:
    """Ranks within each row (mean ranks for ties) and Σ(t³ − t) of each row."""
    ranks = mean_ranks(values)
    ties = np.empty(len(values))
    for k, row in enumerate(values):
        _, counts = np.unique(row, return_counts=True)
        ties[k] = float((counts.astype(np.float64) ** 3 - counts).sum())
    return ranks, ties


def tukey_ranks(pairs: Pairs) -> PairTest:
    """Run Tukey's test on the ranks of all scores together, after Kruskal and Wallis.

    It ignores that systems are scored on the same items: use it for groups.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.

    Returns
    -------
    PairTest
        q = |R̄_a − R̄_b| / √(V/n), V = [N(N+1) − Σ(t³ − t)/(N−1)]/12, and p from the studentised range with
        infinite degrees of freedom.

    Raises
    ------
    MismatchError
        If fewer than 2 items have a score of every system.

    Examples
    --------
    >>> tukey_ranks(Pairs.of_matrix([[5, 6, 7], [4, 4, 5], [1, 2, 2]])).p.round(4).tolist()
    [0.4485, 0.0224, 0.3233]
    """
    whole, note = _complete(pairs)
    m, n = whole.shape
    total = m * n
    ranks, ties = _mean_ranks(rounded(whole, pairs.digits).reshape(1, -1))
    means = ranks.reshape(m, n).mean(axis=1)
    variance = (total * (total + 1) - float(ties[0]) / (total - 1)) / 12
    return _by_ranks("tukey-ranks", pairs, means, variance / n, m, n, note)


def _by_ranks(
    test: str, pairs: Pairs, means: Floats, variance: float, m: int, n: int, note: str
) -> PairTest:
    gap = np.abs(means[pairs.first] - means[pairs.second])
    q = gap / np.sqrt(variance) if variance > 0 else np.zeros_like(gap)
    p = studentised_range_tail(q, m, np.inf)
    return PairTest(
        test,
        pairs,
        q,
        np.where(gap == 0, 1.0, p),
        np.full(len(pairs), n),
        ("studentised range of ranks",) * len(pairs),
        family_wise=True,
        note=note,
    )
