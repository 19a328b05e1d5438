"""Mapping of values from one scale to another, such as 1 to 10 onto 1 to 5."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare.errors import MismatchError, OptionError

__all__ = ["rescaled"]


def rescaled(
    values: ArrayLike, given: Sequence[float], wanted: Sequence[float]
) -> NDArray[np.float64]:
    """Return y = (x − a)·(d − c)/(b − a) + c for the scales a to b and c to d.

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
