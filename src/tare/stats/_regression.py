"""Regression of human scores on features: robust, non-negative, canonical, ridge; and all subsets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._kernels.statistics import bisquare_subsets
from tare.errors import MismatchError, OptionError, choose

__all__ = [
    "FITS",
    "MOST",
    "SCALES",
    "TUNE",
    "Fits",
    "Masks",
    "all_subsets",
    "by_size",
    "fit_subsets",
    "robust_subsets",
    "solve_subsets",
    "subset_of",
]


# Subsets of features as bit masks, and solutions of all of them from one Gram matrix.


Floats = NDArray[np.float64]
Masks = NDArray[np.int64]
MOST = 16  # features whose subsets are all tried: 65,535 of them
SINGULAR = 1e-10  # of the smallest to the largest eigenvalue


def all_subsets(features: int) -> Masks:
    """All subsets of features as bit masks, 1 … 2^p − 1: bit j represents feature j.

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
    """The subsets of features of each size: the places of their masks, and the features of each as a row."""
    bits = (masks[:, None] >> np.arange(features)) & 1
    sizes = bits.sum(axis=1)
    for size in np.unique(sizes[sizes > 0]).tolist():
        places = np.flatnonzero(sizes == size)
        yield places, np.nonzero(bits[places])[1].reshape(len(places), size)


