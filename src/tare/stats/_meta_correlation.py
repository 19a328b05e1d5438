"""Correlation of a measure with people: of systems, of outputs about one item, by assessor.

Deutsch, Dror and Roth (2021), A statistical analysis of summarization evaluation metrics using
resampling methods.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tare._kernels.seams import seams
from tare._kernels.statistics import correlations, resampled_indices, uniforms
from tare.errors import choose
from tare.stats._correlation import resampled_means
from tare.stats._p_values import monte_carlo
from tare.stats._pairs import rounded, rounded_rows

__all__ = [
    "COEFFICIENTS",
    "LEVELS",
    "correlation_draws",
    "correlation_with_people",
    "row_correlations",
    "swap_test",
]

COEFFICIENTS = ("pearson", "spearman", "tau_b")
LEVELS = ("system", "item")
Floats = NDArray[np.float64]


def row_correlations(x: Floats, y: Floats, kind: str, threads: int = 0) -> Floats:
    """The correlation of each row of x with that of y over the cells both have; NaN without two."""
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


def _mean(values: Floats, axis: int | None = None) -> Floats:
    """The mean of the values that are not NaN; NaN if there are none."""
    known = ~np.isnan(values)
    counts = known.sum(axis=axis)
    total = np.where(known, values, 0.0).sum(axis=axis)
    return np.where(counts > 0, total / np.maximum(counts, 1), np.nan)


def _both(x: Floats, y: Floats, kind: str) -> tuple[Floats, Floats]:
    """The cells that both have, rounded where they are ranked."""
    gone = np.isnan(x) | np.isnan(y)
    x, y = np.where(gone, np.nan, x), np.where(gone, np.nan, y)
    return (x, y) if kind == "pearson" else (rounded(x), rounded(y))


def correlation_with_people(measure: Floats, people: Floats, *, level: str, kind: str) -> float:
    """The correlation of two matrices systems × items; NaN cells are left out of both.

    "system" correlates the systems' means. "item" correlates the systems on each item and takes the mean
    over items.

    >>> x = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 4.0]])
    >>> correlation_with_people(x, x, level="system", kind="tau_b")
    1.0
    """
    choose("level", level, LEVELS)
    choose("kind", kind, COEFFICIENTS)
    x, y = _both(measure, people, kind)
    if level == "item":
        return float(_mean(row_correlations(x.T, y.T, kind)))
    a, b = (_cleared(_mean(z, axis=1), kind)[None, :] for z in (x, y))
    return float(row_correlations(a, b, kind)[0])


def _cleared(values: Floats, kind: str) -> Floats:
    return values if kind == "pearson" else rounded(values)


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
    """The coefficient in resamples of systems, of items and of both; NaN where it is undefined.

    Systems without any score do not take part, nor does one in a draw that has none of its items.
    """
    x, y = _both(measure, people, kind)
    there = ~np.isnan(x).all(axis=1)
    x, y = x[there], y[there]
    if not len(x):
        return {over: np.full(draws, np.nan) for over in ("systems", "items", "both")}
    if level == "system":
        found = {}
        for over in ("systems", "items", "both"):
            a, b = resampled_means(x, y, True, over, draws, seed, threads, gaps=True)
            found[over] = row_correlations(_cleared(a, kind), _cleared(b, kind), kind, threads)
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
        "systems": _mean(each, axis=1),
        "items": _mean(observed[places], axis=1),
        "both": _mean(np.take_along_axis(each, places, axis=1), axis=1),
    }


def swap_test(
    first: Floats,
    second: Floats,
    people: Floats,
    *,
    level: str,
    kind: str,
    swap: str = "both",
    draws: int = 1000,
    seed: int = 0,
    threads: int = 0,
) -> tuple[float, float, float]:
    """r of the first measure − r of the second, its two-sided p by random swaps, and p's error.

    Both measures are standardised, then exchanged at random: cell by cell ("both"), system by
    system or item by item. p = (b + 1)/(B + 1) (Deutsch, Dror and Roth 2021, PERM).
    """
    choose("swap", swap, ("both", "systems", "items"))
    gone = np.isnan(first) | np.isnan(second) | np.isnan(people)
    x, y = (_standardised(np.where(gone, np.nan, z)) for z in (first, second))
    truth = np.where(gone, np.nan, people)
    observed = correlation_with_people(x, truth, level=level, kind=kind) - correlation_with_people(
        y, truth, level=level, kind=kind
    )
    found = np.concatenate(
        [
            _coefficients(a, truth, level, kind, threads)
            - _coefficients(b, truth, level, kind, threads)
            for a, b in _swapped(x, y, swap, draws, seed, threads)
        ]
    )
    known = ~np.isnan(found)
    if np.isnan(observed) or not known.any():
        return float("nan"), float("nan"), float("nan")
    beyond = int((np.abs(found[known]) >= abs(observed) - 1e-12).sum())
    p, error = monte_carlo(np.array([beyond]), int(known.sum()))
    return observed, float(p[0]), float(error[0])


def _standardised(values: Floats) -> Floats:
    deviation = np.nanstd(values) if (~np.isnan(values)).any() else 0.0
    return (values - np.nanmean(values)) / deviation if deviation > 0 else values * 0.0


def _swapped(
    x: Floats, y: Floats, swap: str, draws: int, seed: int, threads: int
) -> Iterator[tuple[Floats, Floats]]:
    """Blocks of draws × systems × items of both measures, exchanged at random."""
    systems, items = x.shape
    shape = {"both": (systems, items), "systems": (systems, 1), "items": (1, items)}[swap]
    u = uniforms(draws, shape[0] * shape[1], seed=seed, substream=3, threads=threads)
    turned = (u < 0.5).reshape(draws, *shape)
    step = max(1, seams().resampled_cells // (systems * items))
    for start in range(0, draws, step):
        mask = turned[start : start + step]
        yield np.where(mask, y, x), np.where(mask, x, y)


def _coefficients(drawn: Floats, people: Floats, level: str, kind: str, threads: int) -> Floats:
    """The coefficient of each draw."""
    if level == "system":
        means = _mean(drawn, axis=2)
        means = means if kind == "pearson" else rounded_rows(means)
        truth = np.tile(_cleared(_mean(people, axis=1), kind), (len(drawn), 1))
        return row_correlations(np.ascontiguousarray(means), truth, kind, threads)
    draws, systems, items = drawn.shape
    # Each draw is rounded on its own, as the measures themselves are: blocks of draws must not matter.
    cells = drawn.transpose(0, 2, 1).reshape(draws, -1)
    cells = cells if kind == "pearson" else rounded_rows(cells)
    x = np.ascontiguousarray(cells.reshape(-1, systems))
    y = np.tile(_cleared(people.T, kind), (draws, 1))
    return _mean(row_correlations(x, y, kind, threads).reshape(draws, items), axis=1)
