"""Correlation of a measure with people: of systems, of outputs about one item, by assessor.

Deutsch, Dror and Roth (2021), A statistical analysis of summarization evaluation metrics using
resampling methods.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tare._kernels.statistics import correlations, resampled_indices
from tare._kernels.threads_and_blocks import seams
from tare.errors import choose
from tare.stats._correlation import resampled_means
from tare.stats._pairs import rounded

__all__ = [
    "COEFFICIENTS",
    "LEVELS",
    "correlation_draws",
    "correlation_with_people",
    "mean_of_known",
    "row_correlations",
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


def mean_of_known(values: Floats, axis: int | None = None) -> Floats:
    """The mean of the values that are not NaN; NaN if there are none."""
    known = ~np.isnan(values)
    counts = known.sum(axis=axis)
    total = np.where(known, values, 0.0).sum(axis=axis)
    return np.where(counts > 0, total / np.maximum(counts, 1), np.nan)


def _both(x: Floats, y: Floats, level: str, kind: str) -> tuple[Floats, Floats]:
    """The cells that both have, rounded where they are ranked."""
    gone = np.isnan(x) | np.isnan(y)
    x, y = np.where(gone, np.nan, x), np.where(gone, np.nan, y)
    return (_cleared(x, kind), _cleared(y, kind)) if level == "item" else (x, y)


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
    x, y = _both(measure, people, level, kind)
    if level == "item":
        return float(mean_of_known(row_correlations(x.T, y.T, kind)))
    a, b = (_cleared(mean_of_known(z, axis=1), kind)[None, :] for z in (x, y))
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
    x, y = _both(measure, people, level, kind)
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
        "systems": mean_of_known(each, axis=1),
        "items": mean_of_known(observed[places], axis=1),
        "both": mean_of_known(np.take_along_axis(each, places, axis=1), axis=1),
    }
