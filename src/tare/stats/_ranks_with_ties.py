"""Ranks with ties, without `scipy.stats`, whose import takes a second; scores rounded so that floating-point noise makes no ranks; and values mapped to another scale."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare.errors import MismatchError, OptionError

__all__ = ["DIGITS", "digits_of", "mean_ranks", "rescaled", "rounded", "rounded_rows"]


# Ranks with ties, without `scipy.stats`, whose import takes a second.


def mean_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return mean ranks for ties, from 1 along the last axis, the smallest value first.

    Equal values share the mean of their ranks. NaN has no rank and counts for no other value.

    >>> mean_ranks(np.array([0.3, 0.1, 0.3, np.nan])).tolist()
    [2.5, 1.0, 2.5, nan]
    """
    order = np.argsort(values, axis=-1, kind="stable")  # NaN last
    ordered = np.take_along_axis(values, order, axis=-1)
    count = values.shape[-1]
    places = np.broadcast_to(np.arange(count), values.shape)
    changes = ordered[..., 1:] != ordered[..., :-1]
    edge = np.ones((*values.shape[:-1], min(1, count)), dtype=bool)
    begins = np.maximum.accumulate(
        np.where(np.concatenate([edge, changes], axis=-1), places, 0), axis=-1
    )
    last = np.where(np.concatenate([changes, edge], axis=-1), places, count)
    ends = np.minimum.accumulate(last[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (begins + ends) / 2 + 1, axis=-1)
    ranks[np.isnan(values)] = np.nan
    return ranks


# Rounding to the digits that scores have, so that floating-point noise makes no ranks.


DIGITS = 10
Floats = NDArray[np.float64]


def rounded(values: ArrayLike, digits: int = DIGITS) -> Floats:
    """Round scores to be ranked to this many digits of the largest, so that floating-point noise makes no ranks.

    >>> rounded([0.1 + 0.2, 0.3]).tolist()
    [0.3, 0.3]
    """
    given = np.asarray(values, dtype=np.float64)
    return np.round(given, digits_of(given, digits))


def digits_of(values: Floats, digits: int = DIGITS) -> int:
    """Return the number of decimals that `rounded` keeps."""
    finite = np.abs(values[np.isfinite(values)])
    largest = float(finite.max()) if finite.size else 0.0
    exponent = np.ceil(np.log10(largest) - 1e-9) if largest > 0 else 0.0
    return int(digits - exponent)


def rounded_rows(values: ArrayLike, digits: int = DIGITS) -> Floats:
    """Round each row of scores to be ranked to this many digits of its own largest value.

    >>> rounded_rows([[0.1 + 0.2, 0.3], [1e9, 0.1 + 0.2]]).tolist()
    [[0.3, 0.3], [1000000000.0, 0.3]]
    """
    given = np.asarray(values, dtype=np.float64)
    largest = np.max(np.abs(np.where(np.isfinite(given), given, 0.0)), axis=1, initial=0.0)
    with np.errstate(divide="ignore"):
        exponents = np.where(largest > 0, np.ceil(np.log10(largest) - 1e-9), 0.0)
    made = np.empty_like(given)
    for exponent in np.unique(exponents):
        rows = exponents == exponent
        made[rows] = np.round(given[rows], int(digits - exponent))
    return made


# Values on another scale.


def rescaled(
    values: ArrayLike, given: Sequence[float], wanted: Sequence[float]
) -> NDArray[np.float64]:
    """Return values mapped to another scale, y = (x − a)·(d − c)/(b − a) + c for the scales a to b and c to d.

    The ends are mapped to the ends: 10 on 1 to 10 is 5 on 1 to 5, by (4/9)(x − 1) + 1. Rankel (2016, §2.4.1)
    prints 5/9, which would map 10 to 6.

    >>> rescaled([1, 5.5, 10], (1, 10), (1, 5)).tolist()
    [1.0, 3.0, 5.0]
    """
    (a, b), (c, d) = given, wanted
    if not all(map(math.isfinite, (a, b, c, d))) or a == b or c == d:
        raise OptionError(
            f"a scale has two different ends; found {a:g} to {b:g} and {c:g} to {d:g}."
        )
    x = np.asarray(values, dtype=np.float64)
    outside = x[(x < min(a, b)) | (x > max(a, b))]
    if len(outside):
        raise MismatchError(
            f"{len(outside):,} values are outside the scale from {a:g} to {b:g}; the first is "
            f"{outside[0]:g}. Give the ends of the scale that was used."
        )
    return (x - a) * ((d - c) / (b - a)) + c
