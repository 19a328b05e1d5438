"""Krippendorff's α: agreement of any number of coders beyond chance, with missing ratings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._kernels import statistics as kernels
from tare._kernels.statistics import RatingCodes
from tare._kernels.threads_and_blocks import seams
from tare.errors import MismatchError, OptionError
from tare.stats._ranks_with_ties import DIGITS, rounded

__all__ = ["LEVELS", "Distance", "alpha_of_units", "coded", "kernel_level", "value_disagreements"]


LEVELS = ("nominal", "ordinal", "interval", "ratio")
MOST_OWN = 3000  # distinct values for which a table of own distances is still small
Floats = NDArray[np.float64]
Distance = Callable[[Any, Any], float]


def coded(
    unit: NDArray[np.int64],
    values: Floats,
    level: str | Distance,
    labels: Sequence[str] | None = None,
) -> tuple[RatingCodes, NDArray[np.int64], NDArray[np.int64]]:
    """Ratings for Krippendorff's α: pairable values in units as the core takes them, which rows they are, and the units."""
    values = rounded(values, DIGITS)
    counts = np.bincount(unit) if len(unit) else np.zeros(0, dtype=np.int64)
    rows = np.flatnonzero(counts[unit] >= 2)  # a value alone in its unit can agree with nothing
    if len(rows) == 0:
        raise MismatchError(
            "no unit was rated by two coders, so nothing can be compared. "
            "Are units and coders matched by the right columns?"
        )
    distinct, codes = np.unique(values[rows], return_inverse=True)
    order = np.argsort(unit[rows] * len(distinct) + codes, kind="stable")
    rows = rows[order]
    units = np.flatnonzero(counts >= 2)
    offsets = np.concatenate([[0], np.cumsum(counts[units])]).astype(np.int64)
    distances = np.zeros(0)
    if callable(level):
        distances = _own_distances(level, distinct, labels)
    made = RatingCodes(offsets, codes[order].astype(np.int32), distinct, distances)
    return made, rows, units


def _own_distances(distance: Distance, distinct: Floats, labels: Sequence[str] | None) -> Floats:
    if len(distinct) > MOST_OWN:
        raise OptionError(
            f"a custom distance needs a table of all pairs of values; {len(distinct):,} distinct "
            f"values are too many (at most {MOST_OWN:,}). Use level='interval' or round the values."
        )
    names: list[Any] = [labels[int(v)] if labels is not None else float(v) for v in distinct]
    table = np.array([[float(distance(a, b)) for b in names] for a in names])
    if not (np.isfinite(table).all() and (table >= 0).all()):
        raise OptionError("a custom distance must be finite and not negative.")
    if not np.allclose(table, table.T) or np.diag(table).any():
        raise OptionError("a custom distance must be symmetric, and 0 from a value to itself.")
    return np.ascontiguousarray(table).reshape(-1)


def kernel_level(level: str | Distance) -> str:
    """The level's name in the core."""
    return "own" if callable(level) else level


def alpha_of_units(
    unit: NDArray[np.int64],
    values: Floats,
    level: str | Distance,
    labels: Sequence[str] | None = None,
) -> float:
    """Krippendorff's α of values in units; NaN where all values are the same.

    α = 1 − D_o/D_e, D_o the mean squared distance of values within units, D_e that of all values
    whatever their unit. Distances: nominal 0 or 1; ordinal (Σ_{g=v..v'} n_g − (n_v + n_v')/2)²,
    which is the squared difference of mean ranks; interval (v − v')²; ratio ((v − v')/(v + v'))².

    Krippendorff (2011), Computing Krippendorff's alpha-reliability.
    """
    ratings, _, _ = coded(unit, values, level, labels)
    return kernels.alpha(ratings, kernel_level(level))[0]


def value_disagreements(ratings: RatingCodes, level: str | Distance) -> Floats:
    """The mean distance of each rating to the others of its unit; their mean is D_o of Krippendorff's α."""
    counts = np.bincount(ratings.codes, minlength=len(ratings.values)).astype(np.float64)
    scores = ratings.values
    if level == "ordinal":
        scores = np.cumsum(counts) - counts / 2
    made = np.empty(len(ratings.codes))
    own = ratings.distances.reshape(len(scores), -1) if callable(level) else None
    sizes = np.diff(ratings.offsets)
    for size in np.unique(sizes).tolist():  # units of one size together
        starts = ratings.offsets[:-1][sizes == size]
        step = max(1, seams().resampled_cells // size**2)
        for first in range(0, len(starts), step):
            places = starts[first : first + step, None] + np.arange(size)
            apart = _apart(ratings.codes[places], scores, own, level)
            made[places] = apart.sum(axis=2) / (size - 1)
    return made


def _apart(codes: NDArray[np.int32], scores: Floats, own: Floats | None, level: object) -> Floats:
    """The distances of all pairs of coders' values in each unit, units × values × values."""
    one, other = codes[:, :, None], codes[:, None, :]
    if own is not None:
        return own[one, other]
    if level == "nominal":
        return np.asarray((one != other).astype(np.float64))
    a, b = scores[one], scores[other]
    if level == "ratio":
        total = a + b
        return np.divide(a - b, total, out=np.zeros_like(total), where=total != 0) ** 2
    return np.asarray((a - b) ** 2)
