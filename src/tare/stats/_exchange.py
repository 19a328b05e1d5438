"""Which of two measures agrees better with people: exchanges of the two, system by system.

If two standardised measures agree equally well with people, it does not matter which of the two a
system's scores come from. Both tests exchange the measures of whole systems and look how often the
statistic reaches the observed one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._kernels.statistics import flip_counts, uniforms
from tare._kernels.threads_and_blocks import seams
from tare.errors import MismatchError, choose
from tare.stats._meta_correlation import (
    COEFFICIENTS,
    LEVELS,
    mean_of_known,
    row_correlations,
)
from tare.stats._pairs import rounded
from tare.stats._randomisation import DRAWS, check_draws

__all__ = [
    "ExchangeTest",
    "WinTest",
    "exchange_test",
    "orders_of_pairs",
    "win_test",
    "wins_of_pairs",
]

Floats = NDArray[np.float64]
NEAR = 1e-9  # a statistic this close to the observed one reaches it


class ExchangeTest(NamedTuple):
    """The test of two correlations with people; its second value is p, as harnesses expect.

    Attributes
    ----------
    difference, pvalue : float
        The first coefficient minus the second, and its two-sided p-value; NaN if one is undefined.
    first, second : float
        The coefficients of both measures.
    systems : int
        The number of systems whose scores differ between the two standardised measures.
    exact : bool
        Whether all exchanges were tried.

    Examples
    --------
    >>> people = [[0.9, 0.7], [0.6, 0.8], [0.5, 0.4], [0.3, 0.5]]
    >>> one = [[0.8, 0.7], [0.7, 0.9], [0.4, 0.4], [0.2, 0.5]]
    >>> other = [[0.8, 0.4], [0.3, 0.9], [0.6, 0.5], [0.4, 0.2]]
    >>> found = exchange_test(one, other, people)
    >>> round(found.difference, 3), found.pvalue, found.exact
    (0.196, 0.5, True)
    """

    difference: float
    pvalue: float
    first: float
    second: float
    systems: int
    exact: bool


class WinTest(NamedTuple):
    """The test of wins and losses of two measures; its second value is p, as harnesses expect.

    Attributes
    ----------
    difference : int
        Wins minus losses.
    pvalue : float
        The two-sided p-value.
    wins, losses, ties : int
        Pairs of outputs that the measures order differently: people agree with the first measure, with
        the second, or see no difference.
    pairs : int
        All pairs of outputs with both measures and people.
    systems : int
        The number of systems whose exchange changes wins − losses.
    exact : bool
        Whether all exchanges were tried.

    Examples
    --------
    >>> people = [[0.9, 0.7], [0.6, 0.8], [0.5, 0.4], [0.3, 0.5]]
    >>> one = [[0.8, 0.7], [0.7, 0.9], [0.4, 0.4], [0.2, 0.5]]
    >>> other = [[0.8, 0.4], [0.3, 0.9], [0.6, 0.5], [0.4, 0.2]]
    >>> found = win_test(one, other, people)
    >>> found.wins, found.losses, found.ties, found.pairs
    (4, 0, 0, 12)
    """

    difference: int
    pvalue: float
    wins: int
    losses: int
    ties: int
    pairs: int
    systems: int
    exact: bool


def exchange_test(
    first: ArrayLike,
    second: ArrayLike,
    people: ArrayLike,
    *,
    level: str = "system",
    kind: str = "pearson",
    draws: int = DRAWS,
    seed: int = 0,
    threads: int = 0,
) -> ExchangeTest:
    """Test whether one of two measures correlates better with people: |r₁ − r₂| under exchanges.

    Each measure is standardised over all its cells, z = (x − mean)/sd. Then the two are exchanged at
    random, system by system (whole rows). Cells that are NaN in any of the three tables are left out of
    all.

    Parameters
    ----------
    first, second, people : array_like
        Systems × items.
    level : {"system", "item"}
        Correlate the systems' means, or the systems on each item, averaged over items.
    kind : {"pearson", "spearman", "tau_b"}
        The coefficient.
    draws : int
        If there are at most so many exchanges, up to mirror images, all are tried; otherwise so many
        are drawn, and p = (b + 1)/(B + 1).
    seed : int
        Seed of the draws.
    threads : int
        Number of threads; 0 uses all cores. The result does not depend on it.

    Returns
    -------
    ExchangeTest
        The difference of the coefficients, and its two-sided p-value.

    Raises
    ------
    MismatchError
        If the tables are not aligned, or hold infinite values.
    OptionError
        If an option is unknown or out of range.

    Notes
    -----
    Assumes that, if the measures agree equally well with people, each system's scores by the first are
    as likely to be those by the second. Then p is exact. Swapping single cells or items instead would
    treat the errors that a measure makes on all outputs of one system as independent.

    References
    ----------
    Deutsch, Dror and Roth (2021). A statistical analysis of summarization evaluation metrics using
    resampling methods. TACL 9.

    Examples
    --------
    >>> people = [[0.9, 0.7], [0.6, 0.8], [0.5, 0.4], [0.3, 0.5]]
    >>> one = [[0.8, 0.7], [0.7, 0.9], [0.4, 0.4], [0.2, 0.5]]
    >>> other = [[0.8, 0.4], [0.3, 0.9], [0.6, 0.5], [0.4, 0.2]]
    >>> exchange_test(one, other, people).pvalue
    0.5
    """
    choose("level", level, LEVELS)
    choose("kind", kind, COEFFICIENTS)
    check_draws(draws, seed)
    x, y, truth = _tables(first, second, people)
    gone = np.isnan(x) | np.isnan(y) | np.isnan(truth)
    x, y, truth = (np.where(gone, np.nan, z) for z in (x, y, truth))
    x, y = _standardised(x), _standardised(y)
    if level == "system":  # exchanged rows have exchanged means
        empty = gone.all(axis=1)
        x, y, truth = (np.where(empty, np.nan, _row_means(z))[:, None] for z in (x, y, truth))
    if kind != "pearson":  # ranks of exchanged scores compare both measures
        (x, y), truth = rounded(np.stack([x, y])), rounded(truth)

    def coefficients(drawn: Floats) -> Floats:
        """The coefficient of each exchange: exchanges × systems × columns."""
        count, systems, columns = drawn.shape
        rows = np.ascontiguousarray(drawn.transpose(0, 2, 1).reshape(-1, systems))
        people = np.tile(truth.T, (count, 1))
        found = row_correlations(rows, people, kind, threads).reshape(count, columns)
        return mean_of_known(found, axis=1)

    one, other = (float(coefficients(z[None])[0]) for z in (x, y))
    differing = (np.abs(np.nan_to_num(x - y)) > NEAR).any(axis=1)
    changed = int(differing.sum())
    exact = _enumerable(changed, draws)
    observed = abs(one - other)
    if math.isnan(observed) or not changed:
        p = math.nan if math.isnan(observed) else 1.0
        return ExchangeTest(one - other, p, one, other, changed, exact)
    x, y, truth, differing = _ordered(x, y, truth, differing)
    reached = total = 0
    for exchanged in _exchanges(differing, exact, draws, seed, threads, x.size):
        mask = exchanged[:, :, None]
        gaps = coefficients(np.where(mask, y, x)) - coefficients(np.where(mask, x, y))
        # An exchange without a coefficient counts as one that reaches the observed difference.
        reached += int((~(np.abs(gaps) < observed - NEAR)).sum())
        total += len(exchanged)
    p = reached / total if exact else (reached + 1) / (total + 1)
    return ExchangeTest(one - other, p, one, other, changed, exact)


def win_test(
    first: ArrayLike,
    second: ArrayLike,
    people: ArrayLike,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    threads: int = 0,
) -> WinTest:
    """Test whether people agree more often with one of two measures where these disagree: |W − L|.

    Of all pairs of outputs for one item that the measures order differently, W are ordered by people as
    by the first measure and L as by the second. The measures are standardised and exchanged as in
    `exchange_test`.

    Parameters
    ----------
    first, second, people : array_like
        Systems × items.
    draws : int
        If there are at most so many exchanges, up to mirror images, all are tried; otherwise so many
        are drawn, and p = (b + 1)/(B + 1).
    seed : int
        Seed of the draws.
    threads : int
        Number of threads; 0 uses all cores. The result does not depend on it.

    Returns
    -------
    WinTest
        Wins, losses and ties, and the two-sided p-value.

    Raises
    ------
    MismatchError
        If the tables are not aligned, or hold infinite values.
    OptionError
        If draws or seed is out of range.

    Notes
    -----
    The assumption is that of `exchange_test`. A sign test of W and L would treat pairs that share a
    system as independent; if measures are wrong about whole systems, it claims far too much.

    Examples
    --------
    >>> people = [[0.9, 0.7], [0.6, 0.8], [0.5, 0.4], [0.3, 0.5]]
    >>> one = [[0.8, 0.7], [0.7, 0.9], [0.4, 0.4], [0.2, 0.5]]
    >>> other = [[0.8, 0.4], [0.3, 0.9], [0.6, 0.5], [0.4, 0.2]]
    >>> win_test(one, other, people).pvalue
    0.125
    """
    check_draws(draws, seed)
    x, y, truth = _tables(first, second, people)
    return wins_of_pairs(x, y, orders_of_pairs(truth), draws=draws, seed=seed, threads=threads)


def orders_of_pairs(values: Floats) -> Floats:
    """Return the sign of the difference of each pair of rows by column: pairs × items."""
    a, b = np.triu_indices(len(values), 1)
    cleared = rounded(values)
    return np.asarray(np.sign(cleared[a] - cleared[b]), dtype=np.float64)


def wins_of_pairs(
    first: Floats, second: Floats, orders: Floats, *, draws: int, seed: int, threads: int = 0
) -> WinTest:
    """Test wins and losses against orders of people: pairs of systems × items; NaN is unknown.

    W − L after exchanges is Σσw over systems, with σ = −1 for exchanged ones: a pair adds u(σ_a + σ_b)/2
    + v(σ_a − σ_b)/2, where u and v are its wins − losses if none of the two or the second is exchanged.
    """
    gone = np.isnan(first) | np.isnan(second)
    x, y = (_standardised(np.where(gone, np.nan, z)) for z in (first, second))
    x, y = rounded(np.stack([x, y]))
    systems = len(x)
    weights = np.zeros(systems)
    pairs = wins = losses = ties = 0
    start = 0
    for a in range(systems - 1):
        b = slice(a + 1, systems)
        truth = orders[start : start + systems - 1 - a]
        start += len(truth)
        known = ~np.isnan(truth)
        told = np.where(known, truth, 0.0)

        def apart(one: Floats, other: Floats, known: NDArray[np.bool_] = known) -> Floats:
            """The order by the first of two measures, where the second has the other one."""
            return np.where(known & (one * other < 0), np.sign(one), 0.0)

        unchanged = apart(x[a] - x[b], y[a] - y[b])
        exchanged = apart(x[a] - y[b], y[a] - x[b])
        u, v = ((told * z).sum(axis=1) for z in (unchanged, exchanged))
        weights[a] += ((u + v) / 2).sum()
        weights[b] += (u - v) / 2
        pairs += int((known & ~(gone[a] | gone[b])).sum())
        wins += int((told * unchanged > 0).sum())
        losses += int((told * unchanged < 0).sum())
        ties += int(((unchanged != 0) & (told == 0)).sum())
    # Only the sizes of the weights matter, and in this order p does not depend on that of the systems.
    kept = np.sort(np.abs(weights[weights != 0]))
    exact = _enumerable(len(kept), draws)
    p = 1.0
    if len(kept):
        patterns = 2 ** (len(kept) - 1) if exact else draws
        (counts,) = flip_counts(
            kept[None],
            [0],
            [-1],
            [abs(wins - losses) - 0.25],  # weights are multiples of ½
            kind="all" if exact else "swap",
            draws=patterns,
            seed=seed,
            threads=threads,
        )
        reached = int(counts[0])
        p = reached / patterns if exact else (reached + 1) / (patterns + 1)
    return WinTest(wins - losses, p, wins, losses, ties, pairs, len(kept), exact)


def _tables(*given: ArrayLike) -> list[Floats]:
    """Return aligned matrices systems × items without infinite values."""
    made = [np.asarray(z, dtype=np.float64) for z in given]
    shapes = [z.shape for z in made]
    if len(set(shapes)) > 1 or len(shapes[0]) != 2:
        raise MismatchError(
            f"first, second and people: expected three tables of systems × items, found the shapes "
            f"{', '.join(map(str, shapes))}."
        )
    if any(np.isinf(z).any() for z in made):
        raise MismatchError("first, second and people: a score is infinite; leave it out.")
    return made


def _standardised(values: Floats) -> Floats:
    """Return z-scores over all known cells; zeros if all are alike."""
    known = values[~np.isnan(values)]
    if not len(known):
        return values
    deviation = float(known.std())
    flat = deviation <= 1e-12 * float(np.abs(known).max())
    made: Floats = (values - known.mean()) / (math.inf if flat else deviation)
    return made


def _enumerable(systems: int, draws: int) -> bool:
    """Whether all exchanges of so many systems, up to mirror images, are tried."""
    return systems < 64 and 2 ** max(systems - 1, 0) <= draws


def _ordered(
    x: Floats, y: Floats, truth: Floats, differing: NDArray[np.bool_]
) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
    """Return the tables so that drawn p-values depend on no order of systems and of measures."""
    one, other, people = (_row_means(z) for z in (x, y, truth))
    keys = [np.round(z, 9) for z in (people, np.maximum(one, other), np.minimum(one, other))]
    order = np.lexsort(keys[::-1])
    turned = (one < other)[:, None]
    high, low = np.where(turned, y, x), np.where(turned, x, y)
    return high[order], low[order], truth[order], differing[order]


def _row_means(values: Floats) -> Floats:
    known = ~np.isnan(values)
    made: Floats = np.where(known, values, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return made


def _exchanges(
    differing: NDArray[np.bool_], exact: bool, draws: int, seed: int, threads: int, cells: int
) -> Iterator[NDArray[np.bool_]]:
    """Blocks of exchanges × systems; the first of the systems that differ is never exchanged if exact."""
    places = np.flatnonzero(differing)
    count = 2 ** (len(places) - 1) if exact else draws
    drawn = None
    if not exact:
        drawn = uniforms(draws, len(places), seed=seed, substream=3, threads=threads) < 0.5
    step = max(1, seams().resampled_cells // max(cells, 1))
    for start in range(0, count, step):
        stop = min(count, start + step)
        made = np.zeros((stop - start, len(differing)), dtype=bool)
        if drawn is None:
            patterns = np.arange(start, stop)[:, None]
            made[:, places[1:]] = (patterns >> np.arange(len(places) - 1)) & 1
        else:
            made[:, places] = drawn[start:stop]
        yield made