def solve_subsets(gram: Floats, right: Floats, masks: Masks) -> Floats:
    """Least squares for every subset S of features, b of gram[S, S] b = right[S]; 0 outside; least norm where singular.

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


# Robust regression by Tukey's bisquare, for many subsets of features at once.
#
# Iteratively reweighted least squares as Matlab's robustfit does it: from least squares, residuals
# adjusted by leverage, r = e / (c·s·√(1 − h)), c = 4.685, s the median |e|/√(1 − h) with the smallest
# left out ÷ 0.6745, weights (1 − r²)² within |r| < 1.
#
# A fit with p coefficients can make p residuals vanish, so `scale="published"` leaves out the p
# smallest (Rankel 2016). Matlab's documentation says the same; its program takes the median from the
# p-th on and so leaves out p − 1: `scale="matlab"`.
#
# Holland and Welsch (1977); DuMouchel and O'Brien (1989).


TUNE = 4.685
MOST_STEPS = 50
SCALES = ("published", "matlab")


def robust_subsets(
    x: Floats,
    y: Floats,
    masks: Masks,
    *,
    tune: float = TUNE,
    scale: str = "published",
    threads: int = 0,
) -> tuple[Floats, Floats]:
    """Robust regression on every subset of the columns of x: coefficients subsets × features, and intercepts.

    >>> x = np.arange(10.0)[:, None]
    >>> y = 2 * x[:, 0] + 1
    >>> y[3] = 100
    >>> slopes, intercepts = robust_subsets(x, y, np.array([1]))
    >>> round(float(slopes[0, 0]), 6), round(float(intercepts[0]), 6)
    (2.0, 1.0)
    """
    if tune <= 0:
        raise OptionError(f"tune={tune} is not possible; it is a number above 0.")
    choose("scale", scale, SCALES)
    found = bisquare_subsets(
        x,
        y,
        masks,
        tune=tune,
        most_steps=MOST_STEPS,
        matlab_scale=scale == "matlab",
        threads=threads,
    )
    return found[:, 1:], found[:, 0]


# The four fits of human scores by features, each for all subsets of the features.


FITS = ("robust", "nnls", "cca", "ridge")
FLAT = 1e-12  # a deviation this far below a column's size is none


@dataclass(frozen=True, eq=False)
class Fits:
    """Regressions on subsets of features, one fit a subset: prediction = intercepts + x @ coefficients.T.

    flipped: −1 for features whose sign was turned so that they correlate positively with people
    (non-negative least squares only); coefficients are those of the features as they were given.
    strength: R² of least squares, the squared canonical correlation, or NaN for robust fits.
    """

    method: str
    masks: Masks
    coefficients: Floats
    intercepts: Floats
    strength: Floats
    flipped: Floats

    def predict(self, x: Floats) -> Floats:
        """Rows × subsets."""
        made: Floats = x @ self.coefficients.T + self.intercepts
        return made


def fit_subsets(
    x: Floats,
    y: Floats,
    masks: Masks,
    *,
    method: str,
    ridge: float = 1.0,
    scale: str = "published",
    threads: int = 0,
) -> Fits:
    """Regressions of y (rows, or rows × several human scores for "cca") on every subset of the columns of x.

    - robust: bisquare; `scale` is "published" or "matlab" (see `robust`).
    - nnls: least squares with coefficients ≥ 0 after features were turned to correlate positively
      with y. The best such fit of a subset is a plain fit of one of its subsets that happens to be
      non-negative, so one pass over the lattice finds all of them.
    - cca: the weights of the largest canonical correlation, √ of the largest eigenvalue of
      Σ_AA⁻¹Σ_ABΣ_BB⁻¹Σ_BA; the canonical variate is then scaled to predict the first score.
    - ridge: least squares with λ = `ridge` on standardised features.

    Constant features get no weight.
    """
    choose("method", method, FITS)
    scores = y.reshape(len(y), -1)
    if len(x) != len(scores):
        raise MismatchError(f"{len(x)} rows of features for {len(scores)} human scores.")
    if len(x) < 3:
        raise MismatchError(f"{len(x)} rows are too few for a fit; at least 3 are needed.")
    centre, spread = x.mean(axis=0), x.std(axis=0)
    flat = spread <= FLAT * np.maximum(np.abs(centre), 1e-300)
    spread = np.where(flat, 1.0, spread)
    z = np.where(flat, 0.0, (x - centre) / spread)
    target = scores - scores.mean(axis=0)
    flipped = np.ones(x.shape[1])
    strength = np.full(len(masks), np.nan)
    if method == "robust":
        slopes, intercepts = robust_subsets(z, scores[:, 0], masks, scale=scale, threads=threads)
    else:
        gram, right = z.T @ z, z.T @ target
        intercepts = np.full(len(masks), scores[:, 0].mean())
        if method == "ridge":
            slopes = solve_subsets(gram + ridge * np.eye(len(gram)), right[:, 0], masks)
        elif method == "nnls":
            flipped = np.where(right[:, 0] < 0, -1.0, 1.0)
            slopes = flipped * _non_negative(
                gram * flipped[:, None] * flipped, right[:, 0] * flipped, masks
            )
        else:
            slopes, strength = _canonical(gram, right, target, masks)
        if method != "cca":
            strength = _explained(gram, right[:, 0], slopes, float((target[:, 0] ** 2).sum()))
    coefficients = np.where(flat, 0.0, slopes / spread)
    return Fits(method, masks, coefficients, intercepts - coefficients @ centre, strength, flipped)


def _explained(gram: Floats, right: Floats, slopes: Floats, total: float) -> Floats:
    """R² of each fit."""
    fitted = 2 * slopes @ right - np.einsum("si,ij,sj->s", slopes, gram, slopes)
    return fitted / total if total > 0 else np.zeros(len(slopes))


def _non_negative(gram: Floats, right: Floats, masks: Masks) -> Floats:
    """The non-negative regression of each subset of features: the best non-negative plain one below it."""
    p = len(gram)
    every = np.arange(2**p, dtype=np.int64)
    plain = solve_subsets(gram, right, every)
    gained = plain @ right  # the drop of the sum of squares of a plain fit
    gained[(plain < 0).any(axis=1)] = -np.inf
    best = every.copy()
    for j in range(p):
        bit = 1 << j
        above = every[(every & bit) != 0]
        below = above ^ bit
        better = gained[best[below]] > gained[best[above]]
        best[above[better]] = best[below[better]]
    return plain[best[masks]]


def _canonical(gram: Floats, right: Floats, target: Floats, masks: Masks) -> tuple[Floats, Floats]:
    """Canonical regression: slopes that predict the first human score through the canonical variate; squared correlations."""
    within = target.T @ target
    values, vectors = np.linalg.eigh(within)
    inverse = np.where(values > 1e-12 * values[-1], 1 / np.sqrt(np.maximum(values, 1e-300)), 0.0)
    root = vectors * inverse @ vectors.T  # Σ_BB^(−1/2)
    solved = solve_subsets(gram, right, masks)  # Σ_AA⁻¹Σ_AB of each subset
    inner = root @ (right.T @ solved) @ root
    squares, directions = np.linalg.eigh((inner + np.swapaxes(inner, 1, 2)) / 2)
    weights = (solved @ (root @ directions[:, :, -1:]))[:, :, 0]
    # The variate's regression on the first score: its sign and scale.
    covered = weights @ right[:, 0]
    own = np.einsum("si,ij,sj->s", weights, gram, weights)
    slope = np.divide(covered, own, out=np.zeros_like(covered), where=own > 0)
    return weights * slope[:, None], np.clip(squares[:, -1], 0.0, 1.0)
