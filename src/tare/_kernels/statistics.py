"""Kernels of statistics: tests of pairs of systems, correlations, agreement, random draws."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare import _core

__all__ = [
    "CORRELATIONS",
    "LEVELS",
    "ZEROS",
    "Differences",
    "RatingCodes",
    "SignedRanks",
    "alpha",
    "alpha_draws",
    "bisquare_subsets",
    "bootstrap_means",
    "cliffs_delta",
    "correlations",
    "exponential_sum_tail",
    "flip_counts",
    "flip_maxima",
    "largest_ranges",
    "one_sided_flips",
    "pair_differences",
    "resampled_indices",
    "signed_ranks",
    "studentised_counts",
    "studentised_draws",
    "studentised_range_tail",
    "uniforms",
    "unit_disagreements",
]


Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ZEROS = ("dropped", "pratt", "putter")
FLIPS = ("swap", "hybrid", "all")
CORRELATIONS = ("pearson", "spearman", "tau_a", "tau_b", "tau_ap_a", "tau_ap_b")
LEVELS = ("nominal", "ordinal", "interval", "ratio", "own")


def _floats(values: ArrayLike) -> Floats:
    return np.ascontiguousarray(values, dtype=np.float64)


def _indices(values: ArrayLike) -> NDArray[np.int32]:
    return np.ascontiguousarray(values, dtype=np.int32)


class Differences(NamedTuple):
    """Rounded differences of pairs of rows, with the rounding step, n, mean and standard deviation."""

    values: Floats
    quantum: Floats
    n: Integers
    mean: Floats
    deviation: Floats


def pair_differences(
    scores: ArrayLike, first: ArrayLike, second: ArrayLike, digits: int, threads: int = 0
) -> Differences:
    """Return differences of pairs of rows, rounded to `digits` digits of the largest value."""
    return Differences(
        *_core.pair_differences(_floats(scores), _indices(first), _indices(second), digits, threads)
    )


class SignedRanks(NamedTuple):
    """Sums of the ranks of positive and negative differences, variance, n and exact p-value."""

    plus: Floats
    minus: Floats
    variance: Floats
    used: Integers
    exact: Floats


def signed_ranks(
    rows: ArrayLike, *, zeros: str, most_exact: int, seed: int, threads: int = 0
) -> SignedRanks:
    """Return the Wilcoxon signed ranks of each row of differences; NaN cells are left out."""
    return SignedRanks(
        *_core.signed_ranks(_floats(rows), ZEROS.index(zeros), most_exact, seed, threads)
    )


def flip_counts(
    rows: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    threshold: ArrayLike,
    *,
    kind: str,
    draws: int,
    seed: int,
    threads: int = 0,
    first_draw: int = 0,
) -> tuple[Integers]:
    """Count the draws of signs in which the |sum| of each pair reaches its threshold.

    Here and below, draws are numbered from `first_draw`; a draw is the same in every call.
    """
    made = _core.flip_counts(
        _floats(rows),
        _indices(first),
        _indices(second),
        _floats(threshold),
        FLIPS.index(kind),
        draws,
        seed,
        threads,
        first_draw,
    )
    return (made,)


def flip_maxima(
    rows: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    threshold: ArrayLike,
    scale: ArrayLike,
    *,
    kind: str,
    draws: int,
    seed: int,
    threads: int = 0,
    first_draw: int = 0,
) -> tuple[Integers, Floats]:
    """Count the draws of signs in which each pair reaches its threshold; return the largest of each draw."""
    return _core.flip_maxima(
        _floats(rows),
        _indices(first),
        _indices(second),
        _floats(threshold),
        _floats(scale),
        FLIPS.index(kind),
        draws,
        seed,
        threads,
        first_draw,
    )


def one_sided_flips(
    rows: ArrayLike,
    threshold: ArrayLike,
    *,
    kind: str,
    draws: int,
    seed: int,
    threads: int = 0,
) -> Integers:
    """Count the draws of signs in which the sum of each row is at least its threshold."""
    return _core.one_sided_flips(
        _floats(rows), _floats(threshold), FLIPS.index(kind), draws, seed, threads
    )


def exponential_sum_tail(coefficients: ArrayLike, weights: ArrayLike, threads: int = 0) -> float:
    """Return P(Σ c_i E_i ≤ 0) for independent standard exponentials, weights of them per coefficient."""
    return _core.exponential_sum_tail(
        _floats(coefficients), np.ascontiguousarray(weights, dtype=np.int64), threads
    )


def studentised_counts(
    shifted: ArrayLike,
    observed: ArrayLike,
    *,
    draws: int,
    seed: int,
    largest: bool = False,
    threads: int = 0,
    first_draw: int = 0,
) -> tuple[Integers, Integers]:
    """Count the resamples in which t², and the largest t² of all rows, reach the observed value."""
    return _core.studentised_counts(
        _floats(shifted), _floats(observed), largest, draws, seed, threads, first_draw
    )


def studentised_draws(
    shifted: ArrayLike, *, draws: int, seed: int, threads: int = 0, first_draw: int = 0
) -> Floats:
    """Return the t statistic of each row's mean in each resample, rows × draws."""
    return _core.studentised_draws(_floats(shifted), draws, seed, threads, first_draw)


