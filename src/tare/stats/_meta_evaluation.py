"""How well a measure agrees with people: correlations and accuracies over systems, outputs and pairs; and which of two measures agrees better."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._kernels.statistics import correlations, flip_counts, resampled_indices, uniforms
from tare._kernels.threads_and_blocks import seams
from tare.errors import MismatchError, choose
from tare.stats._correlation import COEFFICIENTS, WITH_PEOPLE, resampled_means
from tare.stats._paired_differences import rounded
from tare.stats._randomisation import DRAWS, check_draws

__all__ = [
    "LEVELS",
    "Contingency",
    "ExchangeTest",
    "WinTest",
    "correlation_draws",
    "correlation_with_people",
    "exchange_test",
    "mean_of_known",
    "one_sided",
    "orders_of_pairs",
    "pairwise_accuracy",
    "row_correlations",
    "significance_agreement",
    "soft_pairwise_accuracy",
    "tie_calibrated_accuracy",
    "win_test",
    "wins_of_pairs",
]


# How often a measure agrees with people: on pairs of systems, on significant differences, on
# ties.


Floats = NDArray[np.float64]


def _share(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")


@dataclass(frozen=True)
class Contingency:
    """Contingency of pairs of systems by the significant differences that people and a measure found.

    hits: both found the same significant difference; opposite: both found one, in opposite directions;
    false_alarms: only the measure; misses: only people; rejections: neither.
    """

    hits: int
    false_alarms: int
    misses: int
    rejections: int
    opposite: int = 0

    @property
    def pairs(self) -> int:
        """All pairs."""
        return self.hits + self.false_alarms + self.misses + self.rejections + self.opposite

    @property
    def accuracy(self) -> float:
        """The share of pairs on which both agree."""
        return _share(self.hits + self.rejections, self.pairs)

    @property
    def precision(self) -> float:
        """Of the differences that the measure finds, the share that people find too."""
        return _share(self.hits, self.hits + self.false_alarms + self.opposite)

    @property
    def recall(self) -> float:
        """Of the differences that people find, the share that the measure finds too."""
        return _share(self.hits, self.hits + self.misses + self.opposite)

    @property
    def specificity(self) -> float:
        """Of the pairs where people find no difference, the share where the measure finds none either."""
        return _share(self.rejections, self.rejections + self.false_alarms)

    @property
    def negative_precision(self) -> float:
        """Of the pairs where the measure finds no difference, the share where people find none either."""
        return _share(self.rejections, self.rejections + self.misses)

    @property
    def balanced(self) -> float:
        """Balanced accuracy: the mean of recall and specificity.

        >>> Contingency(hits=36, false_alarms=11, misses=64, rejections=206).balanced
        0.6546543778801843
        """
        return (self.recall + self.specificity) / 2

    @property
    def balanced_predictions(self) -> float:
        """Pairs of systems: the mean of precision and negative precision, which Rankel (2016) calls balanced accuracy.

        >>> round(Contingency(hits=36, false_alarms=11, misses=64, rejections=206).balanced_predictions, 2)
        0.76
        """
        return (self.precision + self.negative_precision) / 2

    def to_dict(self) -> dict[str, float]:
        """Counts and shares."""
        names = ("pairs", "accuracy", "precision", "recall", "specificity", "balanced")
        return asdict(self) | {n: getattr(self, n) for n in (*names, "balanced_predictions")}


def significance_agreement(people: ArrayLike, measure: ArrayLike) -> Contingency:
    """Count pairs of systems by the findings of people and a measure: 1 and −1 for significant differences, 0 for none.

    >>> significance_agreement([1, -1, 0, 0, 1], [1, 0, 0, 1, -1])
    Contingency(hits=1, false_alarms=1, misses=1, rejections=1, opposite=1)
    """
    truth, said = np.asarray(people), np.asarray(measure)
    if truth.shape != said.shape:
        raise MismatchError(f"findings of shapes {truth.shape} and {said.shape} are not aligned.")
    counts = (
        (truth != 0) & (said == truth),
        (truth == 0) & (said != 0),
        (truth != 0) & (said == 0),
        (truth == 0) & (said == 0),
        (truth != 0) & (said == -truth),
    )
    return Contingency(*(int(c.sum()) for c in counts))


def pairwise_accuracy(people: ArrayLike, measure: ArrayLike) -> float:
    """The share of pairs that a measure orders as people do; pairs that people tie are left out.

    A pair that only the measure ties counts as wrong (Kocmi et al. 2021).

    >>> pairwise_accuracy([0.2, -0.1, 0.3, 0.0], [1.0, 0.5, 0.0, 0.7])
    0.3333333333333333
    """
    truth, said = (np.sign(rounded(x)) for x in (people, measure))
    known = (truth != 0) & ~np.isnan(truth) & ~np.isnan(said)
    return _share(int((truth == said)[known].sum()), int(known.sum()))


def tie_calibrated_accuracy(
    people: ArrayLike, measure: ArrayLike, groups: ArrayLike | None = None
) -> tuple[float, float]:
    """The best share of pairs that a measure gets right, ties included, and the ε that gives it.

    Differences of a measure of at most ε are ties; a tie is right if people tie too. Pairs are averaged
    within groups (items) first (Deutsch, Foster and Freitag 2023, with ε from the same data, as WMT does).

    >>> tie_calibrated_accuracy([0, 1, -1], [0.1, 0.9, -0.5])
    (1.0, 0.1)
    """
    truth, said = np.sign(rounded(people)), rounded(measure)
    known = ~np.isnan(truth) & ~np.isnan(said)
    truth, said = truth[known], said[known]
    if not len(truth):
        return float("nan"), float("nan")
    group = np.zeros(len(truth), dtype=np.int64)
    if groups is not None:
        group = np.unique(np.asarray(groups)[known], return_inverse=True)[1]
    sizes = np.bincount(group)
    weight = 1 / (sizes[group] * len(sizes))
    right = weight * (np.sign(said) == truth)  # unless it is a tie
    tied = weight * (truth == 0)
    size = np.abs(said)
    order = np.argsort(size, kind="stable")
    levels, last = np.unique(size[order][::-1], return_index=True)
    # With ε = a level, all differences up to it are ties; 0 alone ties what is tied anyway.
    upto = len(size) - last
    gained = np.concatenate([[0.0], np.cumsum((tied - right * (size > 0))[order])])
    total = float((right * (size > 0)).sum())
    if levels[0] > 0:
        levels, upto = np.concatenate([[0.0], levels]), np.concatenate([[0], upto])
    scores = total + gained[upto]
    best = int(np.argmax(scores > scores.max() - 1e-12))  # the smallest ε among the best
    return float(scores[best]), float(levels[best])


def one_sided(
    differences: ArrayLike, *, draws: int = 1000, seed: int = 0, threads: int = 0
) -> Floats:
    """One-sided p-value of people or a measure for each row of differences by random swaps; ties count half, so all zeros give ½."""
    rows = np.nan_to_num(np.atleast_2d(np.asarray(differences, dtype=np.float64)))
    signs = _swaps(draws, rows.shape[1], seed, threads)
    sums = rows.sum(axis=1)
    drawn = signs @ rows.T
    near = 1e-9 * np.maximum(np.abs(rows).sum(axis=1), 1e-300)
    above = (drawn > sums + near).mean(axis=0)
    at = (np.abs(drawn - sums) <= near).mean(axis=0)
    return np.asarray(above + at / 2, dtype=np.float64)


@lru_cache(maxsize=4)
def _swaps(draws: int, items: int, seed: int, threads: int) -> Floats:
    """Random swaps for soft pairwise accuracy, draws × items of −1 and 1; every column of scores asks for the same ones."""
    return np.where(uniforms(draws, items, seed=seed, threads=threads) < 0.5, -1.0, 1.0)


def soft_pairwise_accuracy(people: ArrayLike, measure: ArrayLike) -> float:
    """1 − the mean absolute difference of the one-sided p-values of people and measure.

    Thompson et al. (2024). Improving statistical significance in human evaluation.

    >>> soft_pairwise_accuracy([0.0, 0.5], [0.5, 1.0])
    0.5
    """
    gaps = np.abs(np.asarray(people, dtype=np.float64) - np.asarray(measure, dtype=np.float64))
    return float(1 - np.nanmean(gaps)) if np.isfinite(gaps).any() else float("nan")


# Correlation of a measure with people: of systems, of outputs about one item, by assessor.
#
# Deutsch, Dror and Roth (2021), A statistical analysis of summarization evaluation metrics using
# resampling methods.


LEVELS = ("system", "item")


def row_correlations(x: Floats, y: Floats, kind: str, threads: int = 0) -> Floats:
    """The correlation of each row of a measure with that of people over the cells both have; NaN without two."""
    known = ~(np.isnan(x) | np.isnan(y))
    if known.all():
        return correlations(x, y, kind, threads)
    found = np.full(len(x), np.nan)
    counts = known.sum(axis=1)
    first = np.argsort(~known, axis=1, kind="stable")
    for count in np.unique(counts[counts >= 2]):
        rows = np.flatnonzero(counts == count)
        places = first[rows, :count]
        a, b = (np.take_along_axis(z[rows], places, axis=1) for z in (x, y))
        found[rows] = correlations(a, b, kind, threads)
    return found


def mean_of_known(values: Floats, axis: int | None = None) -> Floats:
    """The mean of the correlations or scores that are not NaN; NaN if there are none."""
    known = ~np.isnan(values)
    counts = known.sum(axis=axis)
    total = np.where(known, values, 0.0).sum(axis=axis)
    return np.where(counts > 0, total / np.maximum(counts, 1), np.nan)


def _both(x: Floats, y: Floats, level: str, kind: str) -> tuple[Floats, Floats]:
    """The cells that both a measure and people have, rounded where they are ranked."""
    gone = np.isnan(x) | np.isnan(y)
    x, y = np.where(gone, np.nan, x), np.where(gone, np.nan, y)
    clear = COEFFICIENTS[kind].cleared
    return (clear(x), clear(y)) if level == "item" else (x, y)


def correlation_with_people(measure: Floats, people: Floats, *, level: str, kind: str) -> float:
    """The correlation of a measure with people, two matrices systems × items; NaN cells are left out of both.

    "system" correlates the systems' means. "item" correlates the systems on each item and takes the mean
    over items.

    >>> x = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 4.0]])
    >>> correlation_with_people(x, x, level="system", kind="tau_b")
    1.0
    """
    choose("level", level, LEVELS)
    choose("kind", kind, WITH_PEOPLE)
    x, y = _both(measure, people, level, kind)
    if level == "item":
        return float(mean_of_known(row_correlations(x.T, y.T, kind)))
    a, b = (COEFFICIENTS[kind].cleared(mean_of_known(z, axis=1))[None, :] for z in (x, y))
    return float(row_correlations(a, b, kind)[0])


def correlation_draws(
    measure: Floats,
    people: Floats,
    *,
    level: str,
    kind: str,
    draws: int = 1000,
    seed: int = 0,
    threads: int = 0,
) -> dict[str, Floats]:
    """The correlation with people in resamples of systems, of items and of both; NaN where it is undefined.

    Systems without any score do not take part, nor does one in a draw that has none of its items.
    """
    x, y = _both(measure, people, level, kind)
    there = ~np.isnan(x).all(axis=1)
    x, y = x[there], y[there]
    if not len(x):
        return {over: np.full(draws, np.nan) for over in ("systems", "items", "both")}
    if level == "system":
        found, clear = {}, COEFFICIENTS[kind].cleared
        for over in ("systems", "items", "both"):
            a, b = resampled_means(x, y, True, over, draws, seed, threads, gaps=True)
            found[over] = row_correlations(clear(a), clear(b), kind, threads)
        return found
    systems, items = x.shape
    chosen = resampled_indices(systems, draws, seed=seed, substream=1, threads=threads)
    places = resampled_indices(items, draws, seed=seed, substream=2, threads=threads)
    each = np.empty((draws, items))
    step = max(1, seams().resampled_cells // (draws * systems))
    for start in range(0, items, step):
        part = slice(start, start + step)
        a, b = (np.ascontiguousarray(z.T[part][:, chosen].reshape(-1, systems)) for z in (x, y))
        each[:, part] = row_correlations(a, b, kind, threads).reshape(-1, draws).T
    observed = row_correlations(np.ascontiguousarray(x.T), np.ascontiguousarray(y.T), kind, threads)
    return {
        "systems": mean_of_known(each, axis=1),
        "items": mean_of_known(observed[places], axis=1),
        "both": mean_of_known(np.take_along_axis(each, places, axis=1), axis=1),
    }


# Which of two measures agrees better with people: exchanges of the two, system by system.
#
# If two standardised measures agree equally well with people, it does not matter which of the two a
# system's scores come from. Both tests exchange the measures of whole systems and look how often the
# statistic reaches the observed one.


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
    choose("kind", kind, WITH_PEOPLE)
    check_draws(draws, seed)
    x, y, truth = _tables(first, second, people)
    gone = np.isnan(x) | np.isnan(y) | np.isnan(truth)
    x, y, truth = (np.where(gone, np.nan, z) for z in (x, y, truth))
    x, y = _standardised(x), _standardised(y)
    if level == "system":  # exchanged rows have exchanged means
        empty = gone.all(axis=1)
        x, y, truth = (np.where(empty, np.nan, _row_means(z))[:, None] for z in (x, y, truth))
    if COEFFICIENTS[kind].on_ranks:  # ranks of exchanged scores compare both measures
        (x, y), truth = rounded(np.stack([x, y])), rounded(truth)

    def coefficients(drawn: Floats) -> Floats:
        """The correlation with people in each exchange of two measures: exchanges × systems × columns."""
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
    """Return which system of each pair is better on each item, as the sign of the difference: pairs × items."""
    a, b = np.triu_indices(len(values), 1)
    cleared = rounded(values)
    return np.asarray(np.sign(cleared[a] - cleared[b]), dtype=np.float64)


def wins_of_pairs(
    first: Floats, second: Floats, orders: Floats, *, draws: int, seed: int, threads: int = 0
) -> WinTest:
    """Test the wins and losses of two measures against orders of people: pairs of systems × items; NaN is unknown.

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
            """The order of a pair by the first of two measures, where the second has the other one."""
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
    """Return aligned matrices systems × items of two measures and of people, without infinite values."""
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
    """Return the z-scores of a measure over all known cells, to exchange it with another; zeros if all are alike."""
    known = values[~np.isnan(values)]
    if not len(known):
        return values
    deviation = float(known.std())
    flat = deviation <= 1e-12 * float(np.abs(known).max())
    made: Floats = (values - known.mean()) / (math.inf if flat else deviation)
    return made


def _enumerable(systems: int, draws: int) -> bool:
    """Whether all exchanges of two measures on so many systems, up to mirror images, are tried."""
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
    """Blocks of exchanges of two measures × systems; the first of the systems that differ is never exchanged if exact."""
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
