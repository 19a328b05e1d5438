"""Subsets of features as bit masks, and solutions of all of them from one Gram matrix."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tare.errors import OptionError

__all__ = ["MOST", "Masks", "all_subsets", "by_size", "solve_subsets", "subset_of"]

Floats = NDArray[np.float64]
Masks = NDArray[np.int64]
MOST = 16  # features whose subsets are all tried: 65,535 of them
SINGULAR = 1e-10  # of the smallest to the largest eigenvalue


def all_subsets(features: int) -> Masks:
    """1 … 2^p − 1: bit j represents feature j.

    >>> all_subsets(2).tolist()
    [1, 2, 3]
    """
    if not 1 <= features <= MOST:
        raise OptionError(
            f"{features} features have too many subsets, or none; all are tried for 1 to {MOST}."
        )
    return np.arange(1, 2**features, dtype=np.int64)


def subset_of(mask: int, features: int) -> list[int]:
    """The places of the features in a subset.

    >>> subset_of(5, 3)
    [0, 2]
    """
    return [j for j in range(features) if mask >> j & 1]


def by_size(masks: Masks, features: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """For each size: the places of its masks, and the features of each as a row."""
    bits = (masks[:, None] >> np.arange(features)) & 1
    sizes = bits.sum(axis=1)
    for size in np.unique(sizes[sizes > 0]).tolist():
        places = np.flatnonzero(sizes == size)
        yield places, np.nonzero(bits[places])[1].reshape(len(places), size)


def solve_subsets(gram: Floats, right: Floats, masks: Masks) -> Floats:
    """b of gram[S, S] b = right[S] for every subset S; 0 outside; least norm where singular.

    right: features, or features × several right sides. Returns subsets × features (× sides).
    """
    features = len(gram)
    sides = right.reshape(features, -1)
    found = np.zeros((len(masks), features, sides.shape[1]))
    for places, columns in by_size(masks, features):
        part = gram[columns[:, :, None], columns[:, None, :]]
        values, vectors = np.linalg.eigh(part)
        largest = values[:, -1:]
        inverse = np.divide(
            1.0, values, out=np.zeros_like(values), where=values > SINGULAR * largest
        )
        turned = np.swapaxes(vectors, 1, 2) @ sides[columns]
        solved = vectors @ (inverse[:, :, None] * turned)
        found[places[:, None], columns] = solved
    return found.reshape(len(masks), *right.shape)