def largest_ranges(
    scores: ArrayLike, *, draws: int, seed: int, threads: int = 0, first_draw: int = 0
) -> Floats:
    """Return the range of column means after shuffling the cells of each row, one per draw."""
    return _core.largest_ranges(_floats(scores), draws, seed, threads, first_draw)


def studentised_range_tail(q: ArrayLike, groups: int, freedom: float) -> Floats:
    """Return P(Q > q) of the studentised range distribution."""
    return _core.studentised_range_tail(_floats(q), groups, freedom)


def cliffs_delta(
    scores: ArrayLike, first: ArrayLike, second: ArrayLike, quantum: ArrayLike, threads: int = 0
) -> Floats:
    """Return Cliff's delta of pairs of rows over their common items."""
    return _core.cliffs_delta(
        _floats(scores), _indices(first), _indices(second), _floats(quantum), threads
    )


def bisquare_subsets(
    features: ArrayLike,
    y: ArrayLike,
    masks: ArrayLike,
    *,
    tune: float,
    most_steps: int,
    matlab_scale: bool = False,
    threads: int = 0,
) -> Floats:
    """Fit y robustly by subsets of columns; one row of intercept and coefficients per subset."""
    columns = np.ascontiguousarray(np.asarray(features, dtype=np.float64).T)
    chosen = np.ascontiguousarray(masks, dtype=np.int64)
    return _core.bisquare_subsets(
        columns, _floats(y), chosen, tune, most_steps, matlab_scale, threads
    )


def correlations(x: ArrayLike, y: ArrayLike, kind: str, threads: int = 0) -> Floats:
    """Return the correlation of each row of x with that of y; NaN if one is constant."""
    return _core.correlations(_floats(x), _floats(y), CORRELATIONS.index(kind), threads)


class RatingCodes(NamedTuple):
    """Pairable values of units: offsets, and codes into the sorted distinct values."""

    offsets: Integers
    codes: NDArray[np.int32]
    values: Floats
    distances: Floats


def alpha(ratings: RatingCodes, level: str) -> tuple[float, float, float]:
    """Return Krippendorff's α, the observed and the expected disagreement."""
    return _core.alpha(*ratings, LEVELS.index(level))


def unit_disagreements(ratings: RatingCodes, level: str) -> Floats:
    """Return the observed disagreement within each unit."""
    return _core.unit_disagreements(*ratings, LEVELS.index(level))


def alpha_draws(
    ratings: RatingCodes, level: str, *, draws: int, seed: int, threads: int = 0
) -> Floats:
    """Return α of resampled units; NaN if a resample has a single distinct value."""
    return _core.alpha_draws(*ratings, LEVELS.index(level), draws, seed, threads)


def uniforms(rows: int, columns: int, *, seed: int, substream: int = 0, threads: int = 0) -> Floats:
    """Return uniform numbers in [0, 1); row r is the stream (seed, r, substream)."""
    return _core.uniforms(rows, columns, seed, substream, threads)


def resampled_indices(
    n: int, draws: int, *, seed: int, substream: int = 0, threads: int = 0
) -> Integers:
    """Return indices below n, drawn with replacement, draws × n."""
    return _core.resampled_indices(n, draws, seed, substream, threads)


# Bootstrap resampling.


def bootstrap_means(
    values: NDArray[np.float64], draws: int, seed: int, threads: int = 0, first_draw: int = 0
) -> NDArray[np.float64]:
    """Return the means of each row over resampled columns, rows × draws; NaN cells are left out.

    Draws are numbered from `first_draw`; a draw is the same in every call.
    """
    return _core.bootstrap_means(np.ascontiguousarray(values), draws, seed, threads, first_draw)
